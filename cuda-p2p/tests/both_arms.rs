//! The safe layer where it is used: on GPUs if there are two, on a simulated pair otherwise. Peer access is a property of the
//! process, so one test runs at a time. Where a machine has GPUs that are no peers, the tests say so and fail: they are for
//! machines with a pair.

#[path = "common/pair.rs"]
mod pair;

use cuda_p2p::builtin::CheckResult;
use cuda_p2p::{CopyPath, Device, DeviceBuffer, Disabled, Error, LaunchConfig, PeerAccess, Stream};
use pair::pair;

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const MANY: LaunchConfig = LaunchConfig::new(8, 64);

fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(31) ^ (i >> 8) as u8 ^ seed).collect()
}

/// Copies `len` bytes between the devices at odd offsets, and looks at the bytes on both sides of the destination.
fn copy_and_look(from: Device, to: Device, stream: &Stream, len: usize, expected: Option<CopyPath>) {
    const BEFORE: usize = 5;
    const AFTER: usize = 11;
    let data = bytes(len + 3, 7);
    let source = from.alloc_from(&data).expect("memory");
    let mut destination: DeviceBuffer<u8> = to.alloc_from(&vec![0xee; BEFORE + len + AFTER]).expect("memory");
    let path = stream
        .copy_peer_async(
            destination.slice_mut(BEFORE..BEFORE + len).expect("inside"),
            source.slice(3..).expect("inside"),
        )
        .expect("copied");
    if let Some(expected) = expected {
        assert_eq!(path, expected, "{len} bytes");
    }
    let found = destination.to_vec().expect("read");
    assert!(
        found[..BEFORE].iter().chain(&found[BEFORE + len..]).all(|byte| *byte == 0xee),
        "canaries of {len} bytes"
    );
    assert!(found[BEFORE..BEFORE + len] == data[3..], "{len} bytes differ");
}

const SIZES: [usize; 9] = [0, 1, 3, 4095, 4097, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, (40 << 20) + 7];

#[test]
fn direct_copies_are_exact_at_every_size() {
    let pair = pair();
    let (access, back) = PeerAccess::enable_both(&pair.a, &pair.b).expect("enabled");
    let (on_a, on_b) = (pair.a.new_stream().expect("stream"), pair.b.new_stream().expect("stream"));
    for len in SIZES {
        // By a stream of the source's device, and by one of the destination's.
        copy_and_look(pair.b, pair.a, &on_a, len, Some(CopyPath::Direct));
        copy_and_look(pair.b, pair.a, &on_b, len, Some(CopyPath::Direct));
        copy_and_look(pair.a, pair.b, &on_a, len, Some(CopyPath::Direct));
    }
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
}

#[test]
fn staged_copies_are_exact_at_every_size() {
    let pair = pair();
    let (one, two) = (pair.a.new_stream().expect("stream"), pair.b.new_stream().expect("stream"));
    for len in SIZES {
        copy_and_look(pair.b, pair.a, &one, len, None);
        copy_and_look(pair.a, pair.b, &two, len, None);
    }
    let source = pair.a.alloc_zeroed::<u8>(1 << 20).expect("memory");
    let mut destination = pair.b.alloc_zeroed::<u8>(1 << 20).expect("memory");
    let path = one.copy_peer_async(&mut destination, &source).expect("copied");
    assert!(matches!(path, CopyPath::Staged { .. }), "without access: {path}");
}

#[test]
fn kernels_reach_the_peer_at_every_offset() {
    let pair = pair();
    let (access, back) = PeerAccess::enable_both(&pair.a, &pair.b).expect("enabled");
    let stream = pair.a.new_stream().expect("stream");
    let mut far = pair.b.alloc_zeroed::<u8>(4096).expect("memory");
    let mut near = pair.a.alloc_zeroed::<u8>(4096).expect("memory");
    let mut result = pair.a.alloc_from(&[CheckResult::CLEAN]).expect("memory");
    let mut compared = 0;
    for (len, offset) in [(0, 0), (1, 1), (15, 3), (16, 16), (17, 15), (1000, 19), (2049, 7)] {
        let range = offset..offset + len;
        // Pushed to the owner by a kernel of the accessor, pulled back by another, checked there.
        pair.kernels
            .fill(&stream, MANY, near.slice_mut(range.clone()).expect("inside"), len as u64, 99)
            .expect("filled");
        let target = access.slice_mut(far.slice_mut(range.clone()).expect("inside")).expect("reachable");
        pair.kernels
            .copy(&stream, MANY, target, near.slice(range.clone()).expect("inside"), len as u64)
            .expect("pushed");
        let source = access.slice(far.slice(range).expect("inside")).expect("reachable");
        pair.kernels.check(&stream, MANY, source, len as u64, 99, &mut result).expect("checked");
        compared += len as u64;
        let clean = CheckResult { compared, ..CheckResult::CLEAN };
        assert_eq!(result.to_vec().expect("read"), [clean], "{len} bytes at {offset}");
    }
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
}

#[test]
fn streams_of_two_devices_are_in_order_by_themselves() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).expect("enabled");
    let (on_a, on_b) = (pair.a.new_stream().expect("stream"), pair.b.new_stream().expect("stream"));
    let mut far = pair.b.alloc_zeroed::<u32>(1).expect("memory");
    let mut near = pair.a.alloc_zeroed::<u32>(1).expect("memory");
    for round in 1..=10 {
        // Late writes: without a wait, the copy and the read would see the value of the round before.
        pair.kernels.delayed_store(&on_b, ONE, &mut far, round, 3_000_000).expect("launched");
        on_a.copy_peer_async(&mut near, &far).expect("copied");
        assert_eq!(near.to_vec().expect("read"), [round]);
        let view = access.slice_mut(&mut far).expect("reachable");
        pair.kernels.delayed_store(&on_a, ONE, view, round + 100, 3_000_000).expect("launched");
        let mut found = [0];
        on_b.copy_to_host(&far, &mut found).expect("read");
        assert_eq!(found, [round + 100]);
    }
    access.disable().expect("nobody uses it");
}

