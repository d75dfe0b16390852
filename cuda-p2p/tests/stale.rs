//! After a reset of a device its handles and tokens are refused as such, dropping them does nothing, and new ones
//! work.

mod common;

use common::{isolated, pair};
use cuda_p2p::Error;

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
