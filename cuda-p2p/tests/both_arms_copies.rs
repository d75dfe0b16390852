//! Copies by every way, through the host, by views and by kernels, where they are used: on GPUs if there are two, on a simulated
//! pair otherwise. As in `both_arms.rs`, one test runs at a time, and the machine has to have a pair of peers. Says nothing of speed.

#[path = "common/pair.rs"]
mod pair;

use cuda_p2p::builtin::{CheckResult, Kernels};
use cuda_p2p::{
    CopyPath, CopyRoute, Device, DeviceBuffer, KernelCopied, KernelCopy, KernelCopyDirection,
    KernelCopyOptions, KernelCopySide, LaunchConfig, PeerAccess, StagedReason, Stream,
};
use pair::pair;

/// The smallest and the largest chunk of a staged copy.
const CHUNK: usize = 256 << 10;
const LARGEST: usize = 4 << 20;
const CANARY: u8 = 0xc3;
/// Bytes on both sides of a range.
const MARGIN: usize = 67;

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect()
}

/// Copies `len` bytes by `copy` from one offset to another, and looks at all of the destination.
fn exact<R>(
    from: Device,
    to: Device,
    len: usize,
    skew: usize,
    copy: impl FnOnce(&mut DeviceBuffer<u8>, &DeviceBuffer<u8>) -> R,
) -> R {
    let data = bytes(len + 2 * MARGIN);
    let source = from.alloc_from(&data).unwrap();
    let mut destination = to.alloc_from(&vec![CANARY; len + 2 * MARGIN]).unwrap();
    let copied = copy(&mut destination, &source);
    // The source goes away while the copy may still run.
    drop(source);
    let arrived = destination.to_vec().unwrap();
    assert!(arrived[MARGIN..MARGIN + len] == data[skew..skew + len], "{len} bytes from {skew}");
    let beside = arrived[..MARGIN].iter().chain(&arrived[MARGIN + len..]);
    assert!(beside.copied().all(|byte| byte == CANARY), "{len} bytes from {skew}");
    copied
}

#[test]
fn staged_copies_are_exact_at_every_size_on_either_stream() {
    let pair = pair();
    let staged = CopyPath::Staged { reason: StagedReason::Asked };
    for device in [pair.a, pair.b] {
        let stream = device.new_stream().unwrap();
        for len in
            [0, 1, 3, 4095, 4097, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7, LARGEST + 1, 5 * LARGEST + 7]
        {
            let path = exact(pair.b, pair.a, len, MARGIN - 2, |to, from| {
                let (to, from) =
                    (to.slice_mut(MARGIN..MARGIN + len), from.slice(MARGIN - 2..MARGIN - 2 + len));
                stream.copy_peer_async_by(CopyRoute::Staged, to.unwrap(), from.unwrap()).unwrap()
            });
            assert_eq!(path, staged);
        }
    }
    assert!(pair.runtime.staging_bytes().unwrap() <= pair.runtime.staging_limit());
    pair.runtime.free_staging().unwrap();
    assert_eq!(pair.runtime.staging_bytes().unwrap(), 0);
    assert_eq!(pair.runtime.deferred_errors(), []);
}

#[test]
fn two_streams_stage_both_ways_at_once() {
    let pair = pair();
    std::thread::scope(|scope| {
        for (from, to) in [(pair.a, pair.b), (pair.b, pair.a), (pair.a, pair.b)] {
            scope.spawn(move || {
                let stream = to.new_stream().unwrap();
                for len in [4097, CHUNK + 1, 3 * LARGEST] {
                    exact(from, to, len, 5, |to, from| {
                        let (to, from) = (to.slice_mut(MARGIN..MARGIN + len), from.slice(5..5 + len));
                        stream.copy_peer_async_by(CopyRoute::Staged, to.unwrap(), from.unwrap()).unwrap();
                    });
                }
            });
        }
    });
    assert_eq!(pair.runtime.deferred_errors(), []);
}

#[test]
fn the_driver_direct_and_views_arrive() {
    let pair = pair();
    let stream = pair.a.new_stream().unwrap();
    let len = LARGEST + 3;
    let by = |route| {
        exact(pair.b, pair.a, len, 9, |to, from| {
            let (to, from) = (to.slice_mut(MARGIN..MARGIN + len), from.slice(9..9 + len));
            stream.copy_peer_async_by(route, to.unwrap(), from.unwrap()).unwrap()
        })
    };
    assert_eq!(by(CopyRoute::Driver), CopyPath::StagedByDriver { reason: StagedReason::NotEnabled });
    assert_eq!(by(CopyRoute::Best), CopyPath::Staged { reason: StagedReason::NotEnabled });
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    for route in [CopyRoute::Driver, CopyRoute::Direct, CopyRoute::Best] {
        assert_eq!(by(route), CopyPath::Direct);
    }
    for stream in [pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap()] {
        exact(pair.b, pair.a, len, 9, |to, from| {
            let (to, from) = (to.slice_mut(MARGIN..MARGIN + len).unwrap(), from.slice(9..9 + len).unwrap());
            stream.copy_from_peer_async(to, access.slice(from).unwrap()).unwrap();
        });
        exact(pair.a, pair.b, len, 9, |to, from| {
            let (to, from) = (to.slice_mut(MARGIN..MARGIN + len).unwrap(), from.slice(9..9 + len).unwrap());
            stream.copy_to_peer_async(access.slice_mut(to).unwrap(), from).unwrap();
        });
    }
    access.disable().unwrap();
    assert_eq!(pair.runtime.deferred_errors(), []);
}

