//! Work of different streams on the same memory is in order.

use cuda_p2p_model::under_seeds;

use crate::{ONE, PAIR, SLOW};

#[test]
fn a_read_waits_for_the_writes_of_other_streams() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&writer, ONE, &mut memory, 7, SLOW).unwrap();
        reader.copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}

#[test]
fn a_write_waits_for_the_reads_of_other_streams() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (reader, writer) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delay(&reader, ONE, SLOW).unwrap();
        reader.copy_async(&mut seen, &memory).unwrap();
        writer.fill_bytes_async(&mut memory, 0xff).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [1]);
    });
}

#[test]
fn a_write_waits_for_the_writes_of_other_streams() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&first, ONE, &mut memory, 1, SLOW).unwrap();
        world.kernels.delayed_store(&second, ONE, &mut memory, 2, 0).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [2]);
    });
}

/// That a stream was ordered behind another says nothing of what the other does later.
#[test]
fn a_stream_that_was_ordered_once_is_ordered_again() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = [(); 3].map(|()| device.alloc_zeroed::<u32>(1).unwrap());
        for (value, seen) in (1..).zip(&mut seen) {
            world.kernels.delayed_store(&writer, ONE, &mut memory, value, SLOW).unwrap();
            reader.copy_async(seen, &memory).unwrap();
        }
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[1], [2], [3]]);
    });
}

/// The same where the later write was put behind the read by hand, so that the crate still remembers the reader.
#[test]
fn a_stream_that_was_ordered_once_is_ordered_behind_later_writes() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let mut seen = [(); 2].map(|()| device.alloc_zeroed::<u32>(1).unwrap());
        let [before, after] = &mut seen;
        let read = device.new_event_untimed().unwrap();
        reader.copy_async(before, &memory).unwrap();
        reader.record(&read).unwrap();
        writer.wait_event(&read).unwrap();
        // SAFETY: the writer waits for the event behind the read.
        let ordered = unsafe { memory.as_slice_mut().unordered() };
        world.kernels.delayed_store(&writer, ONE, ordered, 2, SLOW).unwrap();
        reader.copy_async(after, &memory).unwrap();
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[1], [2]]);
    });
}

#[test]
fn a_read_of_the_writer_does_not_hide_its_write() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (writer, reader) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = [(); 2].map(|()| device.alloc_zeroed::<u32>(1).unwrap());
        world.kernels.delayed_store(&writer, ONE, &mut memory, 7, SLOW).unwrap();
        writer.copy_async(&mut seen[0], &memory).unwrap();
        reader.copy_async(&mut seen[1], &memory).unwrap();
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[7], [7]]);
    });
}

/// Three streams: who waits for the second waits for the first with it.
#[test]
fn a_read_waits_for_a_chain_of_writes() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 3].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(2).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(2).unwrap();
        world.kernels.delayed_store(&streams[0], ONE, memory.slice_mut(..1).unwrap(), 1, SLOW).unwrap();
        world.kernels.delayed_store(&streams[1], ONE, memory.slice_mut(1..).unwrap(), 2, SLOW).unwrap();
        streams[2].copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [1, 2]);
    });
}

/// A stream's own write does not put it behind what others wrote meanwhile: two threads, say, on two halves.
#[test]
fn a_write_of_ones_own_does_not_stand_for_those_of_others() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 2].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u32>(2).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(2).unwrap();
        memory.to_vec().unwrap();
        for (value, stream) in (1..).zip(&streams) {
            let half = if value == 1 { memory.slice_mut(..1) } else { memory.slice_mut(1..) };
            // SAFETY: the two halves share no byte.
            let half = unsafe { half.unwrap().unordered() };
            let ns = if value == 1 { 20 * SLOW } else { 0 };
            world.kernels.delayed_store(stream, ONE, half, value, ns).unwrap();
        }
        streams[1].copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [1, 2]);
    });
}

#[test]
fn the_accessor_sees_what_the_owner_wrote_and_the_owner_what_the_accessor_wrote() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        let mut ours = a.alloc_zeroed::<u8>(4).unwrap();
        world.kernels.delayed_store(&on_b, ONE, &mut theirs, 0x0101_0101, SLOW).unwrap();
        let view = access.slice(theirs.as_slice().cast::<u8>().unwrap()).unwrap();
        world.kernels.copy(&on_a, ONE, &mut ours, view, 4).unwrap();
        world.kernels.delayed_store(&on_a, ONE, access.slice_mut(&mut theirs).unwrap(), 9, SLOW).unwrap();
        let mut found = [0];
        on_b.copy_to_host(&theirs, &mut found).unwrap();
        assert_eq!((ours.to_vec().unwrap(), found), (vec![1; 4], [9]));
    });
}

