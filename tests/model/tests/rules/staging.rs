//! Copies through the host: the pinned buffers between the two engines, and what waits for what. (That both ends are in order
//! with other streams is in `order`.)

use std::time::Duration;

use cuda_p2p::{CopyPath, CopyRoute, Disabled, StagedReason};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW, STRANGERS};

/// Nanoseconds of a kernel that outlasts what other streams do meanwhile.
const LONG: u64 = 100_000_000;

const STAGED: CopyPath = CopyPath::Staged { reason: StagedReason::NotReachable };

#[test]
fn a_buffer_goes_up_after_it_is_filled() {
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let source = b.alloc_from(&[7u8; 64]).unwrap();
        let mut destination = a.alloc_zeroed::<u8>(64).unwrap();
        assert_eq!(stream.copy_peer_async(&mut destination, &source).unwrap(), STAGED);
        assert_eq!(destination.to_vec().unwrap(), [7; 64]);
    });
}

/// One copy of more chunks than there are buffers, each chunk of other bytes.
#[test]
fn a_buffer_is_filled_again_after_it_went_up() {
    const LEN: u32 = 1 << 20;
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let words: Vec<u32> = (0..LEN).collect();
        let source = b.alloc_from(&words).unwrap();
        let mut destination = a.alloc_zeroed::<u32>(words.len()).unwrap();
        stream.copy_peer_async(&mut destination, &source).unwrap();
        assert!(destination.to_vec().unwrap() == words);
    });
}

/// The owner's half is done when it is asked for what can be freed; the other half, on the accessor's device, need not be.
#[test]
fn buffers_are_freed_after_the_copies_through_them() {
    const LEN: u32 = 1 << 19;
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let words: Vec<u32> = (0..LEN).collect();
        let source = b.alloc_from(&words).unwrap();
        let mut destination = a.alloc_zeroed::<u32>(words.len()).unwrap();
        assert_eq!(stream.copy_peer_async(&mut destination, &source).unwrap(), STAGED);
        world.runtime.free_staging().unwrap();
        b.synchronize().unwrap();
        // What is pinned next may get the same address.
        let next = a.alloc_pinned_from(&vec![9u8; 1 << 20]).unwrap();
        assert!(destination.to_vec().unwrap() == words);
        assert!(next.read().unwrap().iter().all(|byte| *byte == 9));
    });
}

#[test]
fn a_copy_does_not_wait_for_that_of_another_stream() {
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let (late, early) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let source = b.alloc_from(&[7u8; 64]).unwrap();
        let [mut first, mut second] = [(); 2].map(|()| a.alloc_zeroed::<u8>(64).unwrap());
        // On a busy machine the kernel is over before both copies are made: that says nothing.
        let mut overtaken = [LONG, 8 * LONG, 64 * LONG].into_iter().map(|took| {
            a.synchronize().unwrap();
            world.kernels.delay(&late, ONE, took).unwrap();
            late.copy_peer_async(&mut first, &source).unwrap();
            early.copy_peer_async(&mut second, &source).unwrap();
            early.synchronize().unwrap();
            !late.is_done().unwrap()
        });
        assert!(overtaken.any(|before| before), "the second copy waited for the first");
        assert_eq!([first, second].map(|it| it.to_vec().unwrap()), [[7; 64]; 2]);
    });
}

/// What the driver would do with access that goes while its copy runs, nobody says.
#[test]
fn a_copy_that_is_left_to_the_driver_does_not_take_access_that_goes() {
    under_seeds(PAIR, |world| {
        // On a busy machine the kernel is over before the copy is made, or the other thread has not asked yet: that says nothing.
        let not_enabled = Some(CopyPath::Staged { reason: StagedReason::NotEnabled });
        let mut copies =
            [LONG, 8 * LONG, 64 * LONG].into_iter().map(|took| left_to_the_driver_meanwhile(world, took));
        assert!(copies.any(|path| path == not_enabled), "over, or another way, each time");
    });
}

/// Leaves a copy to the driver while access waits for a kernel to go. The way that it took, if the kernel took longer.
fn left_to_the_driver_meanwhile(world: &World, took: u64) -> Option<CopyPath> {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    let (busy, stream) = (a.new_stream().unwrap(), a.new_stream().unwrap());
    let source = b.alloc_from(&[7u8; 64]).unwrap();
    let mut destination = a.alloc_zeroed::<u8>(64).unwrap();
    let access = a.enable_peer_access(&b).unwrap();
    world.kernels.delay(&busy, ONE, took).unwrap();
    let path = std::thread::scope(|scope| {
        let waits = scope.spawn(|| access.disable());
        // Long enough, mostly, for the other thread to be where it waits for the kernel.
        std::thread::sleep(Duration::from_nanos(took / 4));
        let path = stream.copy_peer_async_by(CopyRoute::Driver, &mut destination, &source).unwrap();
        let runs = !busy.is_done().unwrap();
        assert_eq!(waits.join().unwrap().unwrap(), Disabled::Disabled);
        runs.then_some(path)
    });
    assert_eq!(destination.to_vec().unwrap(), [7; 64]);
    path
}

/// What was put into the caller's stream before, without any memory in common that the crate could see, comes first: here a wait
/// for an event.
#[test]
fn a_copy_starts_after_the_callers_stream_got_there() {
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let (stream, writer) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut source = b.alloc_zeroed::<u32>(1).unwrap();
        let mut destination = a.alloc_zeroed::<u32>(1).unwrap();
        // The first copy of a pair allocates for a while; the write would be done by then.
        stream.copy_peer_async(&mut destination, &source).unwrap();
        source.to_vec().unwrap();
        destination.to_vec().unwrap();
        let written = b.new_event_untimed().unwrap();
        world.kernels.delayed_store(&writer, ONE, source.as_slice_mut(), 7, 20 * SLOW).unwrap();
        writer.record(&written).unwrap();
        stream.wait_event(&written).unwrap();
        // SAFETY: the stream waits for the event behind the write.
        let ordered = unsafe { source.as_slice().unordered() };
        stream.copy_peer_async(&mut destination, ordered).unwrap();
        assert_eq!(destination.to_vec().unwrap(), [7]);
    });
}

/// What is put into the caller's stream afterwards waits for the copy.
#[test]
fn the_callers_stream_goes_on_after_the_copy() {
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let source = b.alloc_from(&[7u8; 64]).unwrap();
        let mut destination = a.alloc_zeroed::<u8>(64).unwrap();
        let mut seen = a.alloc_zeroed::<u8>(64).unwrap();
        stream.copy_peer_async(&mut destination, &source).unwrap();
        stream.copy_async(&mut seen, &destination).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}
