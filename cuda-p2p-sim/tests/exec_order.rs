//! Pins how the threads and blocks of launches take turns: barriers, blocks and devices that wait for each other, spins,
//! launches dropped half-way. Needs nothing. Does not assert an order beyond what barriers and memory promise.

mod exec_support;

use std::ffi::c_void;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use cuda_p2p_sim::exec::{DeviceLimits, Executor, KernelRun, Order, Step, hooks};
use exec_support::*;

const ORDERS: [Order; 4] = [Order::InOrder, Order::Seeded(1), Order::Seeded(2), Order::Seeded(3)];

static PARTIAL: u8 = 0;

/// Sum of 1024 words per block, halving through shared memory; the result is added to word 0 of the second argument.
unsafe extern "C-unwind" fn block_sum(args: *const *mut c_void) {
    // SAFETY: two parameters.
    let (input, output) = unsafe { (arg(args, 0), arg(args, 1)) };
    let (lane, size) = (me().thread_idx.x as usize, me().block_dim.x as usize);
    let partial = shared(&PARTIAL, size);
    store(partial, lane, load(input, index()));
    sync_block();
    let mut half = size / 2;
    while half > 0 {
        if lane < half {
            store(partial, lane, load(partial, lane) + load(partial, lane + half));
        }
        sync_block();
        half /= 2;
    }
    if lane == 0 {
        add(output, 0, load(partial, 0));
    }
}

#[test]
fn blocks_of_1024_threads_sum_through_shared_memory_in_any_order() {
    let space = space();
    let input = zeros(&space, 0, 4096);
    (0..4096).for_each(|i| store(input, i, i as u32));
    for order in ORDERS {
        let executor = Executor::new(0, Arc::clone(&space), DeviceLimits::default(), order);
        let output = zeros(&space, 0, 1);
        let kernel = kernel("block_sum", block_sum, 2);
        run(&executor, launch(kernel, 4, 1024, &[input, output])).expect("no fault");
        assert_eq!(load(output, 0), 4096 * 4095 / 2, "{order:?}");
        assert_eq!(executor.stacks().in_use, 0);
    }
}

/// Lanes that leave early do not hold up the barriers of the others, in the block and in the warp.
unsafe extern "C-unwind" fn early_exit(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let output = unsafe { arg(args, 0) };
    let lane = me().thread_idx.x;
    for round in 0..lane {
        add(output, round as usize, 1);
        sync_warp(u32::MAX);
        sync_block();
        // Lanes round + 1 and up are still here, and all of them have added.
        if load(output, round as usize) != me().block_dim.x - 1 - round {
            add(output, 99, 1);
        }
    }
}

#[test]
fn exited_threads_do_not_count_at_barriers() {
    let space = space();
    for order in ORDERS {
        let executor = Executor::new(0, Arc::clone(&space), DeviceLimits::default(), order);
        let output = zeros(&space, 0, 100);
        run(&executor, launch(kernel("early_exit", early_exit, 1), 1, 70, &[output])).expect("no fault");
        assert_eq!(load(output, 99), 0, "a thread passed a barrier before the others came, {order:?}");
        assert_eq!(load(output, 0), 69);
    }
}

/// Adds 1, then waits for all blocks of the grid with a raw loop.
unsafe extern "C-unwind" fn grid_barrier(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let counter = unsafe { arg(args, 0) };
    add(counter, 0, 1);
    while load(counter, 0) < me().grid_dim.x * me().block_dim.x {}
    add(counter, 1, 1);
}

#[test]
fn blocks_wait_for_each_other_up_to_the_residency_limit() {
    let space = space();
    let limits = DeviceLimits { multiprocessors: 2, blocks_per_multiprocessor: 8, ..DeviceLimits::default() };
    for order in ORDERS {
        let executor = Executor::new(0, Arc::clone(&space), limits, order);
        let counter = zeros(&space, 0, 2);
        run(&executor, launch(kernel("grid_barrier", grid_barrier, 1), 16, 32, &[counter]))
            .expect("no fault");
        assert_eq!(load(counter, 1), 16 * 32, "{order:?}");
    }
    // One block more than fits: on hardware it hangs, here the run says that it waits.
    let executor = Executor::new(0, Arc::clone(&space), limits, Order::InOrder);
    let counter = zeros(&space, 0, 2);
    let spec = launch(kernel("grid_barrier", grid_barrier, 1), 17, 32, &[counter]);
    let mut stuck = KernelRun::new(spec, &executor).expect("fits");
    let waits = (0..1000).any(|_| stuck.step(1000) == Step::Waiting);
    assert!(waits);
    assert_eq!(load(counter, 0), 16 * 32);
    assert_eq!(executor.stacks().in_use, 16 * 32);
    drop(stuck);
    assert_eq!(executor.stacks().in_use, 0, "a launch dropped half-way gives its stacks back");
}

/// Waits for word 0 to be even or odd (argument 1) and increments it, so many times (argument 2).
unsafe extern "C-unwind" fn ping_pong(args: *const *mut c_void) {
    // SAFETY: three parameters.
    let (flag, parity, rounds) = unsafe { (arg(args, 0), arg(args, 1), arg(args, 2)) };
    for _ in 0..rounds {
        while load(flag, 0) % 2 != parity as u32 {}
        store(flag, 0, load(flag, 0) + 1);
    }
}

