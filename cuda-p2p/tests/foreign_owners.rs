//! What other code hands over with its memory or stream, to be dropped when that is no longer used: on GPUs if there are two, on a
//! simulated pair otherwise. As in `both_arms.rs`, one test runs at a time, and the machine has to have a pair of peers.

mod common;
#[path = "common/pair.rs"]
mod pair;

use pair::{Pair, pair};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::raw;
use cuda_p2p::{Device, DeviceBuffer, LaunchConfig, Stream};

impl Pair {
    /// Nothing that could not be done in a destructor.
    fn ends_clean(&self) {
        assert_eq!(self.runtime.deferred_errors(), []);
    }
}

/// Counts its drops.
struct Owner(Arc<AtomicUsize>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn an_owner_is_dropped_when_the_work_is_done() {
    let pair = pair();
    let drops = Arc::new(AtomicUsize::new(0));
    let address = raw::malloc::<u32>(&pair.b, 1);
    // SAFETY: a word of that device, freed below, after the owner is dropped.
    let mut word =
        unsafe { DeviceBuffer::borrow_raw_with(&pair.b, address, 1, Owner(drops.clone())) }.unwrap();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let stream = pair.a.new_stream().unwrap();
    let late = access.slice_mut(&mut word).unwrap();
    pair.kernels.delayed_store(&stream, LaunchConfig::new(1, 1), late, 9, 200_000_000).unwrap();
    drop(word);
    assert!(!stream.is_done().unwrap(), "the drop waited for the kernel");
    assert_eq!(drops.load(Ordering::SeqCst), 0, "the kernel uses it still");
    pair.a.synchronize().unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert_eq!(raw::read(&pair.b, address.cast(), 4), [9, 0, 0, 0]);
    assert_eq!(raw::free(&pair.b, address), 0, "it was not freed here");
    pair.ends_clean();
}

#[test]
fn an_owner_is_dropped_whatever_happens() {
    let pair = pair();
    let drops = Arc::new(AtomicUsize::new(0));
    let address = raw::malloc::<u32>(&pair.b, 4);
    // SAFETY: refused, empty or not used; the memory is freed below.
    unsafe {
        DeviceBuffer::borrow_raw_with(&pair.a, address, 4, Owner(drops.clone()))
            .expect_err("another device's");
        assert_eq!(drops.load(Ordering::SeqCst), 1);
        let empty = DeviceBuffer::borrow_raw_with(&pair.b, address, 0, Owner(drops.clone())).unwrap();
        assert!(empty.is_empty());
        drop(empty);
        assert_eq!(drops.load(Ordering::SeqCst), 2);
        let given = DeviceBuffer::borrow_raw_with(&pair.b, address, 4, Owner(drops.clone())).unwrap();
        assert_eq!(given.into_raw(), address);
        assert_eq!(drops.load(Ordering::SeqCst), 2, "whoever takes the memory keeps it");
    }
    assert_eq!(raw::free(&pair.b, address), 0);
    pair.ends_clean();
}

/// Freed while memory is looked for, and looks for memory itself: it must not wait for itself.
#[test]
fn an_owner_may_allocate_when_it_is_dropped() {
    const TOO_MUCH: usize = 1 << 50;
    struct Allocates(Device, Arc<AtomicUsize>);
    impl Drop for Allocates {
        fn drop(&mut self) {
            let refused = self.0.alloc_zeroed::<u8>(TOO_MUCH);
            self.1.fetch_add(usize::from(refused.is_err()), Ordering::SeqCst);
        }
    }
    let pair = pair();
    let refused = Arc::new(AtomicUsize::new(0));
    let address = raw::malloc::<u32>(&pair.b, 1);
    let owner = Allocates(pair.b, refused.clone());
    // SAFETY: a word of that device, freed below, after the owner is dropped.
    let mut word = unsafe { DeviceBuffer::borrow_raw_with(&pair.b, address, 1, owner) }.unwrap();
    let stream = pair.b.new_stream().unwrap();
    pair.kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut word, 9, 100_000_000).unwrap();
    drop(word);
    pair.b.alloc_zeroed::<u8>(TOO_MUCH).expect_err("more than there is");
    assert_eq!(refused.load(Ordering::SeqCst), 1);
    assert_eq!(raw::free(&pair.b, address), 0);
    pair.ends_clean();
}

