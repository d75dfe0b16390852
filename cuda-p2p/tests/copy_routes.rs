//! A copy between devices goes the way that it is told to, arrives, and says which way it went; where it cannot, a typed error
//! says why. The pinned memory of staging stays within its limit and can be taken back. Says nothing of speed.

mod common;

use common::{isolated, pair};
use cuda_p2p::{CopyPath, CopyRoute, Error, StagedReason};

const LEN: usize = 3 << 20;

fn pattern(seed: u8) -> Vec<u8> {
    (0..LEN).map(|i| (i.wrapping_mul(2654435761) >> 11) as u8 ^ seed).collect()
}

#[test]
fn each_route_arrives_and_is_reported() {
    isolated("each_route_arrives_and_is_reported", &[], || {
        let (_, a, b) = pair();
        let streams = [a.new_stream().unwrap(), b.new_stream().unwrap()];
        let mut destination = a.alloc_zeroed::<u8>(LEN).unwrap();
        let staged = |reason| CopyPath::Staged { reason };
        let by_driver = CopyPath::StagedByDriver { reason: StagedReason::NotEnabled };
        let without = [
            (CopyRoute::Best, staged(StagedReason::NotEnabled)),
            (CopyRoute::Staged, staged(StagedReason::Asked)),
            (CopyRoute::Driver, by_driver),
        ];
        let with = [
            (CopyRoute::Best, CopyPath::Direct),
            (CopyRoute::Direct, CopyPath::Direct),
            (CopyRoute::Staged, staged(StagedReason::Asked)),
            (CopyRoute::Driver, CopyPath::Direct),
        ];
        let mut seed = 0;
        let mut goes = |route, path| {
            for stream in &streams {
                seed += 1;
                let source = b.alloc_from(&pattern(seed)).unwrap();
                assert_eq!(stream.copy_peer_async_by(route, &mut destination, &source).unwrap(), path);
                assert!(destination.to_vec().unwrap() == pattern(seed), "{route:?}");
            }
        };
        for (route, path) in without {
            goes(route, path);
        }
        let access = b.enable_peer_access(&a).unwrap();
        for (route, path) in with {
            goes(route, path);
        }
        access.disable().unwrap();
        for (route, path) in without {
            goes(route, path);
        }
    });
}

#[test]
fn a_direct_copy_without_access_is_an_error_that_names_both() {
    isolated("a_direct_copy_without_access_is_an_error_that_names_both", &[], || {
        let (_, a, b) = pair();
        let stream = a.new_stream().unwrap();
        let source = b.alloc_zeroed::<u8>(8).unwrap();
        let mut destination = a.alloc_zeroed::<u8>(8).unwrap();
        let error = stream.copy_peer_async_by(CopyRoute::Direct, &mut destination, &source).unwrap_err();
        assert_eq!(error, Error::NoDirectPath { source_device: 1, destination_device: 0 });
        assert!(error.to_string().contains("enable_peer_access"), "{error}");
    });
}

#[test]
fn pinned_memory_stays_within_the_limit_and_goes_when_asked() {
    isolated("pinned_memory_stays_within_the_limit_and_goes_when_asked", &[], || {
        let (runtime, a, b) = pair();
        assert_eq!(runtime.staging_bytes().unwrap(), 0);
        let source = b.alloc_from(&pattern(1)).unwrap();
        let mut destinations: Vec<_> = (0..9).map(|_| a.alloc_zeroed::<u8>(LEN).unwrap()).collect();
        let streams: Vec<_> = (0..9).map(|_| a.new_stream().unwrap()).collect();
        for (stream, destination) in streams.iter().zip(&mut destinations) {
            stream.copy_peer_async(destination, &source).unwrap();
        }
        let pinned = runtime.staging_bytes().unwrap();
        assert!(pinned > 0 && pinned <= runtime.staging_limit(), "{pinned}");
        // While copies are under way: what they need is kept until then.
        runtime.free_staging().unwrap();
        assert_eq!(runtime.staging_bytes().unwrap(), 0);
        for destination in &destinations {
            assert!(destination.to_vec().unwrap() == pattern(1));
        }

        runtime.set_staging_limit(1 << 20);
        let path = streams[0].copy_peer_async(&mut destinations[0], &source).unwrap();
        assert_eq!(path, CopyPath::Staged { reason: StagedReason::NotEnabled });
        assert!((1..=1 << 20).contains(&runtime.staging_bytes().unwrap()));
        runtime.set_staging_limit(0);
        let path = streams[0].copy_peer_async(&mut destinations[0], &source).unwrap();
        assert_eq!(path, CopyPath::StagedByDriver { reason: StagedReason::NotEnabled });
        let forced = streams[0].copy_peer_async_by(CopyRoute::Staged, &mut destinations[0], &source);
        let off = forced.unwrap_err();
        assert_eq!(off, Error::StagingOff { limit: 0, minimum: 768 << 10 });
        assert!(off.to_string().contains("which takes 786432"), "{off}");
        assert!(destinations[0].to_vec().unwrap() == pattern(1));
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn a_view_is_copied_from_and_to_on_either_devices_stream() {
    isolated("a_view_is_copied_from_and_to_on_either_devices_stream", &[], || {
        let (_, a, b) = pair();
        let access = a.enable_peer_access(&b).unwrap();
        for stream in [a.new_stream().unwrap(), b.new_stream().unwrap()] {
            let mut theirs = b.alloc_from(&pattern(5)).unwrap();
            let mut ours = a.alloc_zeroed::<u8>(LEN).unwrap();
            stream.copy_from_peer_async(&mut ours, access.slice(&theirs).unwrap()).unwrap();
            assert!(ours.to_vec().unwrap() == pattern(5));
            let source = a.alloc_from(&pattern(6)).unwrap();
            stream.copy_to_peer_async(access.slice_mut(&mut theirs).unwrap(), &source).unwrap();
            assert!(theirs.to_vec().unwrap() == pattern(6));
        }
        let (mut elsewhere, theirs) = (b.alloc_zeroed::<u8>(4).unwrap(), b.alloc_zeroed::<u8>(4).unwrap());
        let stream = a.new_stream().unwrap();
        let error = stream.copy_from_peer_async(&mut elsewhere, access.slice(&theirs).unwrap()).unwrap_err();
        assert_eq!(error, Error::WrongDevice { what: "the destination", expected: 0, found: 1 });
    });
}
