//! Copies by kernels are exact at every size and alignment, pushed and pulled, within a cap on their blocks and without, and touch
//! nothing beside the range. Which device does it follows what is asked for, and the access that is enabled. Says nothing of speed.

mod common;

use common::{isolated, pair};
use cuda_p2p::{
    Device, Error, KernelCopied, KernelCopy, KernelCopyDirection, KernelCopyOptions, KernelCopySide,
    PeerAccess, Stream,
};

const CANARY: u8 = 0xc3;
/// Bytes on both sides of a range.
const MARGIN: usize = 64;

/// Copies `bytes` bytes between offsets that differ by `skew`, and looks at all of the destination.
fn exact(
    copy: &KernelCopy,
    stream: &Stream,
    (from, to): (Device, Device),
    (bytes, skew): (usize, usize),
    options: KernelCopyOptions,
) -> KernelCopied {
    let data: Vec<u8> = (0..bytes + 2 * MARGIN).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    let source = from.alloc_from(&data).unwrap();
    let mut destination = to.alloc_from(&vec![CANARY; bytes + 2 * MARGIN]).unwrap();
    let copied = copy
        .copy_peer_async(
            stream,
            destination.slice_mut(MARGIN..MARGIN + bytes).unwrap(),
            source.slice(skew..skew + bytes).unwrap(),
            options,
        )
        .unwrap();
    // The source goes away while the copy may still run.
    drop(source);
    let arrived = destination.to_vec().unwrap();
    assert!(arrived[MARGIN..MARGIN + bytes] == data[skew..skew + bytes], "{bytes} bytes, {copied:?}");
    let beside = arrived[..MARGIN].iter().chain(&arrived[MARGIN + bytes..]);
    assert!(beside.copied().all(|byte| byte == CANARY), "{bytes} bytes, {copied:?}");
    copied
}

#[test]
fn every_size_and_alignment_arrives() {
    let (runtime, a, b) = pair();
    let copy = KernelCopy::load(&runtime).unwrap();
    let _access = PeerAccess::enable_both(&a, &b).unwrap();
    let stream = a.new_stream().unwrap();
    for bytes in [0, 1, 3, 15, 16, 17, 4095, 4097, 100_003] {
        for skew in [0, 1, 16, 24] {
            for max_blocks in [None, Some(1), Some(3)] {
                let options = KernelCopyOptions { max_blocks, ..KernelCopyOptions::default() };
                for (from, to) in [(a, b), (b, a)] {
                    let copied = exact(&copy, &stream, (from, to), (bytes, skew), options);
                    assert!(max_blocks.is_none_or(|most| copied.blocks <= most), "{copied:?}");
                }
            }
        }
    }
    assert_eq!(runtime.deferred_errors(), []);
}

/// Even if there is nothing to copy.
#[test]
fn a_copy_of_no_blocks_is_refused() {
    let (runtime, a, b) = pair();
    let copy = KernelCopy::load(&runtime).unwrap();
    let stream = a.new_stream().unwrap();
    let options = KernelCopyOptions { max_blocks: Some(0), ..KernelCopyOptions::default() };
    for len in [0, 64] {
        let (from, mut to) = (a.alloc_zeroed::<u8>(len).unwrap(), a.alloc_zeroed::<u8>(len).unwrap());
        assert_eq!(copy.copy_async(&stream, &mut to, &from, options).unwrap_err(), Error::NoBlocks);
        let theirs = b.alloc_zeroed::<u8>(len).unwrap();
        assert_eq!(copy.copy_peer_async(&stream, &mut to, &theirs, options).unwrap_err(), Error::NoBlocks);
    }
}

#[test]
fn a_large_copy_arrives_from_both_sides() {
    let (runtime, a, b) = pair();
    let copy = KernelCopy::load(&runtime).unwrap();
    let _access = PeerAccess::enable_both(&a, &b).unwrap();
    let large = (4 << 20) + 5;
    for side in [KernelCopySide::Source, KernelCopySide::Destination, KernelCopySide::Either] {
        for device in [a, b] {
            let stream = device.new_stream().unwrap();
            let options = KernelCopyOptions { side, max_blocks: Some(8) };
            let copied = exact(&copy, &stream, (b, a), (large, 0), options);
            let pulls = side == KernelCopySide::Destination;
            assert_eq!(copied.direction == KernelCopyDirection::Pull, pulls, "{side:?} {copied:?}");
        }
    }
}

#[test]
fn the_side_follows_the_access_and_the_stream() {
    isolated("the_side_follows_the_access_and_the_stream", &[], || {
        let (runtime, a, b) = pair();
        let copy = KernelCopy::load(&runtime).unwrap();
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let (mut to, from) = (a.alloc_zeroed::<u8>(64).unwrap(), b.alloc_zeroed::<u8>(64).unwrap());
        let mut by = |stream: &Stream, side| {
            let options = KernelCopyOptions { side, ..KernelCopyOptions::default() };
            copy.copy_peer_async(stream, &mut to, &from, options).map(|copied| copied.direction)
        };
        use KernelCopyDirection::{Pull, Push};
        use KernelCopySide::{Destination, Either, Source};
        let none = Error::NoDirectPath { source_device: 1, destination_device: 0 };
        assert_eq!(by(&on_a, Either), Err(none.clone()));
        let reads = a.enable_peer_access(&b).unwrap();
        assert_eq!(by(&on_a, Either), Ok(Pull));
        assert_eq!(by(&on_b, Either), Ok(Pull));
        assert_eq!(by(&on_b, Source), Err(none.clone()));
        let writes = b.enable_peer_access(&a).unwrap();
        assert_eq!(by(&on_a, Either), Ok(Pull));
        assert_eq!(by(&on_b, Either), Ok(Push));
        assert_eq!(by(&on_a, Source), Ok(Push));
        reads.disable().unwrap();
        assert_eq!(by(&on_a, Either), Ok(Push));
        assert_eq!(by(&on_a, Destination), Err(none));
        writes.disable().unwrap();
    });
}

#[test]
fn views_say_who_does_it() {
    let (runtime, a, b) = pair();
    let copy = KernelCopy::load(&runtime).unwrap();
    let access = a.enable_peer_access(&b).unwrap();
    let stream = a.new_stream().unwrap();
    let options = KernelCopyOptions::default();
    let data: Vec<u32> = (0..5000).collect();
    let mut theirs = b.alloc_from(&data).unwrap();
    let (mut here, mut there) = (a.alloc_zeroed::<u32>(5000).unwrap(), a.alloc_zeroed::<u32>(5000).unwrap());
    let pulled = copy.copy_async(&stream, &mut here, access.slice(&theirs).unwrap(), options).unwrap();
    let within = copy.copy_async(&stream, &mut there, &here, options).unwrap();
    assert!(there.to_vec().unwrap() == data);
    let twos = a.alloc_from(&vec![2u32; 5000]).unwrap();
    let pushed = copy.copy_async(&stream, access.slice_mut(&mut theirs).unwrap(), &twos, options).unwrap();
    assert!(theirs.to_vec().unwrap() == [2; 5000]);
    let directions = [pulled, within, pushed].map(|copied| copied.direction);
    assert_eq!(
        directions,
        [KernelCopyDirection::Pull, KernelCopyDirection::Within, KernelCopyDirection::Push]
    );
    let error = copy.copy_async(&b.new_stream().unwrap(), &mut here, &there, options).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
}
