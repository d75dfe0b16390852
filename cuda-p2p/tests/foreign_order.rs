//! Work of C code's on memory of this crate, in its place among this crate's own: `as_raw_on`.

mod common;

use common::{pair, raw, seeded, under_seeds};
use cuda_p2p::sys::cudaMemcpyKind;
use cuda_p2p::{Error, LaunchConfig, Stream};

const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const LATER: u64 = 50_000;

#[test]
fn foreign_work_waits_for_ours_and_ours_for_it() {
    under_seeds("foreign_work_waits_for_ours_and_ours_for_it", || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        let (ours, third) = (a.new_stream().unwrap(), a.new_stream().unwrap());
        let handle = raw::new_stream(&a);
        // SAFETY: a live stream of the device, destroyed below.
        let theirs = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
        let mut word = a.alloc_zeroed::<u32>(1).unwrap();
        let copy = raw::malloc::<u32>(&a, 1);
        for round in 1..=10u8 {
            // Ours writes late; C code copies the word elsewhere on its stream, and then sets it, late too.
            kernels.delayed_store(&ours, ONE, &mut word, u32::from(round), LATER).unwrap();
            let address = word.as_slice_mut().as_raw_on(&theirs).unwrap();
            let within = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
            assert_eq!(
                raw::raw!(runtime, 0, cudaMemcpyAsync(copy.cast(), address.cast(), 4, within, handle)),
                0
            );
            kernels.delay(&theirs, ONE, LATER).unwrap();
            assert_eq!(raw::raw!(runtime, 0, cudaMemsetAsync(address.cast(), 1, 4, handle)), 0);
            let mut found = [0u32];
            third.copy_to_host(&word, &mut found).unwrap();
            assert_eq!(found, [0x0101_0101], "what C code put in after it had the address");
            assert_eq!(raw::read(&a, copy.cast(), 4), [round, 0, 0, 0], "C code's copy came after our write");
        }
        drop(theirs);
        assert_eq!((raw::destroy_stream(&a, handle), raw::free(&a, copy)), (0, 0));
    });
}

#[test]
fn pinned_memory_is_waited_for_by_the_host() {
    under_seeds("pinned_memory_is_waited_for_by_the_host", || {
        let (runtime, kernels) = seeded();
        let a = runtime.device(0).unwrap();
        let stream = a.new_stream().unwrap();
        let source = a.alloc_from(&[6u32]).unwrap();
        let mut pinned = a.alloc_pinned_zeroed::<u32>(1).unwrap();
        let (to, from) = (pinned.as_raw_on(&stream).unwrap(), source.as_slice().as_raw_on(&stream).unwrap());
        kernels.delay(&stream, ONE, LATER).unwrap();
        let (kind, queue) = (cudaMemcpyKind::cudaMemcpyDeviceToHost, stream.as_raw());
        assert_eq!(raw::raw!(runtime, 0, cudaMemcpyAsync(to.cast(), from.cast(), 4, kind, queue)), 0);
        assert_eq!(pinned.read().unwrap(), [6]);
    });
}

#[test]
fn a_peer_address_is_for_streams_of_the_accessor() {
    let (_, a, b) = pair();
    let access = a.enable_peer_access(&b).unwrap();
    let mut theirs = b.alloc_zeroed::<u32>(4).unwrap();
    let (on_a, on_b) = (a.new_stream().unwrap(), b.new_stream().unwrap());
    let whole = theirs.as_raw();
    let mut view = access.slice_mut(&mut theirs).unwrap();
    assert_eq!(view.as_raw_on(&on_a).unwrap(), whole);
    let error = view.as_raw_on(&on_b).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { what: "the peer slice's accessor", .. }), "{error:?}");
    let part = view.as_slice().slice(1..).unwrap();
    assert_eq!(part.as_raw_on(&on_a).unwrap(), whole.wrapping_add(1).cast_const());
    assert!(part.as_raw_on(&on_b).is_err());
}

/// A program that reads the same memory on a new borrowed stream in each round.
#[test]
fn borrowed_streams_do_not_pile_up() {
    let (runtime, a, _) = pair();
    let source = a.alloc_from(&[1u8; 8]).unwrap();
    for round in 0..200 {
        let handle = raw::new_stream(&a);
        // SAFETY: a live stream of the device, destroyed below.
        let stream = unsafe { Stream::borrow_raw(&a, handle) }.unwrap();
        let mut bytes = [0u8; 8];
        stream.copy_to_host(&source, &mut bytes).unwrap();
        drop(stream);
        assert_eq!((bytes, raw::destroy_stream(&a, handle)), ([1; 8], 0), "round {round}");
    }
    drop(source);
    assert!(runtime.deferred_errors().is_empty());
}
