//! Pins what a kernel may touch, and what a launch that touches something else ends with: the exact address, the thread,
//! and whose memory it was. Needs nothing.

mod exec_support;

use std::ffi::c_void;
use std::ptr;

use cuda_p2p_sim::exec::{AccessKind, Denied, Fault, FaultKind, KernelRun, Step, hooks};
use cuda_p2p_sim::space::{AccessError, Owner, POISON, PoolId};
use cuda_p2p_sys::host_abi::{ACCESS_ATOMIC, ACCESS_GLOBAL, ACCESS_MISALIGNED, ACCESS_READ, ACCESS_WRITE};
use exec_support::*;

/// `y[i] += x[i]` for as many words as there are threads.
unsafe extern "C-unwind" fn peer_add(args: *const *mut c_void) {
    // SAFETY: two parameters.
    let (y, x) = unsafe { (arg(args, 0), arg(args, 1)) };
    let i = index();
    store(y, i, load(y, i).wrapping_add(load(x, i)));
}

fn peer_add_on_0(
    space: &std::sync::Arc<cuda_p2p_sim::space::Space>,
    y: usize,
    x: usize,
) -> Result<(), Box<Fault>> {
    run(&executor(0, space), launch(kernel("peer_add", peer_add, 2), 2, 8, &[y, x]))
}

#[test]
fn a_peers_memory_needs_access_and_the_fault_says_so() {
    let space = space();
    let (y, x) = (zeros(&space, 0, 16), zeros(&space, 1, 16));
    (0..16).for_each(|i| store(x, i, 5));
    let fault = peer_add_on_0(&space, y, x).expect_err("no access yet");
    assert_eq!(fault.kind.code(), 700);
    assert_eq!(
        fault.to_string(),
        format!(
            "kernel `peer_add` on device 0: thread (0,0,0) of block (0,0,0) read 4 bytes at {x:#x}: memory of device 1, to which device 0 has no peer access"
        )
    );
    space.set_peer(0, 1, true);
    peer_add_on_0(&space, y, x).expect("access enabled");
    assert!((0..16).all(|i| load(y, i) == 5));
    space.set_peer(0, 1, false);
    peer_add_on_0(&space, y, x).expect_err("access disabled");
    space.set_peer(1, 0, true);
    peer_add_on_0(&space, y, x).expect_err("the other direction is not this one");
}

#[test]
fn one_element_past_the_end_is_a_fault_of_that_thread() {
    let space = space();
    let (y, x) = (zeros(&space, 0, 16), zeros(&space, 0, 11));
    let fault = peer_add_on_0(&space, y, x).expect_err("x is too short");
    assert_eq!((fault.block, fault.thread), ([1, 0, 0], [3, 0, 0]));
    let FaultKind::Access { address, bytes: 4, access: AccessKind::Read, reason } = fault.kind else {
        panic!("{fault}");
    };
    assert_eq!(address, x + 44);
    let Denied::Space(AccessError::OutOfBounds { offset: 44, past: 4, .. }) = reason else {
        panic!("{reason}");
    };
}

#[test]
fn freed_memory_is_named_as_freed() {
    let space = space();
    let (y, x) = (zeros(&space, 0, 16), zeros(&space, 0, 16));
    space.free(x).expect("live");
    let fault = peer_add_on_0(&space, y, x).expect_err("x is freed");
    assert!(
        fault.to_string().ends_with("memory of device 0 that has been freed (offset 0 of 64 bytes)"),
        "{fault}"
    );
}

/// Reads word 0 of the argument in each of two turns.
unsafe extern "C-unwind" fn read_twice(args: *const *mut c_void) {
    // SAFETY: one parameter; called by a kernel.
    let (x, yield_) = unsafe { (arg(args, 0), hooks().yield_) };
    load(x, 0);
    // SAFETY: called by a kernel.
    unsafe { yield_() };
    load(x, 0);
}

#[test]
fn what_was_allowed_in_one_turn_is_asked_again_after_a_free() {
    let space = space();
    let x = zeros(&space, 0, 1);
    let executor = executor(0, &space);
    let spec = launch(kernel("read_twice", read_twice, 1), 1, 1, &[x]);
    let mut reader = KernelRun::new(spec, &executor).expect("fits");
    assert_eq!(reader.step(1), Step::Waiting);
    space.free(x).expect("live");
    let fault = finish(&mut reader).expect_err("x is freed");
    assert_eq!(fault.kind.code(), 700);
    assert_eq!(reader.step(1), Step::Fault(fault), "a launch that is over stays over");
}

#[test]
fn pools_are_granted_and_pinned_memory_is_everybodys() {
    let space = space();
    let y = zeros(&space, 0, 16);
    let pool = PoolId(4);
    let x = space.allocate(Owner::Device { ordinal: 1, pool: Some(pool) }, 64).expect("room");
    space.set_peer(0, 1, true);
    let fault = peer_add_on_0(&space, y, x).expect_err("peer access does not cover pools");
    assert!(
        fault.to_string().ends_with("memory of pool 4 of device 1, which is not granted to device 0"),
        "{fault}"
    );
    space.set_pool_grant(pool, 0, true);
    peer_add_on_0(&space, y, x).expect("granted");
    let pinned = space.allocate(Owner::Host, 64).expect("room");
    peer_add_on_0(&space, y, pinned).expect("pinned");
}

#[test]
fn pageable_host_memory_and_null_are_faults() {
    let space = space();
    let y = zeros(&space, 0, 16);
    let host = [0u32; 16];
    let fault = peer_add_on_0(&space, y, host.as_ptr().expose_provenance()).expect_err("pageable");
    assert!(fault.to_string().ends_with("neither memory of a device nor pinned host memory"), "{fault}");
    let fault = peer_add_on_0(&space, y, 0).expect_err("null");
    assert!(fault.to_string().ends_with("read 4 bytes at 0x0: a null pointer"), "{fault}");
}

