//! The driver's functions in place of the runtime's: what they refuse, and where they must not be asked.

use cuda_p2p::{Error, LaunchConfig, Stream};
use cuda_p2p_model::{leave_error, pending_error, take_error, under_seeds};

use crate::{ONE, PAIR, SLOW};

/// More threads than a block has.
const IMPOSSIBLE: LaunchConfig = LaunchConfig::new(1, 5000);

#[test]
fn what_the_driver_refuses_is_an_error_of_the_runtimes() {
    under_seeds("devices=1", |world| {
        let (device, kernels) = (world.runtime.device(0).unwrap(), &world.kernels);
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        for pending in [false, true] {
            if pending {
                assert_eq!(leave_error(&world.runtime), 101);
            }
            kernels.delayed_store(&stream, ONE, &mut memory, 7, 0).unwrap();
            let error = kernels.delayed_store(&stream, IMPOSSIBLE, &mut memory, 8, 0).unwrap_err();
            assert!(matches!(&error, Error::Cuda(it) if it.call() == "cudaLaunchKernel"), "{error}");
            assert_eq!(pending_error(&world.runtime), if pending { 101 } else { 0 });
        }
        assert_eq!(take_error(&world.runtime), 101);
        assert_eq!(memory.to_vec().unwrap(), [7]);
    });
}

/// The handle of a null stream is that of whichever device is current, and the driver is not told which one is meant.
#[test]
fn work_of_a_null_stream_is_done_by_its_device() {
    under_seeds("devices=2 peers=none", |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        a.set_current().unwrap();
        // SAFETY: the null stream lives as long as its device.
        let stream = unsafe { Stream::borrow_raw(&b, std::ptr::null_mut()) }.unwrap();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        for round in 1..=3 {
            // A kernel of the other device would fault.
            world.kernels.delayed_store(&stream, ONE, &mut memory, round, SLOW).unwrap();
        }
        assert_eq!(memory.to_vec().unwrap(), [3]);
    });
}

/// On a thread that has no context, beside one that has another device's.
#[test]
fn any_thread_puts_work_in() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        a.set_current().unwrap();
        let stream = b.new_stream().unwrap();
        let event = b.new_event().unwrap();
        let mut memory = b.alloc_zeroed::<u32>(2).unwrap();
        let put = |memory: &mut cuda_p2p::DeviceBuffer<u32>, value| {
            for _ in 0..2 {
                world
                    .kernels
                    .delayed_store(&stream, ONE, memory.slice_mut(..1).unwrap(), value, SLOW)
                    .unwrap();
                stream.record(&event).unwrap();
            }
        };
        put(&mut memory, 7);
        std::thread::scope(|scope| scope.spawn(|| put(&mut memory, 8)).join().unwrap());
        event.synchronize().unwrap();
        assert_eq!(memory.to_vec().unwrap(), [8, 0]);
    });
}
