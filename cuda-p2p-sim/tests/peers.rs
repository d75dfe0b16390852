//! Peer access, call by call: codes, order of the checks, last errors, directions, limits. No kernel runs here.

#[macro_use]
mod common;

use std::ptr;

use common::{Session, machine, pair, session};
use cuda_p2p_sim::{MachineConfig, Peers};
use cuda_p2p_sys::cudaDeviceP2PAttr;

fn can(session: &Session, accessor: i32, owner: i32) -> i32 {
    let mut answer = -1;
    assert_eq!(cuda!(session, cudaDeviceCanAccessPeer(&mut answer, accessor, owner)), 0);
    answer
}

#[test]
fn queries() {
    let s = pair();
    assert_eq!([can(&s, 0, 1), can(&s, 1, 0), can(&s, 0, 0)], [1, 1, 0]);
    let mut answer = -1;
    for (accessor, owner) in [(0, 99), (-1, 0)] {
        assert_eq!(cuda!(s, cudaDeviceCanAccessPeer(&mut answer, accessor, owner)), 101);
        assert_eq!(
            [s.last(), s.last()],
            [101, 0],
            "a failed query sets the last error, and reading it clears it"
        );
    }
    assert_eq!(cuda!(s, cudaDeviceCanAccessPeer(ptr::null_mut(), 0, 1)), 1);
    assert_eq!(cuda!(s, cudaPeekAtLastError()), 1);
    assert_eq!(s.last(), 1);
    let values = [1, 2, 3, 4].map(|attribute| {
        let status = cuda!(s, cudaDeviceGetP2PAttribute(&mut answer, cudaDeviceP2PAttr(attribute), 0, 1));
        assert_eq!(status, 0);
        answer
    });
    assert_eq!(values, [0, 1, 1, 1]);
}

#[test]
fn enabling_and_disabling() {
    let s = pair();
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 217);
    assert_eq!(s.last(), 217);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 1)), 1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 1)), 1, "flags before self");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(99, 1)), 101, "device before flags");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(-1, 0)), 101);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 705);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(0)), 705);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(99)), 101);
    assert_eq!(s.last(), 101);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    assert_eq!(s.last(), 0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 1)), 1, "flags before enabled");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 704);
    let mut current = -1;
    assert_eq!(cuda!(s, cudaGetDevice(&mut current)), 0);
    assert_eq!(s.last(), 704, "a call that succeeds leaves the last error alone");
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 0);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 705);
}

#[test]
fn the_last_error_is_the_threads_own() {
    let s = pair();
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 705);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(s.last(), 0)).join().expect("the thread");
    });
    assert_eq!(s.last(), 705);
}

#[test]
fn directions_are_separate() {
    let s = machine("devices=2 peers=0>1");
    assert_eq!([can(&s, 0, 1), can(&s, 1, 0)], [1, 0]);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 217);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(0)), 705);
}

#[test]
fn islands_reach_only_their_own() {
    let s = session(MachineConfig::devices(4).peers(Peers::Islands(2)));
    let all = (0..4).flat_map(|a| (0..4).map(move |b| (a, b)));
    let reachable: Vec<_> = all.filter(|&(a, b)| can(&s, a, b) == 1).collect();
    assert_eq!(reachable, [(0, 1), (1, 0), (2, 3), (3, 2)]);
}

#[test]
fn nine_devices_all_reach_each_other_and_a_tenth_is_one_too_many() {
    let s = session(MachineConfig::devices(10));
    for accessor in 0..9 {
        s.set_device(accessor);
        for owner in (0..9).filter(|&owner| owner != accessor) {
            assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(owner, 0)), 0, "{accessor} -> {owner}");
        }
        assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(9, 0)), 711);
        assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess((accessor + 1) % 9)), 0);
        assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(9, 0)), 0, "there is room again");
    }
}

#[test]
fn a_reset_takes_access_away_in_both_directions() {
    let s = pair();
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 0);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 0);
    s.set_device(0);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
}
