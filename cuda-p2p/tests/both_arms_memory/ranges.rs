//! Virtual memory.

use cuda_p2p::builtin::CheckResult;
use cuda_p2p::{CopyPath, Error, ErrorClass, StagedReason};

use crate::{MANY, ONE, SLOW_NS, bytes, pair, part_of, shared_range};

#[test]
fn one_range_of_two_devices_is_used_by_kernels_of_both() {
    let pair = pair();
    let (part, streams) = (part_of(&pair), [pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap()]);
    let mut range = shared_range(&pair);
    let found: Vec<_> = range.mappings().collect();
    assert_eq!(found, [(0, part, pair.a), (part, part, pair.b)]);
    let all = 2 * part as u64;
    // New memory is zeroed.
    let mut host = vec![1u8; 2 * part];
    streams[0].copy_to_host(range.slice::<u8>(&pair.a, ..).unwrap(), &mut host).unwrap();
    assert!(host.iter().all(|byte| *byte == 0));
    // Each fills all of it, and the other checks.
    for (seed, (writer, reader)) in [(pair.a, pair.b), (pair.b, pair.a)].into_iter().enumerate() {
        let (ours, theirs) =
            if writer == pair.a { (&streams[0], &streams[1]) } else { (&streams[1], &streams[0]) };
        let seed = seed as u64 + 5;
        let mut result = reader.alloc_from(&[CheckResult::CLEAN]).unwrap();
        pair.kernels.fill(ours, MANY, range.slice_mut::<u8>(&writer, ..).unwrap(), all, seed).unwrap();
        let slice = range.slice::<u8>(&reader, ..).unwrap();
        pair.kernels.check(theirs, MANY, slice, all, seed, &mut result).unwrap();
        assert!(result.to_vec().unwrap()[0].is_clean(all), "{:?}", result.to_vec().unwrap());
    }
    drop(range);
    pair.ends_clean();
}

