//! Threads that meet at captures, launches and locks: nobody waits for somebody who waits for him, nor for a moment that never comes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use cuda_p2p::Runtime;
use cuda_p2p::sys::{CudaRuntime, cudaError_t, cudaEvent_t, cudaStream_t};
use cuda_p2p_model::{Kernels, World, under_seeds};

use crate::stop::{Stop, stopped};
use crate::{ONE, PAIR};

/// Long enough for a thread to be where it waits.
const A_WHILE: Duration = Duration::from_millis(2);

/// The table of the machine, whose functions stay the same from one to the next.
static TABLE: OnceLock<CudaRuntime> = OnceLock::new();

unsafe extern "C" fn record(event: cudaEvent_t, stream: cudaStream_t) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaEventRecord).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(event, stream) })
}

/// A runtime in whose records of events a thread can be stopped.
fn with_stops(world: &World) -> (Runtime, Kernels) {
    let table = TABLE.get_or_init(|| *world.runtime.table());
    let mut table = CudaRuntime { cudaEventRecord: Some(record), ..*table };
    // Records by the driver would go around the stop.
    table.cudaGetDriverEntryPointByVersion = None;
    table.cudaGetDriverEntryPoint = None;
    // SAFETY: the functions are those of the machine, which nothing else of this test uses.
    let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(table))) };
    (runtime, Kernels::load(&runtime).unwrap())
}

/// Ends the process if `body` does not come to an end: its threads cannot be.
fn comes_to_an_end(body: impl FnOnce()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            while !over.load(Ordering::SeqCst) {
                if start.elapsed() > Duration::from_secs(20) {
                    eprintln!("threads wait for each other for ever");
                    std::process::abort();
                }
                std::thread::sleep(A_WHILE);
            }
        });
        body();
        over.store(true, Ordering::SeqCst);
    });
}

/// One thread takes a stream into a capture by a wait for an event, another records that event in the same stream.
#[test]
fn who_records_an_event_and_who_waits_for_it_in_the_same_stream() {
    under_seeds("devices=1", |world| {
        let (runtime, _) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let [first, second] = [(); 2].map(|()| device.new_stream().unwrap());
        let event = device.new_event_untimed().unwrap();
        let stop = Stop::new();
        comes_to_an_end(|| {
            let graph = first.capture(|capture| {
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        stop.arm();
                        first.record(&event).unwrap();
                    });
                    stop.wait_until_inside();
                    scope.spawn(|| second.wait_event(&event).unwrap());
                    std::thread::sleep(A_WHILE);
                    scope.spawn(|| second.record(&event).unwrap());
                    std::thread::sleep(A_WHILE);
                    stop.go();
                });
                // If the record came first, the stream is no part of the capture.
                drop(capture.join(&second));
                Ok(())
            });
            drop(graph.unwrap());
        });
    });
}

/// A capture ends while one thread is putting a launch with a peer's view into one of its streams, and another copies between the
/// pair in another of them.
#[test]
fn a_capture_that_ends_keeps_nobody_out_while_it_waits() {
    under_seeds(PAIR, |world| {
        let (runtime, kernels) = with_stops(world);
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let [first, second] = [(); 2].map(|()| a.new_stream().unwrap());
        let (mut theirs, source) = (b.alloc_from(&[1u32]).unwrap(), b.alloc_from(&[5u32]).unwrap());
        let mut ours = a.alloc_from(&[2u32]).unwrap();
        let stop = Stop::new();
        comes_to_an_end(|| {
            std::thread::scope(|scope| {
                let (first, second, access, kernels) = (&first, &second, &access, &kernels);
                let (theirs, ours, source) = (&mut theirs, &mut ours, &source);
                let graph = first.capture(|capture| {
                    kernels.delayed_store(first, ONE, access.slice_mut(&mut *theirs)?, 3, 0)?;
                    capture.fork(second)?;
                    scope.spawn(move || {
                        stop.arm();
                        let view = access.slice_mut(theirs).unwrap();
                        kernels.delayed_store(second, ONE, view, 4, 0).unwrap();
                    });
                    stop.wait_until_inside();
                    scope.spawn(move || {
                        std::thread::sleep(A_WHILE);
                        first.copy_peer_async(ours, source).unwrap();
                    });
                    scope.spawn(move || {
                        std::thread::sleep(2 * A_WHILE);
                        stop.go();
                    });
                    Ok(())
                });
                // What the launch put in was not joined.
                drop(graph);
            });
        });
    });
}

/// Threads that have work under way on other parts of the memory all the time give way to a launch.
#[test]
fn a_launch_comes_in_among_threads_that_go_on() {
    const THREADS: usize = 8;
    under_seeds("devices=1", |world| {
        let device = world.runtime.device(0).unwrap();
        let mut memory = device.alloc_from(&[1u32; THREADS + 1]).unwrap();
        let seven = device.alloc_from(&[7u32]).unwrap();
        let stream = device.new_stream().unwrap();
        let graph = stream.capture(|_| stream.fill_bytes_async(memory.slice_mut(..1).unwrap(), 1));
        let exec = graph.unwrap().instantiate().unwrap();
        let (over, running) = (AtomicBool::new(false), Barrier::new(THREADS + 1));
        let (_, mut rest) = memory.as_slice_mut().split_at_mut(1).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                let (mut part, tail) = rest.split_at_mut(1).unwrap();
                rest = tail;
                let (over, running, seven) = (&over, &running, &seven);
                scope.spawn(move || {
                    let stream = device.new_stream().unwrap();
                    running.wait();
                    while !over.load(Ordering::SeqCst) {
                        stream.copy_async(&mut part, seven).unwrap();
                    }
                });
            }
            running.wait();
            let start = Instant::now();
            let launched = (0..10).try_for_each(|_| exec.launch(&stream));
            over.store(true, Ordering::SeqCst);
            launched.unwrap();
            assert!(start.elapsed() < Duration::from_secs(5), "launches took {:?}", start.elapsed());
        });
    });
}
