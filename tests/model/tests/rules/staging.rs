//! Copies through the host: the pinned buffers between the two engines, and what waits for what. (That both ends are in order
//! with other streams is in `order`.)

use cuda_p2p::{CopyPath, StagedReason};
use cuda_p2p_model::under_seeds;

use crate::{ONE, SLOW, STRANGERS};

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

/// Two copies that nothing else orders: the second takes the buffer that the first goes through. Large ones, so that the first is
/// still on its way up.
#[test]
fn a_buffer_is_filled_again_after_it_went_up() {
    const LEN: usize = 1 << 18;
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let streams = [a.new_stream().unwrap(), b.new_stream().unwrap()];
        let sources = [1u32, 2].map(|word| b.alloc_from(&vec![word; LEN]).unwrap());
        let mut destinations = [(); 2].map(|()| a.alloc_zeroed::<u32>(LEN).unwrap());
        for ((stream, source), destination) in streams.iter().zip(&sources).zip(&mut destinations) {
            stream.copy_peer_async(destination, source).unwrap();
        }
        for (word, destination) in (1..).zip(destinations) {
            assert!(destination.to_vec().unwrap() == vec![word; LEN]);
        }
    });
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