/// Copies and fills cross from the memory of one device to that of the other.
#[test]
fn copies_and_fills_of_a_range_cross_devices() {
    let pair = pair();
    let (part, stream) = (part_of(&pair), pair.a.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let middle = part - 700..part + 900;
    let data = bytes(1600, 3);
    stream.copy_from_host(range.slice_mut::<u8>(&pair.a, middle.clone()).unwrap(), &data).unwrap();
    let mut buffer = pair.a.alloc_zeroed::<u8>(1600).unwrap();
    stream.copy_async(&mut buffer, range.slice::<u8>(&pair.a, middle.clone()).unwrap()).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), data);
    stream.fill_bytes_async(range.slice_mut::<u8>(&pair.a, part - 5..part + 5).unwrap(), 9).unwrap();
    let mut back = vec![0u8; 20];
    stream.copy_to_host(range.slice::<u8>(&pair.a, part - 10..part + 10).unwrap(), &mut back).unwrap();
    assert_eq!(back[5..15], [9; 10]);
    assert!(back[..5] == data[690..695] && back[15..] == data[705..710]);
    // Between devices: one of them has to reach the other's end.
    let mut theirs = pair.b.alloc_zeroed::<u8>(1600).unwrap();
    let slice = range.slice::<u8>(&pair.a, middle.clone()).unwrap();
    assert_eq!(stream.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
    assert_eq!(theirs.to_vec().unwrap()[..690], data[..690]);
    range.disable_access_from(&[pair.b]).unwrap();
    let staged = CopyPath::Staged { reason: StagedReason::NotEnabled };
    let slice = range.slice::<u8>(&pair.a, middle.clone()).unwrap();
    assert_eq!(stream.copy_peer_async(&mut theirs, slice).unwrap(), staged);
    assert_eq!(theirs.to_vec().unwrap()[..690], data[..690]);
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let slice = range.slice::<u8>(&pair.a, middle.clone()).unwrap();
    assert_eq!(stream.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
    assert_eq!(theirs.to_vec().unwrap()[..690], data[..690]);
    access.disable().unwrap();
    range.enable_access_from(&[pair.b]).unwrap();
    let slice = range.slice::<u8>(&pair.b, middle).unwrap();
    let on_b = pair.b.new_stream().unwrap();
    assert_eq!(on_b.copy_peer_async(&mut theirs, slice).unwrap(), CopyPath::Direct);
    on_b.synchronize().unwrap();
    drop(range);
    pair.ends_clean();
}

/// Two devices at once, each in its part: no part waits for the other.
#[test]
fn parts_of_a_range_are_ordered_apart() {
    let pair = pair();
    let (part, ours, theirs) = (part_of(&pair), pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let slice = range.slice_mut::<u32>(&pair.a, ..).unwrap();
    let (mut first, second) = slice.split_at_mut(part / 4).unwrap();
    let mut second = second.for_device(&pair.b).unwrap();
    pair.kernels.delayed_store(&ours, ONE, &mut first, 1, 4 * SLOW_NS).unwrap();
    pair.kernels.delayed_store(&theirs, ONE, &mut second, 2, 0).unwrap();
    theirs.synchronize().unwrap();
    assert!(!ours.is_done().unwrap(), "the second part waited for the first");
    // A use of both parts waits for both.
    let mut found = vec![0u32; part / 4 + 1];
    theirs.copy_to_host(range.slice::<u32>(&pair.b, ..=part / 4).unwrap(), &mut found).unwrap();
    assert_eq!((found[0], found[part / 4]), (1, 2));
    drop(range);
    pair.ends_clean();
}

#[test]
fn what_a_device_may_not_use_is_refused() {
    let pair = pair();
    let part = part_of(&pair);
    let not_granted = Error::RangeNotGranted { accessor: 0, owner: 1 };
    let mut range = pair.runtime.reserve_virtual_range(3 * part).unwrap();
    assert!(!range.is_accessible_from(&pair.a).unwrap());
    assert_eq!(range.slice::<u8>(&pair.a, ..1).unwrap_err(), Error::NotMapped { start: 0, end: 1 });
    range.map(part, pair.b.alloc_physical_zeroed(part).unwrap()).unwrap();
    assert_eq!(range.slice::<u8>(&pair.a, ..).unwrap_err(), Error::NotMapped { start: 0, end: part });
    let word = part / 4..part / 4 + 1;
    assert_eq!(range.slice::<u32>(&pair.a, word.clone()).unwrap_err(), not_granted);
    // The owner needs access too.
    let owner = Error::RangeNotGranted { accessor: 1, owner: 1 };
    assert_eq!(range.slice::<u32>(&pair.b, word.clone()).unwrap_err(), owner);
    assert!(not_granted.to_string().contains("enable_access_from"), "{not_granted}");

    range.enable_access_from(&[pair.b]).unwrap();
    assert!(range.is_accessible_from(&pair.b).unwrap() && !range.is_accessible_from(&pair.a).unwrap());
    // By peer access it is not covered.
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let slice = range.slice::<u32>(&pair.b, word.clone()).unwrap();
    assert_eq!(access.slice(slice).unwrap_err(), not_granted);
    range.enable_access_from(&[pair.a]).unwrap();
    let mut ours = pair.a.alloc_zeroed::<u8>(4).unwrap();
    let stream = pair.a.new_stream().unwrap();
    let view = access.slice(range.slice::<u8>(&pair.b, part..part + 4).unwrap()).unwrap();
    pair.kernels.copy(&stream, ONE, &mut ours, view, 4).unwrap();
    assert_eq!(ours.to_vec().unwrap(), [0; 4]);

    // What is mapped later gets it too.
    range.map(0, pair.a.alloc_physical_zeroed(part).unwrap()).unwrap();
    assert!(range.slice::<u8>(&pair.a, ..2 * part).is_ok() && range.slice::<u8>(&pair.b, ..2 * part).is_ok());
    range.disable_access_from(&[pair.a]).unwrap();
    assert!(range.slice::<u8>(&pair.a, ..1).is_err() && range.slice::<u8>(&pair.b, ..2 * part).is_ok());
    access.disable().unwrap();
    drop(range);
    pair.ends_clean();
}

#[test]
fn mistakes_with_ranges_are_told_before_the_driver_is_asked() {
    let pair = pair();
    let part = part_of(&pair);
    assert!(matches!(pair.runtime.reserve_virtual_range(part + 1), Err(Error::Granularity { .. })));
    assert!(matches!(pair.runtime.reserve_virtual_range(0), Err(Error::Granularity { .. })));
    assert!(matches!(pair.a.alloc_physical_zeroed(7), Err(Error::Granularity { .. })));
    let mut range = pair.runtime.reserve_virtual_range(2 * part).unwrap();
    let memory = pair.a.alloc_physical_zeroed(2 * part).unwrap();
    let refused = range.map(part, memory).unwrap_err();
    assert_eq!(refused.error, Error::OutOfBounds { start: part, end: 3 * part, len: 2 * part });
    let refused = range.map(4, refused.memory).unwrap_err();
    assert!(matches!(refused.error, Error::Granularity { .. }));
    range.map(0, refused.memory).unwrap();
    let more = pair.b.alloc_physical_zeroed(part).unwrap();
    let refused = range.map(part, more).unwrap_err();
    assert_eq!(refused.error, Error::AlreadyMapped { start: 0, end: 2 * part });
    let inside = Error::InsideMapping { offset: part, start: 0, end: 2 * part };
    assert_eq!(range.unmap(part).unwrap_err(), inside);
    assert!(inside.to_string().contains("by its first byte, 0"), "{inside}");
    let back = range.unmap(0).unwrap();
    assert_eq!((back.device(), back.size_bytes()), (pair.a, 2 * part));
    let error = pair.a.alloc_physical_zeroed(1 << 46).unwrap_err();
    assert_eq!(error.class(), Some(ErrorClass::OutOfMemory), "{error}");
    drop((range, back));
    pair.ends_clean();
}

/// What is written stays when the memory moves to another place, and work on it is waited for.
#[test]
fn memory_that_is_unmapped_keeps_its_bytes() {
    let pair = pair();
    let (part, stream) = (part_of(&pair), pair.a.new_stream().unwrap());
    let mut range = shared_range(&pair);
    let mut word = range.slice_mut::<u32>(&pair.a, part / 4..part / 4 + 1).unwrap();
    pair.kernels.delayed_store(&stream, ONE, &mut word, 77, SLOW_NS).unwrap();
    let memory = range.unmap(part).unwrap();
    assert!(stream.is_done().unwrap(), "the kernel was not waited for");
    let mut other = pair.runtime.reserve_virtual_range(part).unwrap();
    other.map(0, memory).unwrap();
    other.enable_access_from(&[pair.a]).unwrap();
    let mut found = [0u32];
    stream.copy_to_host(other.slice::<u32>(&pair.a, ..1).unwrap(), &mut found).unwrap();
    assert_eq!(found, [77]);
    drop((range, other));
    pair.ends_clean();
}

/// It goes with its work done.
#[test]
fn dropping_a_range_does_not_wait() {
    let pair = pair();
    let stream = pair.a.new_stream().unwrap();
    let free = pair.b.memory_info().unwrap().free;
    let mut range = shared_range(&pair);
    let part = part_of(&pair);
    let mut word = range.slice_mut::<u32>(&pair.a, part / 4..part / 4 + 1).unwrap();
    pair.kernels.delayed_store(&stream, ONE, &mut word, 77, 4 * SLOW_NS).unwrap();
    drop(range);
    assert!(!stream.is_done().unwrap(), "the drop waited for the kernel");
    pair.a.synchronize().unwrap();
    // Given back: what is free is what was.
    drop(pair.a.alloc_zeroed::<u8>(1).unwrap());
    // Of a real device other processes take memory too.
    assert!(!pair.runtime.is_simulated() || pair.b.memory_info().unwrap().free >= free);
    pair.ends_clean();
}