/// What the kernel below does.
#[repr(usize)]
#[derive(Clone, Copy)]
enum Way {
    OwnStack,
    Parameters,
    SharedExact,
    SharedPastEnd,
    SharedTooMuch,
    DynamicPastEnd,
    OthersStack,
    OrderedOnShared,
    OrderedOnStack,
    MisalignedAtomic,
    MisalignedStore,
    Assertion,
    Trap,
    Panic,
}

static VARIABLE: u8 = 0;
static LARGE: u8 = 0;
static MAILBOX: u8 = 0;

unsafe extern "C-unwind" fn misbehave(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let way = unsafe { arg(args, 0) };
    let hooks = hooks();
    let local = 7u32;
    let mut bytes = 0;
    let own = ptr::from_ref(&local).expose_provenance();
    if way == Way::OwnStack as usize {
        access(own, 4, ACCESS_READ);
    } else if way == Way::Parameters as usize {
        // SAFETY: one parameter.
        access(unsafe { *args }.addr(), 8, ACCESS_READ);
        access(ptr::from_ref(&me()).addr(), size_of_val(&me()), ACCESS_READ);
    } else if way == Way::SharedExact as usize {
        let variable = shared(&VARIABLE, 3);
        assert_eq!(load(variable, 2), u32::from_ne_bytes([POISON; 4]));
        // SAFETY: called by a kernel.
        let dynamic = unsafe { (hooks.dynamic_shared)(&raw mut bytes) }.expose_provenance();
        assert_eq!(bytes, 10);
        access(dynamic + 9, 1, ACCESS_READ);
    } else if way == Way::SharedPastEnd as usize {
        load(shared(&VARIABLE, 3), 3);
    } else if way == Way::SharedTooMuch as usize {
        shared(&LARGE, 49 << 8);
    } else if way == Way::DynamicPastEnd as usize {
        // SAFETY: called by a kernel.
        let dynamic = unsafe { (hooks.dynamic_shared)(ptr::null_mut()) }.expose_provenance();
        access(dynamic + 8, 4, ACCESS_READ);
    } else if way == Way::OthersStack as usize {
        let mailbox = shared(&MAILBOX, 2);
        if me().thread_idx.x == 0 {
            store(mailbox, 0, own as u32);
            store(mailbox, 1, (own >> 32) as u32);
        }
        sync_block();
        if me().thread_idx.x == 1 {
            access(load(mailbox, 0) as usize | (load(mailbox, 1) as usize) << 32, 4, ACCESS_READ);
        }
        sync_block();
    } else if way == Way::OrderedOnShared as usize {
        access(shared(&VARIABLE, 3), 4, ACCESS_WRITE | ACCESS_GLOBAL);
    } else if way == Way::OrderedOnStack as usize {
        access(own, 4, ACCESS_READ | ACCESS_GLOBAL);
    } else if way == Way::MisalignedAtomic as usize {
        access(shared(&VARIABLE, 3) + 2, 4, ACCESS_ATOMIC | ACCESS_MISALIGNED);
    } else if way == Way::MisalignedStore as usize {
        access(shared(&VARIABLE, 3) + 2, 4, ACCESS_WRITE | ACCESS_MISALIGNED);
    } else if way == Way::Assertion as usize {
        // SAFETY: called by a kernel.
        unsafe { (hooks.failed_assertion)() };
    } else if way == Way::Trap as usize {
        // SAFETY: called by a kernel.
        unsafe { (hooks.trap)() };
    } else {
        panic!("a kernel of the tests");
    }
}

fn misbehave_in(way: Way) -> Result<(), Box<Fault>> {
    let executor = executor(0, &space());
    let mut spec = launch(kernel("misbehave", misbehave, 1), 1, 2, &[way as usize]);
    spec.dynamic_shared = 10;
    let result = run(&executor, spec);
    assert_eq!(executor.stacks().in_use, 0);
    result
}

#[test]
fn a_thread_may_touch_its_stack_its_parameters_and_its_blocks_shared_memory() {
    for way in [Way::OwnStack, Way::Parameters, Way::SharedExact] {
        misbehave_in(way).expect("allowed");
    }
}

#[test]
fn each_misdeed_has_its_code_and_words() {
    let expected = [
        (Way::SharedPastEnd, 700, "shared memory outside the variables of the thread's own block"),
        (Way::DynamicPastEnd, 700, "shared memory outside the variables of the thread's own block"),
        (Way::SharedTooMuch, 719, "needs 50186 bytes of shared memory in its block, which has"),
        (Way::OthersStack, 700, "thread (1,0,0) of block (0,0,0) read 4 bytes at "),
        (Way::OthersStack, 700, ": local memory of another thread"),
        (Way::OrderedOnShared, 700, "wrote 4 bytes at "),
        (Way::OrderedOnShared, 700, "shared or local memory, where an ordered access takes global memory"),
        (Way::OrderedOnStack, 700, "shared or local memory, where an ordered access takes global memory"),
        (Way::MisalignedAtomic, 716, "updated 4 bytes at "),
        (Way::MisalignedStore, 716, "wrote 4 bytes at "),
        (Way::MisalignedStore, 716, "which is not a multiple of 4"),
        (Way::Assertion, 710, "failed an assertion"),
        (Way::Trap, 719, "called __trap()"),
        (Way::Panic, 719, "let a panic escape: a kernel of the tests"),
    ];
    for (way, code, words) in expected {
        let fault = misbehave_in(way).expect_err(words);
        assert_eq!(fault.kind.code(), code, "{fault}");
        assert!(fault.to_string().contains(words), "{fault}");
    }
}
