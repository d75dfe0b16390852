//! What waits for what, and what does not: drops, copies of other threads, and disabling access do not wait for work that they
//! have nothing to do with, and do not keep what is done.

mod common;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::raw::{changed_table, destroy_stream, new_stream};
use common::{isolated, machine, pair};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::sys::{cudaError, cudaEvent_t, cudaStream_t};
use cuda_p2p::{CopyPath, Device, DeviceBuffer, Disabled, LaunchConfig, PeerAccess, Stream};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
/// In nanoseconds: much longer than what is done meanwhile.
const LONG: u64 = 500_000_000;

/// Long enough for another thread to be where it waits.
fn pause() {
    std::thread::sleep(Duration::from_millis(50));
}

/// A kernel that waits for a flag.
struct Game {
    flag: DeviceBuffer<u32>,
    other: DeviceBuffer<u32>,
    status: DeviceBuffer<u32>,
}

impl Game {
    fn start(kernels: &Kernels, device: &Device, stream: &Stream) -> Self {
        let new = || device.alloc_zeroed::<u32>(1).unwrap();
        let mut game = Self { flag: new(), other: new(), status: device.alloc_from(&[7]).unwrap() };
        device.synchronize().unwrap();
        // SAFETY: the flag is polled with acquire and set with release, or by a copy of one word.
        let flag = unsafe { game.flag.as_slice_mut().unordered() };
        kernels
            .ping_pong(stream, ONE, flag, &mut game.other, 1, 0, 10_000_000_000, &mut game.status)
            .unwrap();
        game
    }

    /// Whether the flag came in time.
    fn was_played(&self) -> bool {
        self.status.to_vec().unwrap() == [0]
    }
}

#[test]
fn memory_that_is_only_read_keeps_no_streams() {
    isolated("memory_that_is_only_read_keeps_no_streams", &[], || {
        let (_, a, _) = pair();
        let memory = a.alloc_from(&[1u32; 4]).unwrap();
        let before = cuda_p2p_sim::counters().streams;
        for _ in 0..200 {
            let stream = a.new_stream().unwrap();
            let mut found = [0; 4];
            stream.copy_to_host(&memory, &mut found).unwrap();
        }
        let kept = cuda_p2p_sim::counters().streams - before;
        assert!(kept <= 16, "{kept} streams are kept");
    });
}

#[test]
fn dropping_memory_does_not_wait_for_a_stream_that_is_gone() {
    isolated("dropping_memory_does_not_wait_for_a_stream_that_is_gone", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (memory, before) = (a.alloc_from(&[1u32; 4]).unwrap(), cuda_p2p_sim::counters().allocations);
        let (stream, end) = (a.new_stream().unwrap(), a.new_event().unwrap());
        kernels.delay(&stream, ONE, LONG).unwrap();
        stream.record(&end).unwrap();
        drop(stream);
        drop(memory);
        assert!(!end.is_done().unwrap(), "the drop waited for the kernel");
        end.synchronize().unwrap();
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, before - 1);
    });
}

#[test]
fn dropping_memory_does_not_wait_for_a_stream_that_was_borrowed() {
    isolated("dropping_memory_does_not_wait_for_a_stream_that_was_borrowed", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (memory, before) = (a.alloc_from(&[1u32; 4]).unwrap(), cuda_p2p_sim::counters().allocations);
        let (handle, end) = (new_stream(&a), a.new_event().unwrap());
        // SAFETY: the stream is live until its borrow has ended.
        let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
        kernels.delay(&stream, ONE, LONG).unwrap();
        stream.record(&end).unwrap();
        drop(stream);
        assert_eq!(destroy_stream(&a, handle), 0);
        drop(memory);
        assert!(!end.is_done().unwrap(), "the drop waited for the kernel");
        end.synchronize().unwrap();
        a.synchronize().unwrap();
        assert_eq!(cuda_p2p_sim::counters().allocations, before - 1);
    });
}

#[test]
fn a_copy_does_not_wait_behind_another_threads() {
    isolated("a_copy_does_not_wait_behind_another_threads", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (stream, second) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let mut slow = a.alloc_zeroed::<u32>(1).unwrap();
        let (mut zeroed, mut read) = (a.alloc_zeroed::<u32>(1).unwrap(), a.alloc_from(&[3u32]).unwrap());
        assert_eq!(read.to_vec().unwrap(), [3]);
        kernels.delayed_store(&stream, ONE, &mut slow, 7, LONG).unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| slow.to_vec().unwrap());
            pause();
            // Other memory, read and made; and used on another stream after that.
            assert_eq!(read.to_vec().unwrap(), [3]);
            assert_eq!(a.alloc_from(&[4u32]).unwrap().to_vec().unwrap(), [4]);
            second.fill_bytes_async(&mut read, 0).unwrap();
            second.fill_bytes_async(&mut zeroed, 0).unwrap();
            second.synchronize().unwrap();
            assert!(!stream.is_done().unwrap(), "something waited for the other thread's kernel");
            assert_eq!(waits.join().unwrap(), [7]);
        });
    });
}