#[test]
fn a_direct_copy_is_ordered_at_both_ends() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let _access = a.enable_peer_access(&b).unwrap();
        peer_copy_is_ordered(world);
    });
}

#[test]
fn a_staged_copy_is_ordered_at_both_ends() {
    under_seeds(PAIR, peer_copy_is_ordered);
}

/// The source is written before and after, the destination before and after.
fn peer_copy_is_ordered(world: &cuda_p2p_model::World) {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    let (on_a, on_b, copier) = (a.new_stream().unwrap(), b.new_stream().unwrap(), a.new_stream().unwrap());
    let mut source = b.alloc_zeroed::<u32>(8).unwrap();
    let mut destination = a.alloc_zeroed::<u32>(8).unwrap();
    on_b.fill_bytes_async(&mut source, 1).unwrap();
    on_a.fill_bytes_async(&mut destination, 2).unwrap();
    world.kernels.delay(&copier, ONE, SLOW).unwrap();
    copier.copy_peer_async(destination.slice_mut(..4).unwrap(), source.slice(4..).unwrap()).unwrap();
    on_b.fill_bytes_async(&mut source, 3).unwrap();
    let mut seen = [0; 8];
    on_a.copy_to_host(&destination, &mut seen).unwrap();
    let word = |byte: u8| u32::from_le_bytes([byte; 4]);
    assert_eq!((&seen[..4], &seen[4..]), (&[word(1); 4][..], &[word(2); 4][..]));
    on_a.fill_bytes_async(&mut destination, 4).unwrap();
    copier.copy_peer_async(&mut destination, &source).unwrap();
    on_a.fill_bytes_async(destination.slice_mut(..1).unwrap(), 5).unwrap();
    let expected = [word(5), word(3), word(3), word(3), word(3), word(3), word(3), word(3)];
    assert_eq!(destination.to_vec().unwrap(), expected);
}

/// What is left to hand is not waited for; who comes later waits for all of it.
#[test]
fn a_use_that_is_left_to_hand_forgets_nobody() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 2].map(|()| device.new_stream().unwrap());
        let reader = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u32>(2).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(2).unwrap();
        memory.to_vec().unwrap();
        let (left, right) = memory.as_slice_mut().split_at_mut(1).unwrap();
        world.kernels.delayed_store(&streams[0], ONE, left, 1, 20 * SLOW).unwrap();
        // SAFETY: the two halves share no byte.
        let right = unsafe { right.unordered() };
        world.kernels.delayed_store(&streams[1], ONE, right, 2, 0).unwrap();
        reader.copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [1, 2]);
    });
}

/// More streams than the crate likes to remember.
#[test]
fn a_crowd_of_readers_is_waited_for() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let mut memory = device.alloc_from(&[1u8; 4]).unwrap();
        let mut seen: Vec<_> = (0..18).map(|_| device.alloc_zeroed::<u8>(4).unwrap()).collect();
        let streams: Vec<_> = (0..18).map(|_| device.new_stream().unwrap()).collect();
        // The first one takes longest: it is the one that the crate would drop from its list.
        world.kernels.delay(&streams[0], ONE, 60 * SLOW).unwrap();
        for (stream, seen) in streams.iter().zip(&mut seen) {
            stream.copy_async(seen, &memory).unwrap();
        }
        device.new_stream().unwrap().fill_bytes_async(&mut memory, 2).unwrap();
        for seen in seen {
            assert_eq!(seen.to_vec().unwrap(), [1; 4]);
        }
    });
}

/// The crate need not look at the list of streams while one has the memory to itself; it has to until that one has written.
#[test]
fn a_write_after_a_read_of_ones_own_is_noted() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let mut seen = [(); 2].map(|()| device.alloc_zeroed::<u32>(1).unwrap());
        first.copy_async(&mut seen[0], &memory).unwrap();
        world.kernels.delayed_store(&first, ONE, &mut memory, 7, SLOW).unwrap();
        second.copy_async(&mut seen[1], &memory).unwrap();
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[1], [7]]);
    });
}

#[test]
fn a_write_waits_for_others_that_read_beside_it() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (reader, writer) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let mut seen = [(); 2].map(|()| device.alloc_zeroed::<u32>(1).unwrap());
        world.kernels.delay(&reader, ONE, SLOW).unwrap();
        reader.copy_async(&mut seen[0], &memory).unwrap();
        writer.copy_async(&mut seen[1], &memory).unwrap();
        writer.fill_bytes_async(&mut memory, 0xff).unwrap();
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[1], [1]]);
    });
}
