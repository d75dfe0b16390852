//! Machines whose links are bad: what copies and kernels do over one. What a script makes of calls and devices is in `scripts.rs`.

#[macro_use]
mod common;

use common::kernels::arg;
use common::{LEGACY, Session, machine};
use cuda_p2p_sim::{MachineConfig, restart};
use cuda_p2p_sys::cudaStream_t;

/// Device 0 writes `value` to its own word and copies that to `to`, a word of device 1. Gives what device 1 sees.
fn copy_over(s: &Session, to: *mut std::ffi::c_void, value: u32) -> u32 {
    let from = s.malloc(0, 4);
    s.write(from, &value.to_ne_bytes());
    assert_eq!(cuda!(s, cudaMemcpyPeer(to, 1, from, 0, 4)), 0);
    s.synchronize();
    word(s, to)
}

/// A word as its owner's copy engine reads it.
fn word(s: &Session, place: *const std::ffi::c_void) -> u32 {
    let bytes = s.read(place, 4);
    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// A word of device 1 as device 0 sees it by a copy to its own memory.
fn copy_back(s: &Session, from: *const std::ffi::c_void) -> u32 {
    let to = s.malloc(0, 4);
    assert_eq!(cuda!(s, cudaMemcpyPeer(to, 0, from, 1, 4)), 0);
    s.synchronize();
    word(s, to)
}

/// A kernel of device 0 stores `value` at `place`.
fn store(s: &Session, place: *mut std::ffi::c_void, value: u32, stream: cudaStream_t) {
    assert_eq!(s.launch(s.kernel(c"store"), (1, 1), stream, &[arg(&place), arg(&value)]), 0);
}

/// A kernel of device 0 adds `count` words of `x` to those of `y`.
fn add(s: &Session, y: *mut std::ffi::c_void, x: *mut std::ffi::c_void, count: u32) {
    let args = [arg(&y), arg(&x), arg(&count)];
    assert_eq!(s.launch(s.kernel(c"add"), (1, count), LEGACY, &args), 0);
    s.synchronize();
}

fn words(s: &Session, place: *const std::ffi::c_void, count: usize) -> Vec<u32> {
    s.read(place, 4 * count).chunks(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn seeds() -> impl Iterator<Item = String> {
    std::iter::once(String::new()).chain((0..8).map(|seed| format!(" seed={seed}")))
}

#[test]
fn dropped_writes_by_each_means() {
    for seed in seeds() {
        for (by, by_copy, by_kernel) in [("", 1, 1), (":copy", 1, 3), (":kernel", 2, 1)] {
            let s = machine(&format!("devices=2 drop=0>1{by}{seed}"));
            s.enable_both();
            let theirs = s.malloc(1, 4);
            s.write(theirs, &1_u32.to_ne_bytes());
            assert_eq!(copy_over(&s, theirs, 2), by_copy, "a copy, drop{by}{seed}");
            s.write(theirs, &1_u32.to_ne_bytes());
            store(&s, theirs, 3, LEGACY);
            s.synchronize();
            assert_eq!(word(&s, theirs), by_kernel, "a store, drop{by}{seed}");
        }
    }
}

#[test]
fn fills_are_writes_of_who_does_them() {
    let s = machine("devices=2 drop=0>1:copy");
    s.enable_both();
    let theirs = s.malloc(1, 4);
    s.write(theirs, &[1; 4]);
    assert_eq!(cuda!(s, cudaMemset(theirs, 2, 4)), 0);
    s.synchronize();
    assert_eq!(s.read(theirs, 4), [1; 4], "by device 0, over the link");
    s.set_device(1);
    assert_eq!(cuda!(s, cudaMemset(theirs, 3, 4)), 0);
    s.synchronize();
    assert_eq!(s.read(theirs, 4), [3; 4], "by its owner");
}

#[test]
fn dropped_writes_have_a_direction_and_need_a_link() {
    let s = machine("devices=2 drop=1>0");
    let theirs = s.malloc(1, 4);
    s.enable_both();
    assert_eq!(copy_over(&s, theirs, 2), 2, "from 0 to 1 all is well");
    drop(s);
    let s = machine("devices=2 drop=0>1");
    let theirs = s.malloc(1, 4);
    assert_eq!(copy_over(&s, theirs, 2), 2, "without access the copy goes through the host");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    assert_eq!(copy_over(&s, theirs, 3), 2);
}

#[test]
fn a_kernel_reads_the_owners_bytes_where_its_own_are_lost() {
    let s = machine("devices=2 drop=0>1");
    s.enable_both();
    let (theirs, mine) = (s.malloc(1, 256), s.malloc(0, 256));
    s.write(theirs, &[7_u32.to_ne_bytes(); 64].concat());
    s.write(mine, &[1_u32.to_ne_bytes(); 64].concat());
    add(&s, theirs, mine, 64);
    add(&s, theirs, mine, 64);
    assert_eq!(words(&s, theirs, 64), [7; 64]);
    add(&s, mine, theirs, 64);
    assert_eq!(words(&s, mine, 64), [8; 64], "loads work, and so do stores to its own memory");
}

#[test]
fn copies_of_structs_and_atomics_go_the_same_way() {
    for (defect, owner, seen, after) in
        [("drop", [7; 24], 0, 0), ("mirror", [7; 24], 1, 0), ("quiet", [3; 24], 1, 2)]
    {
        let word = if defect == "quiet" { String::new() } else { format!(" {defect}=0>1:kernel") };
        let s = machine(&format!("devices=2{word}"));
        s.enable_both();
        let (theirs, mine) = (s.malloc(1, 64), s.malloc(0, 64));
        s.write(theirs, &[7; 64]);
        s.write(mine, &[3; 24]);
        assert_eq!(s.launch(s.kernel(c"copy_struct"), (1, 1), LEGACY, &[arg(&theirs), arg(&mine)]), 0);
        s.synchronize();
        assert_eq!(s.read(theirs, 24), owner, "{defect}");
        s.write(theirs, &[0; 64]);
        let counter = theirs.wrapping_byte_add(56);
        assert_eq!(s.launch(s.kernel(c"count"), (1, 1), LEGACY, &[arg(&counter), arg(&mine)]), 0);
        s.synchronize();
        assert_eq!(words(&s, mine, 1), [seen], "what the second atomic found, {defect}");
        assert_eq!(words(&s, counter, 1), [after], "what the owner counts, {defect}");
    }
}

#[test]
fn the_owner_never_sees_what_is_lost() {
    for seed in seeds() {
        let s = machine(&format!("devices=2 drop=0>1:kernel{seed}"));
        s.enable_both();
        let flag = s.malloc(1, 4);
        s.write(flag, &[0; 4]);
        let (a, b) = (s.stream(0, 1), s.stream(1, 1));
        assert_eq!(s.launch(s.kernel(c"spin"), (1, 1), b, &[arg(&flag)]), 0);
        let (kernel, value) = (s.kernel(c"linger"), 1_u32);
        for _ in 0..5 {
            assert_eq!(s.launch(kernel, (1, 1), a, &[arg(&flag), arg(&value)]), 0);
        }
        assert_eq!(cuda!(s, cudaStreamSynchronize(a)), 0);
        for _ in 0..20 {
            assert_eq!(cuda!(s, cudaStreamQuery(b)), 600, "the owner's kernel waits for ever{seed}");
        }
        // Lets the waiting kernel end: the owner's own write is seen.
        assert_eq!(cuda!(s, cudaMemsetAsync(flag, 1, 4, a)), 0);
        s.synchronize();
    }
}

#[test]
fn a_mirror_shows_its_writer_what_it_wrote_and_the_owner_the_old_bytes() {
    for seed in seeds() {
        let s = machine(&format!("devices=2 mirror=0>1{seed}"));
        s.enable_both();
        let (theirs, mine) = (s.malloc(1, 8192), s.malloc(0, 256));
        s.write(theirs, &[0; 8192]);
        s.write(mine, &[0; 256]);
        assert_eq!(copy_over(&s, theirs, 2), 0);
        assert_eq!(copy_back(&s, theirs), 2);
        let far = theirs.wrapping_byte_add(4094);
        store(&s, far.wrapping_byte_add(2), 9, LEGACY);
        s.synchronize();
        assert_eq!(word(&s, far.wrapping_byte_add(2)), 0, "the owner{seed}");
        assert_eq!(copy_back(&s, far.wrapping_byte_add(2)), 9, "a copy of the writer{seed}");
        add(&s, mine, far.wrapping_byte_add(2), 1);
        assert_eq!(words(&s, mine, 1), [9], "a kernel of the writer{seed}");
        let value = 5_u32;
        s.set_device(1);
        let args = [arg(&theirs), arg(&value)];
        assert_eq!(s.launch(s.kernel(c"store"), (1, 1), LEGACY, &args), 0);
        s.synchronize();
        assert_eq!((word(&s, theirs), copy_back(&s, theirs)), (5, 2), "each its own{seed}");
    }
}

#[test]
fn a_mirror_of_kernels_leaves_copies_alone() {
    let s = machine("devices=2 mirror=0>1:kernel");
    s.enable_both();
    let theirs = s.malloc(1, 64);
    s.write(theirs, &[0; 64]);
    store(&s, theirs, 4, LEGACY);
    s.synchronize();
    assert_eq!((word(&s, theirs), copy_back(&s, theirs)), (0, 0));
    assert_eq!(copy_over(&s, theirs.wrapping_byte_add(8), 6), 6);
}

#[test]
fn bits_flip_in_every_so_many_writes() {
    let s = machine("devices=2 flip=0>1:2");
    s.enable_both();
    let theirs = s.malloc(1, 4);
    let wrong: Vec<u32> = (0..6).map(|_| copy_over(&s, theirs, 0).count_ones()).collect();
    assert_eq!(wrong, [0, 1, 0, 1, 0, 1]);
    let wrong: Vec<u32> = (0..6)
        .map(|_| {
            store(&s, theirs, 0, LEGACY);
            s.synchronize();
            word(&s, theirs).count_ones()
        })
        .collect();
    assert_eq!(wrong, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn a_transfer_that_never_ends_holds_its_stream_alone() {
    for seed in ["", " seed=3"] {
        let s = machine(&format!("devices=2 hang=0>1{seed}"));
        s.enable_both();
        let (mine, theirs) = (s.malloc(0, 4), s.malloc(1, 4));
        let (stuck, free) = (s.stream(0, 1), s.stream(0, 1));
        assert_eq!(cuda!(s, cudaMemcpyPeerAsync(theirs, 1, mine, 0, 4, stuck)), 0);
        assert_eq!(cuda!(s, cudaMemsetAsync(mine, 1, 4, free)), 0);
        assert_eq!(cuda!(s, cudaStreamSynchronize(free)), 0);
        for _ in 0..20 {
            assert_eq!(cuda!(s, cudaStreamQuery(stuck)), 600);
        }
        let (stuck, free) = (s.stream(0, 1), s.stream(1, 1));
        store(&s, theirs, 1, stuck);
        assert_eq!(cuda!(s, cudaMemcpyPeerAsync(mine, 0, theirs, 1, 4, free)), 0, "the other way");
        assert_eq!(cuda!(s, cudaStreamSynchronize(free)), 0);
        assert_eq!(cuda!(s, cudaStreamQuery(stuck)), 600, "nor does a kernel's store");
        // SAFETY: no slice of the old machine's pinned memory is kept.
        unsafe { restart(MachineConfig::pair().quiet(true)) }.expect("a machine that hangs can be replaced");
    }
}
