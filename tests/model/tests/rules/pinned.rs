//! The host looks at pinned memory only after the devices' work on it.

use cuda_p2p_model::under_seeds;

use crate::{ONE, PAIR, SLOW};

#[test]
fn reading_waits_for_the_copies_into_it() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let memory = device.alloc_from(&[7u8; 64]).unwrap();
        let mut pinned = device.alloc_pinned_zeroed::<u8>(64).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        stream.copy_to_pinned_async(&memory, &mut pinned).unwrap();
        assert_eq!(pinned.read().unwrap(), [7; 64]);
    });
}

#[test]
fn writing_waits_for_the_copies_out_of_it() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u8>(64).unwrap();
        let mut pinned = device.alloc_pinned_from(&[7u8; 64]).unwrap();
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        stream.copy_from_pinned_async(&mut memory, &pinned).unwrap();
        pinned.write().unwrap().fill(9);
        assert_eq!(memory.to_vec().unwrap(), [7; 64]);
    });
}

/// Two streams, of two devices, by way of pinned memory.
#[test]
fn streams_are_in_order_by_way_of_pinned_memory() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let first = [1u8, 2].map(|byte| a.alloc_from(&[byte; 64]).unwrap());
        let mut then = [(); 2].map(|()| b.alloc_zeroed::<u8>(64).unwrap());
        let mut pinned = a.alloc_pinned_zeroed::<u8>(64).unwrap();
        for (source, destination) in first.iter().zip(&mut then) {
            world.kernels.delay(&on_a, ONE, SLOW).unwrap();
            on_a.copy_to_pinned_async(source, &mut pinned).unwrap();
            on_b.copy_from_pinned_async(destination, &pinned).unwrap();
        }
        assert_eq!(then.map(|it| it.to_vec().unwrap()), [[1; 64], [2; 64]]);
    });
}
