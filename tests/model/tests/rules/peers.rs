//! Tokens of peer access, and what disabling waits for.

use cuda_p2p::{Disabled, Error, PeerAccess};
use cuda_p2p_model::{World, others_disable, others_enable, take_error, under_seeds};

use crate::{ONE, PAIR, SLOW};

/// `cudaErrorPeerAccessAlreadyEnabled`
const ALREADY_ENABLED: u32 = 704;

fn pair(world: &World) -> (cuda_p2p::Device, cuda_p2p::Device) {
    (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap())
}

/// Whether the runtime has it enabled. Asking enables it, so this comes last.
fn is_enabled(world: &World, accessor: usize, owner: usize) -> bool {
    let status = others_enable(&world.runtime, accessor, owner);
    take_error(&world.runtime);
    status == ALREADY_ENABLED
}

/// Work that was queued with a view may still run.
#[test]
fn disabling_waits_for_the_accessor() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        b.synchronize().unwrap();
        world.kernels.delayed_store(&stream, ONE, access.slice_mut(&mut theirs).unwrap(), 7, SLOW).unwrap();
        assert_eq!(access.disable().unwrap(), Disabled::Disabled);
        assert_eq!(theirs.to_vec().unwrap(), [7]);
    });
}

#[test]
fn disabling_waits_for_the_owner() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let stream = b.new_stream().unwrap();
        let theirs = b.alloc_from(&[7u32]).unwrap();
        let mut ours = a.alloc_zeroed::<u32>(1).unwrap();
        a.synchronize().unwrap();
        // The owner's copy engine pushes.
        world.kernels.delay(&stream, ONE, SLOW).unwrap();
        stream.copy_peer_async(&mut ours, &theirs).unwrap();
        access.disable().unwrap();
        assert!(stream.is_done().unwrap());
    });
}

#[test]
fn disabling_is_refused_while_other_tokens_live() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let other = a.enable_peer_access(&b).unwrap();
        let refused = access.disable().unwrap_err();
        assert_eq!(refused.error, Error::PeerAccessInUse { accessor: 0, owner: 1, others: 1 });
        drop(other);
        assert_eq!(refused.access.disable().unwrap(), Disabled::Disabled);
        assert!(!is_enabled(world, 0, 1));
    });
}

#[test]
fn clones_of_a_token_count() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let clone = access.clone();
        assert!(access.disable().is_err());
        assert_eq!(clone.disable().unwrap(), Disabled::Disabled);
    });
}

#[test]
fn a_token_that_was_given_back_counts_once() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let (access, other) = (a.enable_peer_access(&b).unwrap(), a.enable_peer_access(&b).unwrap());
        let refused = access.disable().unwrap_err();
        drop(refused);
        assert_eq!(other.disable().unwrap(), Disabled::Disabled);
        let again = a.enable_peer_access(&b).unwrap();
        assert_eq!(again.disable().unwrap(), Disabled::Disabled);
    });
}

#[test]
fn what_others_enabled_is_left_enabled() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        assert_eq!(others_enable(&world.runtime, 0, 1), 0);
        let access = a.enable_peer_access(&b).unwrap();
        assert!(!access.enabled_here());
        assert_eq!(access.disable().unwrap(), Disabled::LeftToOthers);
        assert!(is_enabled(world, 0, 1));
    });
}

#[test]
fn a_view_asks_whether_access_is_still_enabled() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let stream = a.new_stream().unwrap();
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        assert_eq!(others_disable(&world.runtime, 0, 1), 0);
        world.kernels.delayed_store(&stream, ONE, access.slice_mut(&mut theirs).unwrap(), 7, SLOW).unwrap();
        assert_eq!(theirs.to_vec().unwrap(), [7]);
    });
}

#[test]
fn enabling_both_undoes_its_half() {
    under_seeds("devices=2 peers=0>1", |world| {
        let (a, b) = pair(world);
        let error = PeerAccess::enable_both(&a, &b).unwrap_err();
        assert_eq!(error, Error::PeerUnreachable { accessor: 1, owner: 0 });
        assert!(!is_enabled(world, 0, 1));
    });
}

#[test]
fn enabling_both_leaves_what_was_there_before() {
    under_seeds("devices=2 peers=0>1", |world| {
        let (a, b) = pair(world);
        drop(a.enable_peer_access(&b).unwrap());
        assert!(PeerAccess::enable_both(&a, &b).is_err());
        assert!(is_enabled(world, 0, 1));
    });
}

/// The token is gone, the access is not: copies still go direct, and a new token disables it.
#[test]
fn dropping_a_token_disables_nothing() {
    under_seeds(PAIR, |world| {
        let (a, b) = pair(world);
        drop(a.enable_peer_access(&b).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        assert!(access.enabled_here());
        assert_eq!(access.disable().unwrap(), Disabled::Disabled);
        assert!(!is_enabled(world, 0, 1));
    });
}
