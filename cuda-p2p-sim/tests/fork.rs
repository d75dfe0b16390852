//! A forked child has the machine's memory and none of its threads: every call must answer, none may hang.
//!
//! One test, so that the process forks while no other test's thread holds a lock of the system's allocator.

#[macro_use]
mod common;

use common::pair;
use cuda_p2p_sim::{MachineConfig, StartError, start};

#[test]
fn a_forked_child_is_told_so() {
    let s = pair();
    let place = s.malloc(0, 64);
    let (mut count, mut version, mut can) = (0, 0, 0);
    // SAFETY: the child calls the functions under test and leaves by _exit; those take no lock before they notice.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "fork");
    if child == 0 {
        let told = [cuda!(s, cudaGetDeviceCount(&mut count)), cuda!(s, cudaRuntimeGetVersion(&mut version))];
        let answers = [
            cuda!(s, cudaSetDevice(0)),
            cuda!(s, cudaFree(place)),
            cuda!(s, cudaDeviceSynchronize()),
            cuda!(s, cudaDeviceCanAccessPeer(&mut can, 0, 1)),
            cuda!(s, cudaGetLastError()),
        ];
        let refused = matches!(start(MachineConfig::pair()), Err(StartError::Forked));
        let good = told == [0; 2] && count == 2 && version >= 12_000 && answers == [3; 5] && refused;
        // SAFETY: ends the child at once, without the parent's exit handlers.
        unsafe { libc::_exit(if good { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for the child of this very process.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
    assert_eq!(cuda!(s, cudaFree(place)), 0, "the parent goes on");
}
