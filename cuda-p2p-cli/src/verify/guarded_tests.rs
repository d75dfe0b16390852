//! Whatever is wrong in a device's memory is found, placed, and counted. On a simulated device.

use cuda_p2p::Runtime;
use cuda_p2p::sim::MachineConfig;

use super::super::kernels::Kernel;
use super::*;

const SEED: u64 = 11;
const PATTERN: Pattern = Pattern { seed: 12 };

/// One size that the host checks as well, and one that only the kernel does.
const SIZES: [usize; 2] = [4097, sample::WHOLE + 1];

fn side_and_kernels() -> (Side, ProofKernels) {
    let runtime = Runtime::simulated(MachineConfig::pair()).unwrap();
    let device = runtime.device(0).unwrap();
    (Side::new(device, SIZES[1], SEED).unwrap(), ProofKernels::load(&runtime).unwrap())
}

/// Flips a bit of one byte of the buffer, behind the proof's back.
fn flip(side: &mut Side, at: usize) {
    let mut byte = [0];
    side.stream.copy_to_host(side.memory.slice(&side.device, at..at + 1).unwrap(), &mut byte).unwrap();
    byte[0] ^= 0x10;
    side.stream.copy_from_host(side.memory.slice_mut(&side.device, at..at + 1).unwrap(), &byte).unwrap();
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

fn refusal(result: Result<impl std::fmt::Debug, Fault>) -> String {
    match result.unwrap_err() {
        Fault::Failed(said) => said,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_check_that_does_not_run_finds_nothing_and_is_not_believed() {
    let (mut side, mut kernels) = side_and_kernels();
    for bytes in SIZES {
        let place = Place::new(0, bytes);
        kernels.idle = &[];
        side.fill(&kernels, place, PATTERN).unwrap();
        // What the last check left must not be taken for the next one's result.
        assert_eq!(side.findings(&kernels, place, Range::Destination, PATTERN).unwrap(), []);
        kernels.idle = &[Kernel::Check];
        let said = refusal(side.findings(&kernels, place, Range::Destination, PATTERN));
        assert!(said.contains(&format!("compare {bytes} bytes did not run")), "{said}");
    }
}

#[test]
fn a_check_that_leaves_some_bytes_out_is_not_believed() {
    let (mut side, mut kernels) = side_and_kernels();
    for bytes in SIZES {
        let place = Place::new(0, bytes);
        side.fill(&kernels, place, PATTERN).unwrap();
        kernels.overlooked = 1;
        let said = refusal(side.findings(&kernels, place, Range::Destination, PATTERN));
        assert!(said.contains(&format!("says that it compared {}", bytes - 1)), "{said}");
        kernels.overlooked = 0;
    }
}

#[test]
fn the_self_test_passes_and_can_fail() {
    let (mut side, mut kernels) = side_and_kernels();
    side.self_test(&kernels).unwrap();
    kernels.idle = &[Kernel::Check];
    assert!(refusal(side.self_test(&kernels)).contains("did not run"));
    let (mut untouched, mut kernels) = side_and_kernels();
    kernels.idle = &[Kernel::Fill];
    assert!(refusal(untouched.self_test(&kernels)).contains("cannot tell right bytes from wrong ones"));
}

#[test]
fn the_host_looks_at_both_ends_of_large_data_by_itself() {
    let (mut side, kernels) = side_and_kernels();
    let bytes = SIZES[1];
    let place = Place::new(5, bytes);
    for at in [0, bytes - 1] {
        side.fill(&kernels, place, PATTERN).unwrap();
        assert_eq!(side.sampled_finding(place, Range::Destination, PATTERN).unwrap(), None);
        flip(&mut side, place.data().start + at);
        let finding = side.sampled_finding(place, Range::Destination, PATTERN).unwrap().unwrap();
        assert_eq!((finding.first, finding.wrong, finding.bytes), (at as u64, 1, bytes as u64));
    }
}

#[test]
fn a_comparison_counts_and_names_the_first() {
    let pattern = Pattern { seed: 5 };
    let mut got = pattern.bytes(100);
    assert_eq!(compare(1, Range::Destination, pattern, 0, &got), None);
    got[30] ^= 1;
    got[99] ^= 0x80;
    let finding = compare(1, Range::Destination, pattern, 0, &got).unwrap();
    assert_eq!((finding.wrong, finding.first, finding.bytes), (2, 30, 100));
    assert_eq!((finding.expected, finding.got), (pattern.byte(30), pattern.byte(30) ^ 1));
    let from_20 = compare(1, Range::Destination, pattern, 20, &got[20..]).unwrap();
    assert_eq!((from_20.first, from_20.wrong), (30, 2));
}

#[test]
fn canaries_touch_the_data_and_nothing_lies_between() {
    let place = Place::new(3, 10);
    let [(_, before), (_, after)] = place.canaries();
    assert_eq!((before.start, before.end), (0, place.data().start));
    assert_eq!(after.start, place.data().end);
    assert_eq!(place.data().start % ALIGNMENT, 3);
}
