//! Machines where not every pair can: one-way links, a limit of peers, islands. Each machine in a process of its own.

mod common;

use common::{isolated, machine};
use cuda_p2p::{CopyPath, Error, ErrorClass, PeerAccess, StagedReason};

#[test]
fn enabling_both_ways_undoes_its_half() {
    isolated("enabling_both_ways_undoes_its_half", &[], || {
        let runtime = machine("devices=2 peers=0>1 quiet");
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        assert_eq!((a.can_access_peer(&b), b.can_access_peer(&a)), (Ok(true), Ok(false)));
        let unreachable = Error::PeerUnreachable { accessor: 1, owner: 0 };
        assert_eq!(PeerAccess::enable_both(&a, &b).unwrap_err(), unreachable);
        // Nothing is left enabled: a copy says so.
        let (mut to, from) = (a.alloc_zeroed::<u8>(5).unwrap(), b.alloc_from(&[1u8, 2, 3, 4, 5]).unwrap());
        let stream = a.new_stream().unwrap();
        let path = stream.copy_peer_async(&mut to, &from).unwrap();
        assert_eq!(path, CopyPath::Staged { reason: StagedReason::NotEnabled });
        assert_eq!(to.to_vec().unwrap(), [1, 2, 3, 4, 5]);
        // A half that was there before stays.
        let access = a.enable_peer_access(&b).unwrap();
        assert_eq!(PeerAccess::enable_both(&a, &b).unwrap_err(), unreachable);
        assert_eq!(stream.copy_peer_async(&mut to, &from).unwrap(), CopyPath::Direct);
        access.disable().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    });
}

#[test]
fn one_peer_too_many_is_named_and_the_others_still_work() {
    isolated("one_peer_too_many_is_named_and_the_others_still_work", &[], || {
        let runtime = machine("devices=10 limit=8 quiet");
        let devices = runtime.devices().unwrap();
        let tokens: Vec<_> =
            (1..9).map(|owner| devices[0].enable_peer_access(&devices[owner]).unwrap()).collect();
        let error = devices[0].enable_peer_access(&devices[9]).unwrap_err();
        assert_eq!(error, Error::TooManyPeers { accessor: 0, owner: 9 });
        assert_eq!((error.code(), error.class()), (Some(711), Some(ErrorClass::PeerAccess)));
        let memory = devices[8].alloc_zeroed::<u8>(1).unwrap();
        assert!(tokens[7].slice(&memory).is_ok());
    });
}

#[test]
fn two_islands_have_eight_unreachable_pairs() {
    isolated("two_islands_have_eight_unreachable_pairs", &[], || {
        let runtime = machine("devices=4 islands=2 quiet");
        let matrix = runtime.peer_matrix().unwrap();
        assert_eq!((matrix.device_count(), matrix.pairs().count(), matrix.unreachable().count()), (4, 12, 8));
        let reachable: Vec<_> = matrix.reachable().map(|pair| (pair.accessor, pair.owner)).collect();
        assert_eq!(reachable, [(0, 1), (1, 0), (2, 3), (3, 2)]);
        assert_eq!((matrix.can_access(0, 2), matrix.can_access(0, 0)), (Some(false), None));
        let (a, c) = (runtime.device(0).unwrap(), runtime.device(2).unwrap());
        let mut to = c.alloc_zeroed::<u32>(3).unwrap();
        let path =
            a.new_stream().unwrap().copy_peer_async(&mut to, &a.alloc_from(&[7u32; 3]).unwrap()).unwrap();
        assert_eq!(path, CopyPath::Staged { reason: StagedReason::NotReachable });
        assert_eq!(to.to_vec().unwrap(), [7; 3]);
    });
}

#[test]
fn one_device_has_no_pairs_and_no_second() {
    isolated("one_device_has_no_pairs_and_no_second", &[], || {
        let runtime = machine("devices=1 quiet");
        assert_eq!(runtime.peer_matrix().unwrap().pairs().count(), 0);
        let error = runtime.device(1).unwrap_err();
        assert_eq!(error, Error::NoSuchDevice { ordinal: 1, count: 1 });
        assert!(error.to_string().contains("no device 1"), "{error}");
    });
}

#[test]
fn atomics_are_refused_where_the_link_has_none() {
    isolated("atomics_are_refused_where_the_link_has_none", &[], || {
        let runtime = machine("devices=2 atomics=off quiet");
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        assert!(access.slice_mut(&mut memory).is_ok());
        let refused = access.slice_atomic(&mut memory).map(|_| ());
        assert_eq!(refused, Err(Error::NoNativeAtomics { accessor: 0, owner: 1 }));
    });
}
