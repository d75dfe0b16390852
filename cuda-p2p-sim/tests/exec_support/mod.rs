//! Kernels written by hand: what the compiler makes of a `.cu` file, as the tests need it.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cuda_p2p_sim::exec::{
    ArgBlock, DeviceLimits, Executor, Fault, KernelRef, KernelRun, LaunchSpec, Order, Step, hooks,
};
use cuda_p2p_sim::space::{Owner, Space};
use cuda_p2p_sys::host_abi::{ACCESS_ATOMIC, ACCESS_READ, ACCESS_WRITE, HostKernel, HostParam, HostThread};

/// A kernel's entry as it is compiled.
pub(crate) type Invoke = unsafe extern "C-unwind" fn(*const *mut c_void);

/// A kernel with this many parameters of 8 bytes each.
pub(crate) fn kernel(name: &str, invoke: Invoke, params: u32) -> KernelRef {
    let places: Vec<HostParam> = (0..params).map(|index| HostParam { offset: 8 * index, size: 8 }).collect();
    let entry = HostKernel {
        name: CString::new(name).expect("no NUL in a kernel's name").into_raw(),
        invoke,
        params: places.leak().as_ptr(),
        param_count: params,
        max_threads: 0,
    };
    // SAFETY: name and parameters live for ever, and the tests' kernels own nothing.
    unsafe { KernelRef::new(Box::leak(Box::new(entry))) }
}

/// A launch of `grid` blocks of `block` threads.
pub(crate) fn launch(kernel: KernelRef, grid: u32, block: u32, args: &[usize]) -> LaunchSpec {
    let pointers: Vec<*const c_void> = args.iter().map(|arg| ptr::from_ref(arg).cast()).collect();
    assert_eq!(pointers.len(), kernel.params().len());
    // SAFETY: one pointer to 8 bytes for each parameter.
    let args = unsafe { ArgBlock::copy(&kernel, pointers.as_ptr()) }.expect("few parameters");
    LaunchSpec { kernel, grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0, args, id: 1 }
}

/// A machine's address space.
pub(crate) fn space() -> Arc<Space> {
    Arc::new(Space::new().expect("addresses for a machine"))
}

/// The executor of a device.
pub(crate) fn executor(device: usize, space: &Arc<Space>) -> Executor {
    Executor::new(device, Arc::clone(space), DeviceLimits::default(), Order::InOrder)
}

/// `words` words of zeros of a device.
pub(crate) fn zeros(space: &Space, ordinal: usize, words: usize) -> usize {
    let base = space.allocate(Owner::Device { ordinal, pool: None }, 4 * words).expect("room");
    (0..words).for_each(|index| word(base, index).store(0, Ordering::Relaxed));
    base
}

/// Word `index` of memory of a space, past the checks.
pub(crate) fn word<'a>(base: usize, index: usize) -> &'a AtomicU32 {
    // SAFETY: the tests pass live, aligned memory of a space, which they touch by atomics alone.
    unsafe { AtomicU32::from_ptr(ptr::with_exposed_provenance_mut(base + 4 * index)) }
}

/// Steps to the end. A launch that does not end in time fails the test.
pub(crate) fn finish(run: &mut KernelRun) -> Result<(), Box<Fault>> {
    let start = Instant::now();
    loop {
        match run.step(1000) {
            Step::Done => return Ok(()),
            Step::Fault(fault) => return Err(fault),
            Step::Progress => {}
            Step::Waiting => thread::yield_now(),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the launch does not end");
    }
}

/// Launches and steps to the end.
pub(crate) fn run(executor: &Executor, launch: LaunchSpec) -> Result<(), Box<Fault>> {
    finish(&mut KernelRun::new(launch, executor).expect("a launch within the limits"))
}

/// The thread that calls.
pub(crate) fn me() -> HostThread {
    // SAFETY: called by kernels, for which the hook's pointer is valid.
    unsafe { *(hooks().current)() }
}

/// Number of the calling thread in its grid, for one-dimensional launches.
pub(crate) fn index() -> usize {
    let me = me();
    (me.block_idx.x * me.block_dim.x + me.thread_idx.x) as usize
}

/// Parameter `index` of the calling kernel.
///
/// # Safety
/// `args` is what the kernel was invoked with, and it has so many parameters of 8 bytes.
pub(crate) unsafe fn arg(args: *const *mut c_void, index: usize) -> usize {
    // SAFETY: by the contract above.
    unsafe { (*args.add(index)).cast::<usize>().read() }
}

/// Reports an access as compiled code does.
pub(crate) fn access(address: usize, bytes: usize, kind: u32) {
    // SAFETY: only reports.
    unsafe { (hooks().access)(ptr::without_provenance(address), bytes, kind) }
}

/// A checked load of word `index`.
pub(crate) fn load(base: usize, index: usize) -> u32 {
    access(base + 4 * index, 4, ACCESS_READ);
    word(base, index).load(Ordering::Acquire)
}

/// A checked store to word `index`.
pub(crate) fn store(base: usize, index: usize, value: u32) {
    access(base + 4 * index, 4, ACCESS_WRITE);
    word(base, index).store(value, Ordering::Release);
}

/// A checked atomic addition to word `index`; the value before.
pub(crate) fn add(base: usize, index: usize, value: u32) -> u32 {
    access(base + 4 * index, 4, ACCESS_ATOMIC);
    word(base, index).fetch_add(value, Ordering::AcqRel)
}

/// `__syncthreads()`
pub(crate) fn sync_block() {
    // SAFETY: called by kernels.
    unsafe { (hooks().sync_block)() }
}

/// `__syncwarp(mask)`
pub(crate) fn sync_warp(mask: u32) {
    // SAFETY: called by kernels.
    unsafe { (hooks().sync_warp)(mask) }
}

/// The block's instance of a static variable of so many words.
pub(crate) fn shared(key: &'static u8, words: usize) -> usize {
    // SAFETY: called by kernels; the key identifies the variable.
    unsafe { (hooks().static_shared)(ptr::from_ref(key).cast(), 4 * words, 4) }.expose_provenance()
}
