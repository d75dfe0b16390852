use super::*;

const RIGHT: Pattern = Pattern { seed: 3 };
const OLD: Earlier = Earlier { pattern: Pattern { seed: 4 }, start: 5 };
const FIRST: u64 = 100;

fn right(count: u64) -> Vec<u8> {
    (FIRST..FIRST + count).map(|offset| RIGHT.byte(offset)).collect()
}

fn kind(got: &[u8], poison: Poison) -> Kind {
    kind_of(got, FIRST, RIGHT, poison, &[Earlier { pattern: Pattern { seed: 9 }, start: 0 }, OLD])
}

#[test]
fn what_was_there_before_is_dropped_data() {
    for count in [1, 2, 4096] {
        let complement: Vec<u8> = right(count).iter().map(|byte| !byte).collect();
        assert_eq!(kind(&complement, Poison::Complement), Kind::Dropped, "{count}");
    }
    // Only the first 64 bytes are missing; a right byte that equals the poison is no contradiction.
    let value = !RIGHT.byte(0);
    let mut got = right(4096);
    got[..64].fill(value);
    assert_eq!(kind(&got, Poison::Value(value)), Kind::Dropped);
}

#[test]
fn bytes_of_an_earlier_step_are_stale() {
    let old: Vec<u8> =
        (FIRST..FIRST + 32).map(|offset| OLD.pattern.byte(offset.wrapping_sub(OLD.start))).collect();
    assert_eq!(kind(&old, Poison::Complement), Kind::Stale);
    let mut partly = right(4096);
    partly[..32].copy_from_slice(&old);
    assert_eq!(kind(&partly, Poison::Complement), Kind::Stale);
    // What two earlier steps left, each at bytes of its own; a few such bytes may be chance.
    let earlier = |offset: u64| match offset < FIRST + 20 {
        true => Pattern { seed: 9 }.byte(offset),
        false => OLD.pattern.byte(offset.wrapping_sub(OLD.start)),
    };
    let mixed: Vec<u8> = (FIRST..FIRST + 64).map(earlier).collect();
    assert_eq!(kind(&mixed, Poison::Complement), Kind::Stale);
    assert_eq!(kind(&mixed[10..30], Poison::Complement), Kind::Unknown);
    assert_ne!(kind_of(&old, FIRST, RIGHT, Poison::Complement, &[]), Kind::Stale);
}

#[test]
fn right_bytes_in_the_wrong_place_are_shifted() {
    for by in [-4096i64, -16, -1, 1, 4, 99] {
        let got: Vec<u8> =
            (0..64).map(|index| RIGHT.byte((FIRST + index).wrapping_add_signed(-by))).collect();
        let seen = kind(&got, Poison::Complement);
        assert_eq!(seen, Kind::Shifted { by }, "{by}");
    }
    // What was there before is still in front of them.
    for by in [1, 3, 40] {
        let mut got: Vec<u8> = right(by).iter().map(|byte| !byte).collect();
        got.extend(right(64));
        assert_eq!(kind(&got, Poison::Complement), Kind::Shifted { by: by as i64 }, "{by}");
    }
    // Nothing lies in front of the data's first byte.
    let got: Vec<u8> = (0..64).map(|index| RIGHT.byte((FIRST + index).wrapping_add_signed(-101))).collect();
    assert_eq!(kind(&got, Poison::Complement), Kind::Unknown);
}

#[test]
fn single_bits_are_flipped() {
    let mut got = right(4096);
    got[0] ^= 0x10;
    assert_eq!(kind(&got, Poison::Complement), Kind::Flipped);
    got[700] ^= 0x81;
    assert_eq!(kind(&got, Poison::Complement), Kind::Flipped);
    assert_eq!(kind(&[RIGHT.byte(FIRST) ^ 1], Poison::Complement), Kind::Flipped);
    // Every byte of many.
    let all: Vec<u8> = right(64).iter().map(|byte| byte ^ 0x20).collect();
    assert_eq!(kind(&all, Poison::Complement), Kind::Flipped);
    assert_eq!(kind(&all[..CREDIBLE - 1], Poison::Complement), Kind::Unknown);
    got[900] ^= 0x1f;
    assert_eq!(kind(&got, Poison::Complement), Kind::Unknown);
}

#[test]
fn bytes_from_nowhere_are_not_named() {
    let got: Vec<u8> = (0..4096).map(|offset| Pattern { seed: 77 }.byte(offset)).collect();
    assert_eq!(kind(&got, Poison::Complement), Kind::Unknown);
    assert_eq!(kind(&got, Poison::Value(0)), Kind::Unknown);
    // Fewer bytes than are credible are not called stale or shifted.
    assert_eq!(kind(&got[..4], Poison::Complement), Kind::Unknown);
}
