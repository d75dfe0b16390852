//! Faults: what they say, what they do to the calls that follow, and that nothing hangs.

#[macro_use]
mod common;

use std::mem::MaybeUninit;
use std::ptr;

use common::kernels::arg;
use common::{LEGACY, Session, pair, session};
use cuda_p2p_sim::{MachineConfig, last_fault, restart};
use cuda_p2p_sys::{
    cudaMemAccessFlags, cudaMemLocation, cudaMemLocationType, cudaStreamCaptureMode, cudaStreamCaptureStatus,
};

/// Makes a kernel of device 0 write memory of device 1 without access.
fn provoke(s: &Session) -> usize {
    let place = s.malloc(1, 64);
    assert_eq!(s.launch(s.kernel(c"store"), (1, 1), LEGACY, &[arg(&place), arg(&1_u32)]), 0, "asynchronous");
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 700);
    place.addr()
}

#[test]
fn a_write_without_access_poisons_every_device() {
    let s = pair();
    assert_eq!(last_fault(), None);
    let address = provoke(&s);
    let fault = last_fault().expect("a fault");
    assert_eq!((fault.code(), fault.device(), fault.kernel()), (700, 0, Some("store")));
    let text = fault.to_string();
    for part in ["store", &format!("{address:#x}"), "device 1", "no peer access"] {
        assert!(text.contains(part), "{text}");
    }
    let (mut place, mut stream, mut count, mut can) = (ptr::null_mut(), ptr::null_mut(), 0, -1);
    for _ in 0..2 {
        assert_eq!([s.last(), s.last()], [700, 0], "an ordinary last error, which each call leaves again");
        assert_eq!(cuda!(s, cudaDeviceSynchronize()), 700);
        assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), 700);
        assert_eq!(cuda!(s, cudaFree(ptr::null_mut())), 700);
        assert_eq!(cuda!(s, cudaStreamCreate(&mut stream)), 700);
        assert_eq!(cuda!(s, cudaStreamQuery(LEGACY)), 700);
        assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 700);
    }
    assert_eq!(cuda!(s, cudaGetDeviceCount(&mut count)), 0);
    assert_eq!(cuda!(s, cudaDeviceCanAccessPeer(&mut can, 0, 1)), 0);
    assert_eq!((count, can), (2, 1));
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(cuda!(s, cudaDeviceSynchronize()), 700)).join().expect("another thread");
    });
    s.last();
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), 46);
    assert_eq!([s.last(), s.last()], [46, 0]);
}

#[test]
fn what_a_poisoned_process_answers() {
    let s = pair();
    let (p, kept, event) = (s.malloc(0, 64), s.stream(0, 1), s.event(0));
    let mut pool = ptr::null_mut();
    provoke(&s);
    assert_eq!([s.last(), s.last()], [700, 0]);
    let mut attributes = MaybeUninit::uninit();
    assert_eq!(cuda!(s, cudaPointerGetAttributes(attributes.as_mut_ptr(), p)), 0);
    assert_eq!(cuda!(s, cudaDeviceGetDefaultMemPool(&mut pool, 0)), 0);
    let (mut flags, mut at) =
        (cudaMemAccessFlags(9), cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, 1));
    assert_eq!(cuda!(s, cudaMemPoolGetAccess(&mut flags, pool, &mut at)), 0);
    assert_eq!([0, 99, 1].map(|device| cuda!(s, cudaSetDevice(device))), [0, 101, 0]);
    let mut place = ptr::null_mut();
    assert_eq!(cuda!(s, cudaMalloc(ptr::null_mut(), 4)), 1, "arguments first");
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), 700);
    let mut stream = ptr::null_mut();
    assert_eq!(cuda!(s, cudaStreamCreate(&mut stream)), 700);
    let (mut number, mut status, mut graph) = (0, cudaStreamCaptureStatus(9), ptr::null_mut());
    for (stream, code) in [(stream, 400), (kept, 700), (LEGACY, 700)] {
        assert_eq!(cuda!(s, cudaStreamQuery(stream)), code);
        assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), code);
        assert_eq!(cuda!(s, cudaStreamGetFlags(stream, &mut number)), code);
        assert_eq!(cuda!(s, cudaStreamIsCapturing(stream, &mut status)), code);
        assert_eq!(
            cuda!(s, cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal)),
            code
        );
        assert_eq!(cuda!(s, cudaStreamEndCapture(stream, &mut graph)), code);
        assert_eq!(cuda!(s, cudaEventRecord(event, stream)), code);
    }
    assert_eq!([stream, kept].map(|stream| cuda!(s, cudaStreamDestroy(stream))), [400, 700]);
    assert_eq!(cuda!(s, cudaEventQuery(event)), 700);
    assert_eq!(cuda!(s, cudaEventDestroy(event)), 700);
    assert_eq!(cuda!(s, cudaFree(ptr::null_mut())), 700);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaSetDevice(0)), 0);
    assert_eq!(cuda!(s, cudaDeviceReset()), 0);
    assert_eq!(cuda!(s, cudaMalloc(&mut place, 4)), 46);
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 46);
}

#[test]
fn what_waits_is_woken_and_what_is_queued_is_dropped() {
    let s = pair();
    let (mut flag, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    assert_eq!(cuda!(s, cudaMemset(flag, 0, 4)), 0);
    let (waiting, stream) = (s.stream(0, 1), s.stream(1, 1));
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
    assert_eq!(s.launch(s.kernel(c"spin"), (1, 1), waiting, &[arg(&flag)]), 0);
    let event = s.event(0);
    assert_eq!(cuda!(s, cudaEventRecord(event, waiting)), 0);
    let handle = event.addr();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| cuda!(s, cudaEventSynchronize(ptr::without_provenance_mut(handle))));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waiter.is_finished(), "the kernel spins for ever");
        flag = ptr::null_mut();
        assert_eq!(s.launch(s.kernel(c"store"), (1, 1), stream, &[arg(&flag), arg(&1_u32)]), 0);
        assert_eq!(waiter.join().expect("the waiter"), 700);
    });
    assert_eq!(cuda!(s, cudaMemsetAsync(d1, 0, 4, stream)), 700);
    let text = last_fault().expect("a fault").to_string();
    assert!(text.contains("null pointer"), "{text}");
    assert_eq!(cuda_p2p_sim::counters().operations, 0);
}

#[test]
fn the_seed_is_part_of_the_text() {
    let s = session(MachineConfig::pair().seed(41));
    provoke(&s);
    assert!(last_fault().expect("a fault").to_string().contains("seed 41"));
}

#[test]
fn a_poisoned_machine_can_be_replaced() {
    let s = pair();
    provoke(&s);
    // SAFETY: no slice of the old machine's pinned memory is kept.
    unsafe { restart(MachineConfig::pair().quiet(true)) }.expect("a new machine");
    assert_eq!(s.last(), 0);
    assert_eq!(last_fault(), None);
    let place = s.malloc(0, 4);
    s.write(place, &[1, 2, 3, 4]);
    assert_eq!(s.read(place, 4), [1, 2, 3, 4]);
}

#[test]
fn freed_under_a_copy_of_another_device_is_a_fault_not_a_crash() {
    let s = pair();
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    let stream = s.stream(1, 1);
    let held = s.hold(stream, common::Latch::leaked());
    assert_eq!(cuda!(s, cudaMemcpyPeerAsync(d1, 1, d0, 0, 4, stream)), 0);
    assert_eq!(cuda!(s, cudaFree(d0)), 0, "waits for device 0 alone");
    held.open();
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 700);
    let text = last_fault().expect("a fault").to_string();
    assert!(text.contains("freed"), "{text}");
}
