//! The thread's current device and pending error are after every call what they were before.

use cuda_p2p_model::{current_device, leave_error, others_enable, pending_error, take_error, under_seeds};

use crate::{ONE, PAIR, SLOW, STRANGERS};

/// `cudaErrorInvalidDevice`, which `leave_error` leaves.
const PENDING: u32 = 101;

#[test]
fn the_current_device_stays_after_calls_that_succeed() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        a.set_current().unwrap();
        let access = b.enable_peer_access(&a).unwrap();
        let stream = b.new_stream().unwrap();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut memory, 7, SLOW).unwrap();
        b.synchronize().unwrap();
        drop((memory, stream));
        access.disable().unwrap();
        assert_eq!(current_device(&world.runtime), 0);
    });
}

#[test]
fn the_current_device_stays_after_calls_that_fail() {
    under_seeds("devices=3 peers=1>2 limit=0 memory=1MiB", |world| {
        let devices = world.runtime.devices().unwrap();
        devices[0].set_current().unwrap();
        assert!(devices[1].alloc_zeroed::<u8>(2 << 20).is_err());
        assert_eq!(current_device(&world.runtime), 0);
        assert!(devices[1].enable_peer_access(&devices[2]).is_err());
        assert_eq!(current_device(&world.runtime), 0);
    });
}

/// There would be an error pending that nobody else made.
#[test]
fn an_error_of_our_own_does_not_stay_pending() {
    under_seeds("devices=2 memory=1MiB", |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let _first = a.enable_peer_access(&b).unwrap();
        let _second = a.enable_peer_access(&b).unwrap();
        assert_eq!(pending_error(&world.runtime), 0);
        assert!(a.alloc_zeroed::<u8>(2 << 20).is_err());
        assert_eq!(pending_error(&world.runtime), 0);
    });
}

#[test]
fn an_error_that_others_left_stays_pending() {
    under_seeds("devices=2 memory=1MiB", |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        assert_eq!(leave_error(&world.runtime), PENDING);
        let _first = a.enable_peer_access(&b).unwrap();
        let _second = a.enable_peer_access(&b).unwrap();
        assert!(a.alloc_zeroed::<u8>(2 << 20).is_err());
        assert_eq!(take_error(&world.runtime), PENDING);
    });
}

/// A call that is made on a helper thread, because of the pending error, acts on the same device.
#[test]
fn a_pending_error_does_not_change_where_calls_act() {
    under_seeds(STRANGERS, |world| {
        let b = world.runtime.device(1).unwrap();
        b.set_current().unwrap();
        assert_eq!(others_enable(&world.runtime, 1, 0), 217);
        let stream = b.new_stream().unwrap();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        world.kernels.delayed_store(&stream, ONE, &mut memory, 7, SLOW).unwrap();
        assert_eq!(memory.to_vec().unwrap(), [7]);
        assert_eq!((current_device(&world.runtime), take_error(&world.runtime)), (1, 217));
    });
}
