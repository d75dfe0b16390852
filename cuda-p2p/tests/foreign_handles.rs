//! Streams, events and kernels that go between this crate and C code: who destroys what, and what is refused.

mod common;

use common::{pair, raw, seeded, under_seeds};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Device, Error, Event, ForeignError, Kernel, LaunchConfig, Stream};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);

#[test]
fn a_borrowed_stream_is_used_and_left_alone() {
    let (runtime, a, _) = pair();
    let handle = raw::new_stream(&a);
    // SAFETY: a live stream of the device, destroyed below, after the last clone.
    let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
    assert_eq!((stream.as_raw(), stream.device()), (handle, a));
    let clone = stream.clone();
    let mut buffer = a.alloc_zeroed::<u8>(64).unwrap();
    clone.fill_bytes_async(&mut buffer, 7).unwrap();
    drop((stream, clone));
    assert!(raw::stream_lives(&a, handle));
    assert_eq!(raw::destroy_stream(&a, handle), 0);
    assert_eq!(buffer.to_vec().unwrap(), [7; 64]);
    assert!(runtime.deferred_errors().is_empty());
}

#[test]
fn memory_outlives_the_borrowed_stream_that_used_it() {
    under_seeds("memory_outlives_the_borrowed_stream_that_used_it", || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        for round in 1..=10 {
            let mut written = a.alloc_zeroed::<u32>(1).unwrap();
            let mut dropped = a.alloc_zeroed::<u32>(1).unwrap();
            let handle = raw::new_stream(&a);
            {
                // SAFETY: a live stream of the device, destroyed below.
                let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
                kernels.delayed_store(&stream, ONE, &mut written, round, 50_000).unwrap();
                kernels.delayed_store(&stream, ONE, &mut dropped, round, 50_000).unwrap();
            }
            // The owner destroys it with the work under way, and another stream may get the same handle.
            assert_eq!(raw::destroy_stream(&a, handle), 0);
            drop(dropped);
            assert_eq!(
                written.to_vec().unwrap(),
                [round],
                "the read waits for the work of a stream that is gone"
            );
        }
        a.synchronize().unwrap();
        assert!(runtime.deferred_errors().is_empty());
    });
}

#[test]
fn an_owned_stream_is_destroyed_here() {
    let (runtime, a, _) = pair();
    let handle = raw::new_stream(&a);
    // SAFETY: a live stream of the device, which nobody else destroys.
    let stream = unsafe { Stream::from_raw(&a, handle) }.unwrap();
    let clone = stream.clone();
    drop(stream);
    assert!(raw::stream_lives(&a, handle), "a clone is alive");
    drop(clone);
    assert!(!raw::stream_lives(&a, handle));
    assert!(runtime.deferred_errors().is_empty());
}

#[test]
fn a_stream_given_away_is_not_destroyed_here() {
    let (runtime, a, _) = pair();
    let stream = a.new_stream().unwrap();
    let mut buffer = a.alloc_zeroed::<u8>(8).unwrap();
    stream.fill_bytes_async(&mut buffer, 1).unwrap();
    let clone = stream.clone();
    let handle = stream.into_raw();
    clone.fill_bytes_async(&mut buffer, 2).unwrap();
    drop(clone);
    assert!(raw::stream_lives(&a, handle));
    assert_eq!(raw::destroy_stream(&a, handle), 0);
    assert_eq!(buffer.to_vec().unwrap(), [2; 8]);
    drop(buffer);
    assert!(runtime.deferred_errors().is_empty());
}

/// The null stream is the *current* device's: calls on it are made with its device current.
#[test]
fn the_null_stream_is_borrowed_on_each_device() {
    let (_, a, b) = pair();
    for device in [a, b] {
        let other = if device == a { b } else { a };
        other.set_current().unwrap();
        // SAFETY: the device's null stream.
        let stream = unsafe { Stream::borrow_raw(&device, std::ptr::null_mut()) }.unwrap();
        let mut buffer = device.alloc_zeroed::<u8>(16).unwrap();
        let event = device.new_event().unwrap();
        stream.fill_bytes_async(&mut buffer, 9).unwrap();
        stream.record(&event).unwrap();
        stream.synchronize().unwrap();
        assert!(stream.is_done().unwrap() && event.is_done().unwrap());
        assert_eq!(buffer.to_vec().unwrap(), [9; 16]);
    }
}

