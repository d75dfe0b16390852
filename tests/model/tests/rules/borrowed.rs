//! Streams and memory of C code: used while they are lent, and not touched afterwards.

use cuda_p2p::sys::cudaStream_t;
use cuda_p2p::{Device, DeviceBuffer, Runtime, Stream};
use cuda_p2p_model::under_seeds;

use crate::{ONE, PAIR, SLOW};

/// A non-blocking stream of the device that is current, made as C code would.
fn make(runtime: &Runtime) -> cudaStream_t {
    let create = runtime.table().cudaStreamCreateWithFlags.expect("cudaStreamCreateWithFlags");
    let mut handle = std::ptr::null_mut();
    // SAFETY: `handle` is a valid place for a handle; 1 is cudaStreamNonBlocking.
    assert_eq!(unsafe { create(&mut handle, 1) }.0, 0);
    handle
}

/// Destroys it, as C code would.
fn destroy(runtime: &Runtime, handle: cudaStream_t) -> u32 {
    let destroy = runtime.table().cudaStreamDestroy.expect("cudaStreamDestroy");
    // SAFETY: the handle is of `make`, no stream of the crate has it on lease, and it is destroyed once.
    unsafe { destroy(handle) }.0
}

fn borrow(device: &Device, handle: cudaStream_t) -> Stream {
    // SAFETY: the handle is live, and destroyed after the last clone is dropped.
    unsafe { Stream::borrow_raw(device, handle) }.unwrap()
}

#[test]
fn work_of_a_stream_that_was_given_back_is_waited_for() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        device.set_current().unwrap();
        let mut memory = device.alloc_zeroed::<u32>(1).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        let handle = make(&world.runtime);
        let lent = borrow(&device, handle);
        world.kernels.delayed_store(&lent, ONE, &mut memory, 7, SLOW).unwrap();
        drop(lent);
        assert_eq!(destroy(&world.runtime, handle), 0);
        let reader = device.new_stream().unwrap();
        reader.copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
        device.synchronize().unwrap();
    });
}

#[test]
fn a_borrowed_stream_is_its_owners_to_destroy() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        device.set_current().unwrap();
        let handle = make(&world.runtime);
        drop(borrow(&device, handle));
        assert_eq!(destroy(&world.runtime, handle), 0);
    });
}

/// As the deleter of a library does that waits for a lock, which another thread has while it looks for memory.
#[test]
fn an_owner_may_wait_for_who_finds_no_memory() {
    struct Waits(Device);
    impl Drop for Waits {
        fn drop(&mut self) {
            let device = self.0;
            let other = std::thread::spawn(move || device.alloc_zeroed::<u8>(1 << 50).is_err());
            assert!(other.join().unwrap());
        }
    }
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let address = device.alloc_zeroed::<u32>(1).unwrap().into_raw();
        // SAFETY: a word of that device, which nobody else uses, and which is freed below.
        drop(unsafe { DeviceBuffer::borrow_raw_with(&device, address, 1, Waits(device)) }.unwrap());
        // SAFETY: it was this crate's, and nobody else has it.
        drop(unsafe { DeviceBuffer::from_raw(&device, address, 1) }.unwrap());
    });
}
