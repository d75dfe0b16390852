//! After a reset of a device its handles and tokens are refused as such, dropping them does nothing, and new ones
//! work.

mod common;

use common::{isolated, pair, raw};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::{DeviceBuffer, Error, KernelParam, LaunchConfig, Stream};

#[test]
fn what_a_reset_destroyed_is_refused() {
    isolated("what_a_reset_destroyed_is_refused", &[], || {
        let (runtime, a, b) = pair();
        let access = a.enable_peer_access(&b).unwrap();
        let back = b.enable_peer_access(&a).unwrap();
        let (stream, event) = (a.new_stream().unwrap(), a.new_event().unwrap());
        let mut memory = a.alloc_zeroed::<u8>(16).unwrap();
        let pinned = a.alloc_pinned_zeroed::<u8>(16).unwrap();
        let mut theirs = b.alloc_zeroed::<u8>(16).unwrap();
        // The neighbour's memory was last used by a stream that is about to go.
        stream.copy_peer_async(&mut theirs, &memory).unwrap();
        stream.synchronize().unwrap();
        // SAFETY: one thread, nothing else uses the device, and its work is done.
        unsafe { a.reset() }.unwrap();

        let stale = |what| Error::StaleHandle { what, device: 0 };
        assert_eq!(stream.synchronize(), Err(stale("the stream")));
        assert_eq!(event.is_done(), Err(stale("the event")));
        assert_eq!(memory.to_vec(), Err(stale("the device memory")));
        assert_eq!(pinned.read().map(|_| ()), Err(stale("the pinned memory")));
        let new = a.new_stream().unwrap();
        assert_eq!(new.fill_bytes_async(&mut memory, 1), Err(stale("the device memory")));
        let token = Error::StaleToken { accessor: 0, owner: 1 };
        assert_eq!(access.slice(&theirs).map(|_| ()), Err(token.clone()));
        let refused = access.disable().unwrap_err();
        assert_eq!(refused.error, token);
        let token = Error::StaleToken { accessor: 1, owner: 0 };
        assert_eq!(back.slice(&memory).map(|_| ()), Err(token));
        drop((refused, back, stream, event, memory, pinned));

        // All of it can be made again.
        let access = a.enable_peer_access(&b).unwrap();
        let mut memory = a.alloc_from(&[3u8; 16]).unwrap();
        new.copy_peer_async(&mut theirs, &memory).unwrap();
        assert_eq!(theirs.to_vec().unwrap(), [3; 16]);
        new.copy_peer_async(&mut memory, &theirs).unwrap();
        new.synchronize().unwrap();
        access.disable().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn a_view_of_a_peer_does_not_outlive_a_reset() {
    isolated("a_view_of_a_peer_does_not_outlive_a_reset", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let (mut memory, mut theirs) = (b.alloc_from(&[5u8]).unwrap(), b.alloc_from(&[6u8]).unwrap());
        let view = access.slice(&memory).unwrap();
        let mut view_mut = access.slice_mut(&mut theirs).unwrap();
        // SAFETY: one thread, nothing else uses the device, and its work is done.
        unsafe { a.reset() }.unwrap();

        let stream = a.new_stream().unwrap();
        let mut ours = a.alloc_zeroed::<u8>(1).unwrap();
        let one = LaunchConfig::new(1, 1);
        let stale = Err(Error::StaleToken { accessor: 0, owner: 1 });
        assert_eq!(kernels.copy(&stream, one, &mut ours, view, 1), stale);
        assert_eq!(kernels.copy(&stream, one, &mut view_mut, &ours, 1), stale);
        assert_eq!(view.as_raw_on(&stream).map(|_| ()), stale);
        assert_eq!(view_mut.as_raw_on(&stream).map(|_| ()), stale);
        // Nor do a new token, and its end, make it as good as new.
        let again = a.enable_peer_access(&b).unwrap();
        assert_eq!(kernels.copy(&stream, one, &mut ours, view, 1), stale);
        again.disable().unwrap();
        assert_eq!(kernels.copy(&stream, one, &mut ours, view, 1), stale);
        stream.synchronize().unwrap();
        memory = b.alloc_from(&[7u8]).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        kernels.copy(&stream, one, &mut ours, access.slice(&memory).unwrap(), 1).unwrap();
        assert_eq!(ours.to_vec().unwrap(), [7]);
    });
}

#[test]
fn a_use_is_not_noted_for_a_stream_from_before_a_reset() {
    isolated("a_use_is_not_noted_for_a_stream_from_before_a_reset", &[], || {
        let (_runtime, a, b) = pair();
        let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        on_b.fill_bytes_async(&mut memory, 1).unwrap();
        b.synchronize().unwrap();
        // SAFETY: one thread, nothing else uses the device, and its work is done.
        unsafe { a.reset() }.unwrap();
        let slice = memory.as_slice();
        // SAFETY: nothing is launched, and what is returned is dropped.
        let noted = unsafe { KernelParam::acquire(&slice, &on_a) }.map(|_| ());
        assert_eq!(noted, Err(Error::StaleHandle { what: "the stream", device: 0 }));
    });
}

/// What they would free is gone, and its address or handle may be somebody else's by now.
#[test]
fn owners_of_what_a_reset_destroyed_are_not_dropped() {
    struct Owner;
    impl Drop for Owner {
        fn drop(&mut self) {
            panic!("an owner was dropped");
        }
    }
    isolated("owners_of_what_a_reset_destroyed_are_not_dropped", &[], || {
        let (runtime, a, _) = pair();
        let (address, handle) = (raw::malloc::<u8>(&a, 16), raw::new_stream(&a));
        // SAFETY: 16 bytes and a live stream of that device, until the reset.
        let (memory, stream) = unsafe {
            (
                DeviceBuffer::borrow_raw_with(&a, address, 16, Owner).unwrap(),
                Stream::borrow_raw_with(&a, handle, Owner).unwrap(),
            )
        };
        // SAFETY: one thread, nothing else uses the device, and its work is done.
        unsafe { a.reset() }.unwrap();
        drop((memory, stream));
        a.synchronize().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    });
}