#[test]
fn what_a_waiting_copy_waits_for_can_still_be_done() {
    isolated("what_a_waiting_copy_waits_for_can_still_be_done", &[], || {
        let (runtime, a, _) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let (stream, second) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let mut memory = a.alloc_zeroed::<u32>(1).unwrap();
        let mut game = Game::start(&kernels, &a, &stream);
        kernels.delayed_store(&stream, ONE, &mut memory, 5, 0).unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| memory.to_vec().unwrap());
            pause();
            let _other = a.alloc_from(&[1u32]).unwrap();
            // SAFETY: the flag is polled with acquire and set with release.
            let flag = unsafe { game.flag.as_slice_mut().unordered() };
            kernels.delayed_store(&second, ONE, flag, 1, 0).unwrap();
            assert_eq!(waits.join().unwrap(), [5]);
        });
        assert!(game.was_played());
    });
}

#[test]
fn what_disabling_waits_for_can_still_be_done() {
    isolated("what_disabling_waits_for_can_still_be_done", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let access = a.enable_peer_access(&b).unwrap();
        let (stream, second) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let one = b.alloc_from(&[1u32]).unwrap();
        let mut game = Game::start(&kernels, &a, &stream);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| access.disable());
            pause();
            // SAFETY: the flag is one word, polled with acquire.
            let flag = unsafe { game.flag.as_slice_mut().unordered() };
            let path = second.copy_peer_async(flag, &one).unwrap();
            assert!(matches!(path, CopyPath::Staged { .. }), "the access is about to go: {path}");
            assert_eq!(waits.join().unwrap().unwrap(), Disabled::Disabled);
        });
        assert!(game.was_played());
    });
}

#[test]
fn a_token_that_comes_up_while_disabling_waits_keeps_the_access() {
    isolated("a_token_that_comes_up_while_disabling_waits_keeps_the_access", &[], || {
        let (runtime, a, b) = pair();
        let kernels = Kernels::load(&runtime).unwrap();
        let stream = a.new_stream().unwrap();
        for keep in [true, false] {
            let access = a.enable_peer_access(&b).unwrap();
            kernels.delay(&stream, ONE, LONG / 2).unwrap();
            let (kept, outcome): (Option<PeerAccess>, _) = std::thread::scope(|scope| {
                let waits = scope.spawn(|| access.disable());
                pause();
                let new = a.enable_peer_access(&b).unwrap();
                assert!(!stream.is_done().unwrap(), "the new token waited");
                (keep.then_some(new), waits.join().unwrap())
            });
            match outcome {
                Ok(Disabled::Disabled) => assert!(!keep),
                Err(refused) => {
                    assert!(keep && refused.error.to_string().contains("1 other"), "{}", refused.error);
                    // It can be done with the last one.
                    drop(refused);
                    assert_eq!(kept.unwrap().disable().unwrap(), Disabled::Disabled);
                }
                Ok(other) => panic!("{other:?}"),
            }
        }
    });
}

/// Whether streams say that they are busy, and events take their time to answer.
static BUSY: AtomicBool = AtomicBool::new(false);
type Query<T> = OnceLock<unsafe extern "C" fn(T) -> cudaError>;
static STREAM_QUERY: Query<cudaStream_t> = OnceLock::new();
static EVENT_QUERY: Query<cudaEvent_t> = OnceLock::new();

unsafe extern "C" fn stream_query(stream: cudaStream_t) -> cudaError {
    if BUSY.load(Ordering::SeqCst) {
        return cudaError::cudaErrorNotReady;
    }
    // SAFETY: the function that this one stands for, with its argument.
    unsafe { STREAM_QUERY.get().expect("it was set")(stream) }
}

unsafe extern "C" fn event_query(event: cudaEvent_t) -> cudaError {
    if BUSY.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(400));
    }
    // SAFETY: as above.
    unsafe { EVENT_QUERY.get().expect("it was set")(event) }
}

#[test]
fn memory_that_another_thread_is_about_to_free_is_not_missing() {
    isolated("memory_that_another_thread_is_about_to_free_is_not_missing", &[], || {
        let runtime = changed_table(&machine("devices=1 memory=64MiB quiet"), |table| {
            STREAM_QUERY.set(table.cudaStreamQuery.unwrap()).unwrap();
            EVENT_QUERY.set(table.cudaEventQuery.unwrap()).unwrap();
            table.cudaStreamQuery = Some(stream_query);
            table.cudaEventQuery = Some(event_query);
        });
        let a = runtime.device(0).unwrap();
        let large = a.alloc_zeroed::<u8>(40 << 20).unwrap();
        BUSY.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            // Its drop asks whether it can be freed, and has not heard yet when the other one finds no memory.
            scope.spawn(|| drop(large));
            pause();
            a.alloc_zeroed::<u8>(40 << 20).unwrap();
        });
    });
}
