//! C code's streams and memory where they are used: on GPUs if there are two, on a simulated pair otherwise.

mod common;
#[path = "common/pair.rs"]
mod pair;

use common::raw;
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{DeviceBuffer, Error, Event, ForeignError, LaunchConfig, Stream};
use pair::{Pair, pair};

/// All of it is C code's: the streams, the memory on both devices, the events. Rust lets a kernel read across, and leaves all alone.
#[test]
fn rust_works_on_what_c_owns() {
    let Pair { runtime, a, b, .. } = &pair();
    let len = 100_003usize;
    let (ours, theirs) = (raw::malloc::<f32>(a, len), raw::malloc::<f32>(b, len));
    let (on_a, on_b, written) = (raw::new_stream(a), raw::new_stream(b), raw::new_event(b));
    {
        let access = a.enable_peer_access(b).expect("a pair of peers");
        let kernels = Kernels::load(runtime).expect("the kernels");
        // SAFETY: live streams, memory of so many floats and an event of those devices, all destroyed below, after the work.
        let (stream_a, stream_b, mut y, mut x, event) = unsafe {
            (
                Stream::borrow_raw(a, on_a).expect("a stream"),
                Stream::borrow_raw(b, on_b).expect("a stream"),
                DeviceBuffer::borrow_raw(a, ours, len).expect("memory"),
                DeviceBuffer::borrow_raw(b, theirs, len).expect("memory"),
                Event::borrow_raw(b, written).expect("an event"),
            )
        };
        let values: Vec<f32> = (0..len).map(|i| i as f32).collect();
        stream_b.copy_from_host(&mut x, &values).expect("copied");
        stream_b.record(&event).expect("recorded");
        stream_a.wait_event(&event).expect("waits");
        let view = access.slice(&x).expect("a view");
        let config = LaunchConfig::for_elements(len);
        kernels.add_f32(&stream_a, config, &mut y, view, len as u64).expect("launched");
        assert_eq!(y.to_vec().expect("read"), values);
    }
    a.synchronize().expect("done");
    b.synchronize().expect("done");
    // Each of these fails if it was destroyed already.
    assert_eq!(
        (raw::destroy_stream(a, on_a), raw::destroy_stream(b, on_b), raw::destroy_event(b, written)),
        (0, 0, 0)
    );
    assert_eq!((raw::free(a, ours), raw::free(b, theirs)), (0, 0));
    assert!(runtime.deferred_errors().is_empty());
}

#[test]
fn memory_outlives_a_borrowed_stream() {
    let Pair { runtime, a, .. } = &pair();
    let kernels = Kernels::load(runtime).expect("the kernels");
    let mut word = a.alloc_zeroed::<u32>(1).expect("memory");
    let handle = raw::new_stream(a);
    // SAFETY: a live stream of the device, destroyed below.
    let stream = unsafe { Stream::borrow_raw(a, handle) }.expect("a stream");
    kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut word, 5, 50_000_000).expect("launched");
    drop(stream);
    assert_eq!(raw::destroy_stream(a, handle), 0);
    assert_eq!(word.to_vec().expect("read"), [5], "the read waits for the work of a stream that is gone");
    drop(word);
    assert!(runtime.deferred_errors().is_empty());
}

#[test]
fn the_null_stream_of_the_second_device_is_its_own() {
    let Pair { a, b, .. } = &pair();
    a.set_current().expect("set");
    // SAFETY: the device's null stream.
    let null = unsafe { Stream::borrow_raw(b, std::ptr::null_mut()) }.expect("a stream");
    let mut buffer = b.alloc_zeroed::<u8>(64).expect("memory");
    let event = b.new_event().expect("an event");
    null.fill_bytes_async(&mut buffer, 3).expect("filled");
    null.record(&event).expect("recorded");
    null.synchronize().expect("done");
    assert!(event.is_done().expect("asked"));
    assert_eq!(buffer.to_vec().expect("read"), [3; 64]);
}

#[test]
fn an_address_is_of_its_own_device_and_length() {
    let Pair { runtime, a, b, .. } = &pair();
    let address = raw::malloc::<u8>(b, 1 << 20);
    // SAFETY: refused, or not used.
    unsafe {
        let error = DeviceBuffer::borrow_raw(a, address, 1 << 20).expect_err("another device's");
        assert_eq!(error, Error::WrongDevice { what: "the memory", expected: 0, found: 1 });
        DeviceBuffer::borrow_raw(b, address, 1 << 20).expect("all of it");
        DeviceBuffer::borrow_raw(b, address.wrapping_add(100), (1 << 20) - 100).expect("its end");
        let too_long = DeviceBuffer::borrow_raw(b, address, 64 << 30);
        match &too_long {
            Err(Error::Foreign(ForeignError::BeyondAllocation { available, .. })) => {
                assert!(*available >= 1 << 20)
            }
            // The simulated driver does not tell of lengths.
            other => assert!(runtime.is_simulated(), "{other:?}"),
        }
    }
    assert_eq!(raw::free(b, address), 0);
}