fn by_kernel(
    copy: &KernelCopy,
    stream: &Stream,
    len: usize,
    skew: usize,
    options: KernelCopyOptions,
) -> KernelCopied {
    let (a, b) = (stream.device().runtime().device(0).unwrap(), stream.device().runtime().device(1).unwrap());
    exact(b, a, len, skew, |to, from| {
        let (to, from) = (to.slice_mut(MARGIN..MARGIN + len).unwrap(), from.slice(skew..skew + len).unwrap());
        copy.copy_peer_async(stream, to, from, options).unwrap()
    })
}

#[test]
fn kernel_copies_are_exact_at_every_size_and_alignment() {
    let pair = pair();
    let copy = KernelCopy::load(&pair.runtime).unwrap();
    let (there, back) = PeerAccess::enable_both(&pair.a, &pair.b).unwrap();
    for stream in [pair.a.new_stream().unwrap(), pair.b.new_stream().unwrap()] {
        for len in [0, 1, 3, 15, 16, 17, 4095, 4097, 100_003] {
            // The first has the destination's alignment.
            for skew in [MARGIN, MARGIN - 1, MARGIN - 16, 0] {
                by_kernel(&copy, &stream, len, skew, KernelCopyOptions::default());
            }
        }
    }
    there.disable().unwrap();
    back.disable().unwrap();
}

/// Sizes at which bulk copies are used, with chunks that are whole and not, and with fewer chunks than blocks and more.
#[test]
fn large_kernel_copies_are_exact_from_both_sides_and_within_a_cap() {
    let pair = pair();
    let copy = KernelCopy::load(&pair.runtime).unwrap();
    let (there, back) = PeerAccess::enable_both(&pair.a, &pair.b).unwrap();
    let real = !pair.runtime.is_simulated();
    let bulk_here = pair.a.compute_capability().unwrap() >= (9, 0);
    // A simulated block is slow.
    let lens: &[usize] =
        if real { &[4 << 20, (4 << 20) + 5, (64 << 20) + 16 * 1024 - 1] } else { &[4 << 20, (4 << 20) + 5] };
    for side in [KernelCopySide::Source, KernelCopySide::Destination, KernelCopySide::Either] {
        for device in [pair.a, pair.b] {
            let stream = device.new_stream().unwrap();
            for &len in lens {
                for max_blocks in [None, Some(1), Some(7), Some(20)] {
                    let options = KernelCopyOptions { side, max_blocks };
                    let copied = by_kernel(&copy, &stream, len, MARGIN, options);
                    assert_eq!(copied.bulk, bulk_here, "{copied:?}");
                    assert!(max_blocks.is_none_or(|most| copied.blocks <= most), "{copied:?}");
                    let pulls = side == KernelCopySide::Destination;
                    assert_eq!(copied.direction == KernelCopyDirection::Pull, pulls, "{side:?} {copied:?}");
                    // Unlike alignments leave bulk copies no way.
                    assert!(!by_kernel(&copy, &stream, len, MARGIN - 1, options).bulk);
                }
            }
        }
    }
    there.disable().unwrap();
    back.disable().unwrap();
    assert_eq!(pair.runtime.deferred_errors(), []);
}

/// The whole of a large range, by the kernel that compares: what bulk copies of many chunks a block could mix up.
#[test]
fn a_large_kernel_copy_of_views_is_exact_to_the_last_byte() {
    let pair = pair();
    let (copy, kernels) = (KernelCopy::load(&pair.runtime).unwrap(), Kernels::load(&pair.runtime).unwrap());
    let len: usize = if pair.runtime.is_simulated() { (4 << 20) + 48 } else { (256 << 20) + 48 };
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let shape =
        if pair.runtime.is_simulated() { LaunchConfig::new(4, 32) } else { LaunchConfig::new(256, 256) };
    let stream = pair.a.new_stream().unwrap();
    let mut theirs = pair.b.alloc_zeroed::<u8>(len).unwrap();
    let mut ours = pair.a.alloc_zeroed::<u8>(len).unwrap();
    let mut back = pair.a.alloc_zeroed::<u8>(len).unwrap();
    let options = KernelCopyOptions::default();
    kernels.fill(&stream, shape, &mut ours, len as u64, 7).unwrap();
    let pushed = copy.copy_async(&stream, access.slice_mut(&mut theirs).unwrap(), &ours, options).unwrap();
    let pulled = copy.copy_async(&stream, &mut back, access.slice(&theirs).unwrap(), options).unwrap();
    assert_eq!([pushed.direction, pulled.direction], [KernelCopyDirection::Push, KernelCopyDirection::Pull]);
    for (memory, on) in [(&theirs, pair.b), (&back, pair.a)] {
        let stream = on.new_stream().unwrap();
        let mut found = on.alloc_from(&[CheckResult::CLEAN]).unwrap();
        kernels.check(&stream, shape, memory, len as u64, 7, &mut found).unwrap();
        assert!(found.to_vec().unwrap()[0].is_clean(len as u64), "{:?}", found.to_vec());
    }
    access.disable().unwrap();
}