#[test]
fn kernels_of_two_devices_play_ping_pong() {
    let space = space();
    space.set_peer(1, 0, true);
    let flag = zeros(&space, 0, 1);
    let player = |device: usize| {
        let space = Arc::clone(&space);
        thread::spawn(move || {
            let kernel = kernel("ping_pong", ping_pong, 3);
            run(&executor(device, &space), launch(kernel, 1, 1, &[flag, device, 1000]))
        })
    };
    for player in [player(0), player(1)] {
        player.join().expect("the device's thread lives").expect("no fault");
    }
    assert_eq!(load(flag, 0), 2000);
}

#[test]
fn two_launches_of_one_device_play_ping_pong_in_turns() {
    let space = space();
    let executor = executor(0, &space);
    let flag = zeros(&space, 0, 1);
    let mut players = [0, 1].map(|parity| {
        let spec = launch(kernel("ping_pong", ping_pong, 3), 1, 1, &[flag, parity, 100]);
        KernelRun::new(spec, &executor).expect("fits")
    });
    let mut waited = 0;
    while load(flag, 0) < 200 {
        for player in &mut players {
            waited += usize::from(player.step(10) == Step::Waiting);
        }
    }
    assert!(waited >= 100, "a launch that waits for another one says so");
    assert!(players.iter_mut().all(|player| player.step(10) == Step::Done));
}

/// Spins on the clock for so many nanoseconds, then sets word 0.
unsafe extern "C-unwind" fn sleep(args: *const *mut c_void) {
    // SAFETY: two parameters; called by a kernel.
    let (output, nanoseconds, now) = unsafe { (arg(args, 0), arg(args, 1), hooks().global_timer_ns) };
    // SAFETY: called by a kernel.
    let start = unsafe { now() };
    // SAFETY: called by a kernel.
    while unsafe { now() } - start < nanoseconds as u64 {}
    store(output, 0, 1);
}

#[test]
fn a_spin_on_the_clock_gives_way() {
    let space = space();
    let output = zeros(&space, 0, 1);
    let executor = executor(0, &space);
    let spec = launch(kernel("sleep", sleep, 2), 1, 1, &[output, 20_000_000]);
    let mut sleeper = KernelRun::new(spec, &executor).expect("fits");
    let start = Instant::now();
    assert_eq!(sleeper.step(1), Step::Waiting);
    assert_eq!(load(output, 0), 0);
    assert!(start.elapsed().as_millis() < 20, "one step must not take as long as the spin");
    finish(&mut sleeper).expect("no fault");
    assert_eq!(load(output, 0), 1);
}

/// Reads what the lane below wrote, without a barrier between; counts the stale ones.
unsafe extern "C-unwind" fn missing_barrier(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let stale = unsafe { arg(args, 0) };
    let (lane, partial) = (me().thread_idx.x as usize, shared(&PARTIAL, 32));
    store(partial, lane, lane as u32);
    if lane > 0 && load(partial, lane - 1) != lane as u32 - 1 {
        add(stale, 0, 1);
    }
}

#[test]
fn an_adversarial_order_shows_a_missing_barrier_and_repeats_itself() {
    let space = space();
    let stale = |order| {
        let executor = Executor::new(0, Arc::clone(&space), DeviceLimits::default(), order);
        let output = zeros(&space, 0, 1);
        let kernel = kernel("missing_barrier", missing_barrier, 1);
        run(&executor, launch(kernel, 1, 32, &[output])).expect("no fault");
        load(output, 0)
    };
    assert_eq!(stale(Order::InOrder), 0, "threads in order hide the mistake");
    assert_ne!(stale(Order::Seeded(1)), 0);
    assert_eq!(stale(Order::Seeded(1)), stale(Order::Seeded(1)));
}

/// Half of the threads wait for the block, the other half for their warp.
unsafe extern "C-unwind" fn divergent(_: *const *mut c_void) {
    if me().thread_idx.x.is_multiple_of(2) { sync_block() } else { sync_warp(u32::MAX) }
}

#[test]
fn barriers_that_cannot_open_are_a_fault() {
    let space = space();
    let executor = executor(0, &space);
    let fault = run(&executor, launch(kernel("divergent", divergent, 0), 1, 64, &[])).expect_err("hangs");
    assert_eq!(fault.kind.code(), 719);
    assert!(
        fault.to_string().contains("`divergent` on device 0: thread (0,0,0) of block (0,0,0) waits"),
        "{fault}"
    );
    assert_eq!(executor.stacks().in_use, 0);
}

/// Counts itself.
unsafe extern "C-unwind" fn count(args: *const *mut c_void) {
    // SAFETY: one parameter.
    let counter = unsafe { arg(args, 0) };
    add(counter, 0, 1);
}

#[test]
fn a_million_threads_use_one_stack() {
    let space = space();
    let executor = executor(0, &space);
    let counter = zeros(&space, 0, 1);
    let start = Instant::now();
    run(&executor, launch(kernel("count", count, 1), 4096, 256, &[counter])).expect("no fault");
    let took = start.elapsed();
    assert_eq!(load(counter, 0), 1 << 20);
    assert_eq!(executor.stacks().mapped, 1);
    println!("{} ns a thread", took.as_nanos() >> 20);
    assert!(took.as_secs() < 10, "a million threads took {took:?}");
}
