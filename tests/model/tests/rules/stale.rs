//! After a reset of a device, what was made on it before is refused.

use cuda_p2p::Error;
use cuda_p2p_model::under_seeds;

use crate::PAIR;

#[test]
fn a_token_from_before_a_reset_is_refused() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let theirs = b.alloc_zeroed::<u8>(16).unwrap();
        b.synchronize().unwrap();
        // SAFETY: one thread, no work anywhere, and nothing outside the crate has anything on the device.
        unsafe { a.reset() }.unwrap();
        let stale = Error::StaleToken { accessor: 0, owner: 1 };
        assert_eq!(access.slice(&theirs).map(drop).unwrap_err(), stale);
        assert_eq!(access.disable().unwrap_err().error, stale);
    });
}

#[test]
fn memory_and_streams_from_before_a_reset_are_refused() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u8>(16).unwrap();
        device.synchronize().unwrap();
        // SAFETY: as above.
        unsafe { device.reset() }.unwrap();
        let stale = |what| Error::StaleHandle { what, device: 0 };
        assert_eq!(stream.is_done().unwrap_err(), stale("the stream"));
        let new = device.new_stream().unwrap();
        assert_eq!(new.fill_bytes_async(&mut memory, 1).unwrap_err(), stale("the device memory"));
    });
}