fn handle_error(outcome: Result<Stream, Error>, part: &str) {
    let error = outcome.unwrap_err();
    assert!(matches!(&error, Error::Foreign(ForeignError::Handle { what: "the stream", .. })), "{error:?}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn streams_that_cannot_be_taken_are_refused() {
    let (_, a, b) = pair();
    let special = |number| std::ptr::without_provenance_mut(number);
    // SAFETY: refused before anything is done with the handle.
    unsafe {
        handle_error(Stream::from_raw(&a, std::ptr::null_mut()), "borrow");
        handle_error(Stream::from_raw(&a, special(1)), "borrow");
        handle_error(Stream::borrow_raw(&a, special(2)), "per-thread");
    }
    let handle = raw::new_stream(&b);
    // SAFETY: a live stream, if of another device, which is what is tested.
    let error = unsafe { Stream::borrow_raw(&a, handle) }.unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the stream", expected: 0, found: 1 });
    assert_eq!(raw::destroy_stream(&b, handle), 0);
}

#[test]
fn events_are_borrowed_owned_and_given_away() {
    let (_, a, _) = pair();
    let stream = a.new_stream().unwrap();

    let handle = raw::new_event(&a);
    // SAFETY: a live event of the device, destroyed below.
    let event = unsafe { Event::borrow_raw(&a, handle) }.unwrap();
    stream.record(&event).unwrap();
    event.synchronize().unwrap();
    assert_eq!(event.as_raw(), handle);
    drop(event);
    assert!(raw::event_lives(&a, handle));

    // SAFETY: the same, which nobody else destroys now.
    let event = unsafe { Event::from_raw(&a, handle) }.unwrap();
    let start = a.new_event().unwrap();
    stream.record(&start).unwrap();
    stream.record(&event).unwrap();
    stream.synchronize().unwrap();
    event.elapsed_since(&start).unwrap();
    drop(event);
    assert!(!raw::event_lives(&a, handle));

    let handle = a.new_event().unwrap().into_raw();
    assert!(raw::event_lives(&a, handle));
    assert_eq!(raw::destroy_event(&a, handle), 0);

    // SAFETY: null is refused.
    let error = unsafe { Event::borrow_raw(&a, std::ptr::null_mut()) }.unwrap_err();
    assert!(matches!(error, Error::Foreign(ForeignError::Handle { what: "the event", .. })), "{error:?}");
}

#[test]
fn a_kernel_goes_out_and_comes_back() {
    let (runtime, a, _) = pair();
    let kernels = Kernels::load(&runtime).unwrap();
    let kernel = kernels.kernel_named("cuda_p2p_delayed_store").unwrap();
    assert!(kernels.kernel_named("nothing").is_none());
    let stream = a.new_stream().unwrap();
    let mut buffer = a.alloc_zeroed::<u32>(1).unwrap();
    // SAFETY: a kernel that stays loaded as long as the process.
    let again = unsafe { Kernel::from_raw(&runtime, kernel.as_raw(), "delayed_store") }.unwrap();
    assert_eq!(again.as_raw(), kernel.as_raw());
    let mut address = buffer.as_slice_mut().as_raw_on(&stream).unwrap();
    let (mut value, mut ns) = (77u32, 0u64);
    let mut parameters = [(&raw mut address).cast(), (&raw mut value).cast(), (&raw mut ns).cast()];
    // SAFETY: the three parameters of the kernel, which stores one word at an address that is kept and ordered.
    unsafe { again.launch(&stream, ONE, &mut parameters) }.unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [77]);
    // SAFETY: null is refused.
    let error = unsafe { Kernel::from_raw(&runtime, std::ptr::null_mut(), "none") }.unwrap_err();
    assert!(matches!(error, Error::Foreign(ForeignError::Handle { what: "the kernel", .. })), "{error:?}");
}

#[test]
fn a_device_is_named_by_its_number() {
    let (runtime, a, b) = pair();
    assert_eq!(Device::from_raw(&runtime, b.as_raw()), Ok(b));
    assert_eq!(Device::from_raw(&runtime, a.as_raw()), Ok(a));
    for absent in [-1, 2] {
        assert!(matches!(Device::from_raw(&runtime, absent), Err(Error::NoSuchDevice { count: 2, .. })));
    }
}
