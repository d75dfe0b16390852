//! Tokens of peer access: who enabled it, who may disable it, and what is asked of the runtime each time. Kernels are
//! not run.

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{current_device, pair, take_last_error};
use cuda_p2p::{Device, Disabled, Error, PeerAccess, Runtime};

/// Peer access is a property of the process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another library of the process, which goes around this crate.
fn behind_our_back(runtime: &Runtime, accessor: Device, enable: bool, owner: i32) -> u32 {
    accessor.set_current().unwrap();
    let (enable_access, disable_access) = (
        runtime.table().cudaDeviceEnablePeerAccess.unwrap(),
        runtime.table().cudaDeviceDisablePeerAccess.unwrap(),
    );
    // SAFETY: both take numbers; no work that uses the access is under way.
    unsafe { if enable { enable_access(owner, 0) } else { disable_access(owner) } }.0
}

#[test]
fn enabling_twice_is_fine_and_leaves_no_error() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    let first = a.enable_peer_access(&b).unwrap();
    let second = a.enable_peer_access(&b).unwrap();
    assert!(first.enabled_here() && second.enabled_here());
    assert_eq!(take_last_error(&runtime), 0);
    drop(second);
    assert_eq!(first.disable().unwrap(), Disabled::Disabled);
}

#[test]
fn disabling_waits_for_the_last_token() {
    let _alone = alone();
    let (_, a, b) = pair();
    let first = a.enable_peer_access(&b).unwrap();
    let clone = first.clone();
    let refused = first.disable().unwrap_err();
    assert_eq!(refused.error, Error::PeerAccessInUse { accessor: 0, owner: 1, others: 1 });
    let memory = b.alloc_zeroed::<u8>(16).unwrap();
    assert!(refused.access.slice(&memory).is_ok(), "the token that was given back is good");
    drop(clone);
    assert_eq!(refused.access.disable().unwrap(), Disabled::Disabled);
}

#[test]
fn what_others_enabled_is_left_enabled() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    assert_eq!(behind_our_back(&runtime, a, true, 1), 0);
    let access = a.enable_peer_access(&b).unwrap();
    assert!(!access.enabled_here());
    assert_eq!(access.disable().unwrap(), Disabled::LeftToOthers);
    assert_eq!(behind_our_back(&runtime, a, true, 1), 704, "still enabled");
    assert_eq!(take_last_error(&runtime), 704);
    assert_eq!(behind_our_back(&runtime, a, false, 1), 0);
}

#[test]
fn what_others_disabled_is_noticed() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    let access = a.enable_peer_access(&b).unwrap();
    let memory = b.alloc_zeroed::<u8>(16).unwrap();
    assert_eq!(behind_our_back(&runtime, a, false, 1), 0);
    // A new view asks, and finds it disabled.
    assert!(access.slice(&memory).is_ok());
    assert_eq!(behind_our_back(&runtime, a, true, 1), 704, "enabled again");
    assert_eq!(take_last_error(&runtime), 704);
    assert_eq!(behind_our_back(&runtime, a, false, 1), 0);
    assert_eq!(access.disable().unwrap(), Disabled::WasDisabled);
    assert_eq!(take_last_error(&runtime), 0);
}

#[test]
fn dropping_a_token_disables_nothing() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    drop(a.enable_peer_access(&b).unwrap());
    assert_eq!(behind_our_back(&runtime, a, true, 1), 704);
    assert_eq!(take_last_error(&runtime), 704);
    let access = a.enable_peer_access(&b).unwrap();
    assert!(access.enabled_here(), "it was this crate, earlier");
    assert_eq!(access.disable().unwrap(), Disabled::Disabled);
}

#[test]
fn the_roles_are_named_and_the_current_device_stays() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    a.set_current().unwrap();
    let access = b.enable_peer_access(&a).unwrap();
    assert_eq!((access.accessor(), access.owner()), (b, a));
    let memory = b.alloc_zeroed::<u8>(16).unwrap();
    let error = access.slice(&memory).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the memory to view", expected: 0, found: 1 });
    assert!(error.to_string().contains("the accessor's own memory needs no view"), "{error}");
    access.disable().unwrap();
    assert_eq!(current_device(&runtime), 0);
}

#[test]
fn a_device_is_no_peer_of_itself() {
    let (_, a, _) = pair();
    assert_eq!(a.enable_peer_access(&a).unwrap_err(), Error::SameDevice { device: 0 });
    assert_eq!(PeerAccess::enable_both(&a, &a).unwrap_err(), Error::SameDevice { device: 0 });
    assert_eq!(a.can_access_peer(&a), Ok(false));
}

#[test]
fn an_error_that_others_left_pending_is_still_pending() {
    let _alone = alone();
    let (runtime, a, b) = pair();
    let access = a.enable_peer_access(&b).unwrap();
    assert_eq!(behind_our_back(&runtime, a, true, 1), 704, "and not taken");
    // Calls of ours that succeed, that fail, and that answer with a code of their own.
    let again = a.enable_peer_access(&b).unwrap();
    assert!(a.alloc_zeroed::<u8>(1 << 60).is_err());
    assert!(a.new_stream().unwrap().is_done().unwrap());
    drop(again);
    assert_eq!(access.disable().unwrap(), Disabled::Disabled);
    assert_eq!(take_last_error(&runtime), 704);
}
