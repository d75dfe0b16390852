//! Whatever is wrong in a device's memory is found, placed, and counted. On a simulated device.

use cuda_p2p::Runtime;
use cuda_p2p::sim::MachineConfig;

use super::*;

const SEED: u64 = 11;
const PATTERN: Pattern = Pattern { seed: 12 };

/// One size that the host checks as well, and one that only the kernel does.
const SIZES: [usize; 2] = [4097, CHECKED_BY_HOST + 1];

fn side_and_kernels() -> (Side, ProofKernels) {
    let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
    let device = runtime.device(0).unwrap();
    (Side::new(device, SIZES[1], SEED).unwrap(), ProofKernels::load(&runtime).unwrap())
}

/// Flips a bit of one byte of the buffer, behind the proof's back.
fn flip(side: &mut Side, at: usize) {
    let mut byte = [0];
    side.stream.copy_to_host(side.buffer.slice(at..at + 1).unwrap(), &mut byte).unwrap();
    byte[0] ^= 0x10;
    side.stream.copy_from_host(side.buffer.slice_mut(at..at + 1).unwrap(), &byte).unwrap();
}

#[test]
fn what_was_filled_is_found_whole() {
    let (mut side, kernels) = side_and_kernels();
    for bytes in SIZES {
        let place = Place::new(7, bytes);
        side.fill(&kernels, place, PATTERN).unwrap();
        assert_eq!(side.findings(&kernels, place, Range::Destination, PATTERN).unwrap(), []);
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let (mut side, kernels) = side_and_kernels();
    for bytes in SIZES {
        let place = Place::new(3, bytes);
        let Bytes { start, end } = place.data();
        let spots = [
            (start, Range::Destination, 0),
            (end - 1, Range::Destination, bytes - 1),
            (start - 1, Range::CanaryBefore, start - 1),
            (0, Range::CanaryBefore, 0),
            (end, Range::CanaryAfter, 0),
            (end + ALIGNMENT - 1, Range::CanaryAfter, ALIGNMENT - 1),
        ];
        for (at, range, first) in spots {
            side.fill(&kernels, place, PATTERN).unwrap();
            flip(&mut side, at);
            let findings = side.findings(&kernels, place, Range::Destination, PATTERN).unwrap();
            let [finding] = findings[..] else { panic!("{findings:?}") };
            assert_eq!((finding.range, finding.first, finding.wrong), (range, first as u64, 1));
            assert_eq!(finding.expected ^ finding.got, 0x10);
        }
    }
}

#[test]
fn poison_has_not_one_byte_of_a_small_pattern() {
    let (mut side, kernels) = side_and_kernels();
    let place = Place::new(0, SIZES[0]);
    side.poison(place, PATTERN).unwrap();
    let findings = side.findings(&kernels, place, Range::Destination, PATTERN).unwrap();
    let [finding] = findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.wrong, finding.first), (SIZES[0] as u64, 0));
}

#[test]
fn bytes_of_another_seed_are_wrong() {
    let (mut side, kernels) = side_and_kernels();
    for bytes in SIZES {
        let place = Place::new(0, bytes);
        side.fill(&kernels, place, Pattern { seed: 13 }).unwrap();
        let findings = side.findings(&kernels, place, Range::Source, PATTERN).unwrap();
        let [finding] = findings[..] else { panic!("{findings:?}") };
        assert_eq!(finding.range, Range::Source);
        // One byte in 256 is right by chance.
        assert!(finding.wrong > bytes as u64 * 9 / 10, "{finding:?}");
    }
}

#[test]
fn a_comparison_counts_and_names_the_first() {
    let pattern = Pattern { seed: 5 };
    let mut got = pattern.bytes(100);
    assert_eq!(compare(1, Range::Destination, pattern, &got), None);
    got[30] ^= 1;
    got[99] ^= 0x80;
    let finding = compare(1, Range::Destination, pattern, &got).unwrap();
    assert_eq!((finding.wrong, finding.first, finding.bytes), (2, 30, 100));
    assert_eq!((finding.expected, finding.got), (pattern.byte(30), pattern.byte(30) ^ 1));
}

#[test]
fn canaries_touch_the_data_and_nothing_lies_between() {
    let place = Place::new(3, 10);
    let [(_, before), (_, after)] = place.canaries();
    assert_eq!((before.start, before.end), (0, place.data().start));
    assert_eq!(after.start, place.data().end);
    assert_eq!(place.data().start % ALIGNMENT, 3);
}
