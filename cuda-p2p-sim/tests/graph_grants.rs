//! A copy of a graph goes by its device's access to *both* ends, as long as one of them has access of its own: what is as the device's
//! own memory may be so by a grant, which may be taken back. Not seen on hardware for three devices and for pinned memory; nothing
//! there speaks for bytes that arrive without access.

#[macro_use]
mod common;

use std::ffi::c_void;
use std::mem;
use std::ptr;

use common::{DEFAULT, Session, at, machine};
use cuda_p2p_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResultInfo, cudaMemAccessDesc, cudaMemAccessFlags,
    cudaMemPool_t, cudaStream_t, cudaStreamCaptureMode,
};

fn grant(s: &Session, pool: cudaMemPool_t, device: i32, flags: u32) -> u32 {
    let entry = cudaMemAccessDesc { location: at(device), flags: cudaMemAccessFlags(flags) };
    cuda!(s, cudaMemPoolSetAccess(pool, &entry, 1))
}

fn pooled(s: &Session, device: i32, to: &[i32]) -> (cudaMemPool_t, *mut c_void) {
    let pool = s.new_pool(device);
    let stream = s.stream(device, 1);
    let mut place = ptr::null_mut();
    assert_eq!(cuda!(s, cudaMallocFromPoolAsync(&mut place, 64, pool, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(stream)), 0);
    for &d in to {
        assert_eq!(grant(s, pool, d, 3), 0);
    }
    (pool, place)
}

fn enable(s: &Session, a: i32, o: i32) {
    s.set_device(a);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(o, 0)), 0);
}

fn disable(s: &Session, a: i32, o: i32) {
    s.set_device(a);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(o)), 0);
}

fn graph(s: &Session, stream: cudaStream_t, device: i32, to: *mut c_void, from: *mut c_void) -> cudaGraph_t {
    s.set_device(device);
    let mut g = ptr::null_mut();
    assert_eq!(
        cuda!(s, cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal)),
        0
    );
    assert_eq!(cuda!(s, cudaMemcpyAsync(to, from, 16, DEFAULT, stream)), 0);
    assert_eq!(cuda!(s, cudaStreamEndCapture(stream, &mut g)), 0);
    g
}

fn exec(s: &Session, g: cudaGraph_t) -> cudaGraphExec_t {
    let mut e = ptr::null_mut();
    assert_eq!(cuda!(s, cudaGraphInstantiateWithFlags(&mut e, g, 0)), 0);
    e
}

fn launch(s: &Session, e: cudaGraphExec_t, stream: cudaStream_t) -> u32 {
    assert_eq!(cuda!(s, cudaGraphLaunch(e, stream)), 0);
    cuda!(s, cudaStreamSynchronize(stream))
}

fn update(s: &Session, e: cudaGraphExec_t, g: cudaGraph_t) -> u32 {
    // SAFETY: zeros are a value of each field.
    let mut info: cudaGraphExecUpdateResultInfo = unsafe { mem::zeroed() };
    let r = cuda!(s, cudaGraphExecUpdate(e, g, &mut info));
    s.last();
    r
}

fn copying(s: &Session, device: i32, to: *mut c_void, from: *mut c_void) -> (cudaGraphExec_t, cudaStream_t) {
    let stream = s.stream(device, 1);
    (exec(s, graph(s, stream, device, to, from)), stream)
}

/// Runs a graph before and after `device` lost its grant of a pool.
fn needs_the_grant(
    s: &Session,
    (exec, stream): (cudaGraphExec_t, cudaStream_t),
    pool: cudaMemPool_t,
    device: i32,
) {
    assert_eq!(launch(s, exec, stream), 0);
    assert_eq!(grant(s, pool, device, 0), 0);
    assert_eq!(launch(s, exec, stream), 719);
}

#[test]
fn what_is_pushed_to_a_peer_is_read_by_the_grant() {
    let s = machine("devices=2");
    let ((pool, from), to) = (pooled(&s, 1, &[0]), s.malloc(1, 64));
    enable(&s, 0, 1);
    needs_the_grant(&s, copying(&s, 0, to, from), pool, 0);
}

#[test]
fn a_third_device_reads_by_its_own_grant() {
    let s = machine("devices=3");
    let ((pool, from), to) = (pooled(&s, 1, &[0, 2]), s.malloc(0, 64));
    enable(&s, 2, 0);
    needs_the_grant(&s, copying(&s, 2, to, from), pool, 2);
}

#[test]
fn the_host_gets_it_by_the_grant() {
    let s = machine("devices=2");
    let ((pool, from), mut pinned) = (pooled(&s, 1, &[0]), ptr::null_mut());
    assert_eq!(cuda!(s, cudaMallocHost(&mut pinned, 64)), 0);
    needs_the_grant(&s, copying(&s, 0, pinned, from), pool, 0);
}

/// The way by a grant is not one by peer access: that counts from the update on.
#[test]
fn an_update_to_memory_without_access_of_its_own_takes_a_way_anew() {
    let s = machine("devices=2");
    let (_, from) = pooled(&s, 1, &[0]);
    let (plain, to) = (s.malloc(1, 64), s.malloc(0, 64));
    enable(&s, 0, 1);
    let (exec, stream) = copying(&s, 0, to, from);
    assert_eq!(update(&s, exec, graph(&s, stream, 0, to, plain)), 0);
    assert_eq!(launch(&s, exec, stream), 0);
    disable(&s, 0, 1);
    enable(&s, 0, 1);
    assert_eq!(launch(&s, exec, stream), 719);
}