#[test]
fn memory_dropped_in_use_is_freed_after_the_use() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).expect("enabled");
    let stream = pair.a.new_stream().expect("stream");
    for _ in 0..20 {
        let mut far = pair.b.alloc_zeroed::<u32>(1 << 20).expect("memory");
        let view = access.slice_mut(&mut far).expect("reachable");
        pair.kernels.delayed_store(&stream, ONE, view, 1, 2_000_000).expect("launched");
        drop(far);
    }
    stream.synchronize().expect("no kernel met freed memory");
    access.disable().expect("nobody uses it");
    assert_eq!(pair.runtime.deferred_errors(), []);
}

#[test]
fn flags_go_both_ways() {
    let pair = pair();
    let (access, back) = PeerAccess::enable_both(&pair.a, &pair.b).expect("enabled");
    let (on_a, on_b) = (pair.a.new_stream().expect("stream"), pair.b.new_stream().expect("stream"));
    let mut flag_a = pair.a.alloc_zeroed::<u32>(1).expect("memory");
    let mut flag_b = pair.b.alloc_zeroed::<u32>(1).expect("memory");
    let mut status_a = pair.a.alloc_from(&[u32::MAX]).expect("memory");
    let mut status_b = pair.b.alloc_from(&[u32::MAX]).expect("memory");
    const ROUNDS: u32 = 1000;
    const TIMEOUT_NS: u64 = 5_000_000_000;
    pair.a.synchronize().expect("idle");
    pair.b.synchronize().expect("idle");
    // SAFETY: the two kernels are to run at once, and the order between them is what the flags make.
    unsafe {
        let (mine, theirs) =
            (flag_a.as_slice_mut().unordered(), access.slice_mut(&mut flag_b).expect("b").unordered());
        pair.kernels
            .ping_pong(&on_a, ONE, mine, theirs, ROUNDS, 0, TIMEOUT_NS, &mut status_a)
            .expect("launched");
        let (mine, theirs) =
            (flag_b.as_slice_mut().unordered(), back.slice_mut(&mut flag_a).expect("a").unordered());
        pair.kernels
            .ping_pong(&on_b, ONE, mine, theirs, ROUNDS, 1, TIMEOUT_NS, &mut status_b)
            .expect("launched");
    }
    assert_eq!((status_a.to_vec().expect("read"), status_b.to_vec().expect("read")), (vec![0], vec![0]));
    access.disable().expect("nobody uses it");
    back.disable().expect("nobody uses it");
}

#[test]
fn a_game_without_a_partner_ends() {
    let pair = pair();
    let stream = pair.a.new_stream().expect("stream");
    let mut flags = pair.a.alloc_zeroed::<u32>(2).expect("memory");
    let mut status = pair.a.alloc_from(&[u32::MAX]).expect("memory");
    let (mine, theirs) = flags.as_slice_mut().split_at_mut(1).expect("inside");
    pair.kernels.ping_pong(&stream, ONE, mine, theirs, 10, 0, 20_000_000, &mut status).expect("launched");
    assert_eq!(status.to_vec().expect("read"), [1], "the first round timed out");
}

#[test]
fn mistakes_are_errors_before_anything_runs() {
    let pair = pair();
    let access = pair.a.enable_peer_access(&pair.b).expect("enabled");
    let (on_a, on_b) = (pair.a.new_stream().expect("stream"), pair.b.new_stream().expect("stream"));
    let far = pair.b.alloc_zeroed::<f32>(8).expect("memory");
    let mut near = pair.a.alloc_zeroed::<f32>(8).expect("memory");
    let mut short = pair.a.alloc_zeroed::<f32>(7).expect("memory");

    // A view of the owner's memory for another accessor; plain memory of the wrong device; sizes that differ; a count past the end.
    let view = access.slice(&far).expect("reachable");
    let wrong = pair.kernels.add_f32(&on_b, ONE, &mut near, view, 8).expect_err("not the stream's device");
    assert!(matches!(wrong, Error::WrongDevice { .. }), "{wrong}");
    let wrong = pair.kernels.add_f32(&on_a, ONE, &mut near, &far, 8).expect_err("not a view");
    assert!(matches!(wrong, Error::WrongDevice { expected: 0, found: 1, .. }), "{wrong}");
    let wrong = on_a.copy_peer_async(&mut short, &far).expect_err("7 and 8");
    assert!(wrong.to_string().contains('7') && wrong.to_string().contains('8'), "{wrong}");
    assert!(pair.kernels.add_f32(&on_a, ONE, &mut near, access.slice(&far).expect("reachable"), 9).is_err());
    assert!(matches!(pair.runtime.device(99), Err(Error::NoSuchDevice { ordinal: 99, .. })));
    assert!(near.slice(3..9).is_err());
    assert!(pair.a.enable_peer_access(&pair.a).is_err());

    // Nothing of that left a trace: the right call works, and the token can go.
    pair.kernels.add_f32(&on_a, ONE, &mut near, access.slice(&far).expect("reachable"), 8).expect("right");
    let second = access.clone();
    let refused = access.disable().expect_err("another token lives");
    drop(second);
    assert_eq!(refused.access.disable().expect("the last one"), Disabled::Disabled);
}
