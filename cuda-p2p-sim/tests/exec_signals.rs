//! Pins that what slips past the hooks ends the launch and not the process: stray accesses of code that reports nothing,
//! stack overflows, divisions by zero. Needs Linux on x86-64 or aarch64.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod exec_support;

use std::ffi::c_void;
use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::Ordering;

use cuda_p2p_sim::exec::{Denied, FaultKind};
use cuda_p2p_sim::space::AccessError;
use exec_support::*;

/// Writes a word without a word to the hooks.
unsafe extern "C-unwind" fn stray(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let address = unsafe { arg(args, 0) };
    sync_block();
    if me().thread_idx.x == 3 {
        // SAFETY: none; this is the misdeed under test, on pages that are mapped without any right.
        unsafe { ptr::with_exposed_provenance_mut::<u32>(address).write_volatile(1) };
    }
    sync_block();
}

#[test]
fn an_unreported_access_ends_the_launch_with_its_address() {
    let space = space();
    let executor = executor(0, &space);
    let x = zeros(&space, 0, 1);
    space.free(x).expect("live");
    for _ in 0..3 {
        let fault = run(&executor, launch(kernel("stray", stray, 1), 1, 64, &[x])).expect_err("x is freed");
        assert_eq!(fault.thread, [3, 0, 0]);
        let FaultKind::Access { address, reason: Denied::Space(AccessError::Freed { .. }), .. } = fault.kind
        else {
            panic!("{fault}");
        };
        assert_eq!(address, x);
        assert_eq!(executor.stacks().in_use, 0);
    }
    let fine = zeros(&space, 0, 1);
    run(&executor, launch(kernel("stray", stray, 1), 1, 64, &[fine])).expect("the device goes on");
}

fn deeper(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { deeper(depth + 1) + frame[depth as usize % 64] }
}

unsafe extern "C-unwind" fn overflow(_: *const *mut c_void) {
    black_box(deeper(0));
}

/// Overflows with the help of a hook.
unsafe extern "C-unwind" fn overflow_in_hook(_: *const *mut c_void) {
    sync_block();
    let room = black_box([1u8; 512]);
    if black_box(true) {
        // SAFETY: uses no parameter.
        unsafe { overflow_in_hook(ptr::null()) };
    }
    black_box(room);
}

#[test]
fn a_stack_overflow_ends_the_launch() {
    let space = space();
    for (name, invoke) in [("overflow", overflow as Invoke), ("overflow_in_hook", overflow_in_hook)] {
        let executor = executor(0, &space);
        let fault = run(&executor, launch(kernel(name, invoke, 0), 2, 4, &[])).expect_err("too deep");
        assert_eq!(fault.kind, FaultKind::StackOverflow { stack: 128 << 10 });
        assert_eq!(fault.kind.code(), 719);
        assert_eq!(executor.stacks().in_use, 0);
    }
}

#[test]
fn a_crash_outside_of_kernels_is_still_a_crash() {
    const CHILD: &str = "CUDA_P2P_TEST_CRASH";
    let space = space();
    let executor = executor(0, &space);
    if std::env::var_os(CHILD).is_some() {
        let x = zeros(&space, 0, 1);
        run(&executor, launch(kernel("stray", stray, 1), 1, 1, &[x])).expect("no fault");
        space.free(x).expect("live");
        word(x, 0).store(1, Ordering::Relaxed);
        return;
    }
    let child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "a_crash_outside_of_kernels_is_still_a_crash"])
        .env(CHILD, "1")
        .output()
        .expect("a child of this test starts");
    assert_eq!(child.status.signal(), Some(libc::SIGSEGV), "{child:?}");
}

#[cfg(target_arch = "x86_64")]
unsafe extern "C-unwind" fn divide(_: *const *mut c_void) {
    // SAFETY: none; a division by zero is the misdeed under test.
    unsafe { std::arch::asm!("div {0:e}", in(reg) 0, inout("eax") 1 => _, inout("edx") 0 => _) };
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_division_by_zero_ends_the_launch() {
    let fault =
        run(&executor(0, &space()), launch(kernel("divide", divide, 0), 1, 1, &[])).expect_err("SIGFPE");
    assert!(fault.to_string().contains("divided an integer by zero"), "{fault}");
}