/// As the deleter of a library does that waits for a lock, which another thread has while it looks for memory.
#[test]
fn an_owner_may_wait_for_a_thread_that_finds_no_memory() {
    struct Waits(Device, Arc<AtomicUsize>);
    impl Drop for Waits {
        fn drop(&mut self) {
            let device = self.0;
            let refused = std::thread::spawn(move || device.alloc_zeroed::<u8>(1 << 50).is_err());
            self.1.fetch_add(usize::from(refused.join().unwrap()), Ordering::SeqCst);
        }
    }
    let pair = pair();
    let refused = Arc::new(AtomicUsize::new(0));
    let address = raw::malloc::<u32>(&pair.b, 1);
    for (times, exhausted) in [(1, false), (2, true)] {
        let owner = Waits(pair.b, refused.clone());
        // SAFETY: a word of that device, freed below, after the owner is dropped.
        let mut word = unsafe { DeviceBuffer::borrow_raw_with(&pair.b, address, 1, owner) }.unwrap();
        if exhausted {
            let stream = pair.b.new_stream().unwrap();
            pair.kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut word, 9, 100_000_000).unwrap();
        }
        drop(word);
        if exhausted {
            pair.b.alloc_zeroed::<u8>(1 << 50).expect_err("more than there is");
        }
        assert_eq!(refused.load(Ordering::SeqCst), times);
    }
    assert_eq!(raw::free(&pair.b, address), 0);
    pair.ends_clean();
}

#[test]
fn an_owner_that_panics_is_noted() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("as told");
        }
    }
    let pair = pair();
    let address = raw::malloc::<u32>(&pair.a, 1);
    // SAFETY: a word of that device, freed below.
    drop(unsafe { DeviceBuffer::borrow_raw_with(&pair.a, address, 1, Panics) }.unwrap());
    pair.a.synchronize().unwrap();
    let noted = pair.runtime.deferred_errors();
    assert!(matches!(&noted[..], [one] if one.error.to_string().contains("its drop panicked")), "{noted:?}");
    assert_eq!(raw::free(&pair.a, address), 0);
    pair.ends_clean();
}

/// What it panics with panics in its turn, when it is dropped.
#[test]
fn an_owner_that_panics_with_what_panics_is_noted_once() {
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            panic!("once more");
        }
    }
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            std::panic::panic_any(Again);
        }
    }
    let pair = pair();
    let address = raw::malloc::<u32>(&pair.a, 1);
    // SAFETY: a word of that device, freed below.
    drop(unsafe { DeviceBuffer::borrow_raw_with(&pair.a, address, 1, Panics) }.unwrap());
    let noted = pair.runtime.deferred_errors();
    assert!(matches!(&noted[..], [one] if one.error.to_string().contains("its drop panicked")), "{noted:?}");
    // Others' memory is looked for as ever.
    pair.a.alloc_zeroed::<u8>(1 << 50).expect_err("more than there is");
    assert_eq!(raw::free(&pair.a, address), 0);
    pair.ends_clean();
}

#[test]
fn a_streams_owner_is_dropped_with_its_last_clone() {
    let pair = pair();
    let drops = Arc::new(AtomicUsize::new(0));
    let handle = raw::new_stream(&pair.a);
    // SAFETY: a live stream of the device, destroyed below, after the owner is dropped.
    let stream = unsafe { Stream::borrow_raw_with(&pair.a, handle, Owner(drops.clone())) }.unwrap();
    let mut buffer = pair.a.alloc_zeroed::<u8>(64).unwrap();
    let clone = stream.clone();
    stream.fill_bytes_async(&mut buffer, 3).unwrap();
    drop(stream);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(clone);
    assert_eq!(drops.load(Ordering::SeqCst), 1, "the buffer does not need the stream itself");
    assert_eq!(raw::destroy_stream(&pair.a, handle), 0);
    assert_eq!(buffer.to_vec().unwrap(), [3; 64]);
    pair.ends_clean();
}
