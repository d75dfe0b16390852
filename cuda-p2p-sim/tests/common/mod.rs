//! What the tests share: one machine at a time, calls by name, a latch that holds a stream, kernels written by hand.
//!
//! A process has one machine, so the tests of a file take turns.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ffi::c_void;
use std::ptr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use cuda_p2p_sim::{MachineConfig, restart};
use cuda_p2p_sys::{
    CudaRuntime, cudaEvent_t, cudaMemAllocationType, cudaMemLocation, cudaMemLocationType, cudaMemPool_t,
    cudaMemPoolProps, cudaMemcpyKind, cudaStream_t,
};

pub(crate) const H2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyHostToDevice;
pub(crate) const D2H: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToHost;
pub(crate) const D2D: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
pub(crate) const DEFAULT: cudaMemcpyKind = cudaMemcpyKind::cudaMemcpyDefault;

/// The legacy stream.
pub(crate) const LEGACY: cudaStream_t = ptr::null_mut();

pub(crate) fn at(device: i32) -> cudaMemLocation {
    cudaMemLocation::new(cudaMemLocationType::cudaMemLocationTypeDevice, device)
}

/// Calls a function of a session's runtime and gives its status as a number.
macro_rules! cuda {
    ($session:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let function = $session.table.$name.expect(stringify!($name));
        // SAFETY: the tests pass what the C functions ask for, or what those must refuse without touching it.
        unsafe { function($($argument),*) }.0
    }};
}

pub(crate) mod kernels;

/// A machine of its own for one test.
pub(crate) struct Session {
    pub(crate) table: &'static CudaRuntime,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

pub(crate) fn session(config: MachineConfig) -> Session {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: no slice of the old machine's pinned memory is kept.
    let table = unsafe { restart(config.quiet(true)) }.expect("a machine");
    Session { table, _turn: turn }
}

/// The machine that a text describes.
pub(crate) fn machine(text: &str) -> Session {
    session(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

pub(crate) fn pair() -> Session {
    session(MachineConfig::pair())
}

impl Session {
    pub(crate) fn set_device(&self, device: i32) {
        assert_eq!(cuda!(self, cudaSetDevice(device)), 0);
    }

    /// Enables access of devices 0 and 1 to each other's memory.
    pub(crate) fn enable_both(&self) {
        for (device, other) in [(1, 0), (0, 1)] {
            self.set_device(device);
            assert_eq!(cuda!(self, cudaDeviceEnablePeerAccess(other, 0)), 0);
        }
    }

    /// Reads and clears the last error.
    pub(crate) fn last(&self) -> u32 {
        cuda!(self, cudaGetLastError())
    }

    /// Allocates on a device; the current one is afterwards what it was.
    pub(crate) fn malloc(&self, device: i32, bytes: usize) -> *mut c_void {
        let (mut before, mut place) = (0, ptr::null_mut());
        assert_eq!(cuda!(self, cudaGetDevice(&mut before)), 0);
        self.set_device(device);
        assert_eq!(cuda!(self, cudaMalloc(&mut place, bytes)), 0);
        self.set_device(before);
        place
    }

    pub(crate) fn stream(&self, device: i32, flags: u32) -> cudaStream_t {
        let (mut before, mut stream) = (0, ptr::null_mut());
        assert_eq!(cuda!(self, cudaGetDevice(&mut before)), 0);
        self.set_device(device);
        assert_eq!(cuda!(self, cudaStreamCreateWithFlags(&mut stream, flags)), 0);
        self.set_device(before);
        stream
    }

    /// A pool of the device.
    pub(crate) fn new_pool(&self, device: i32) -> cudaMemPool_t {
        // SAFETY: zeros are a value of each field.
        let mut props: cudaMemPoolProps = unsafe { std::mem::zeroed() };
        props.allocType = cudaMemAllocationType::cudaMemAllocationTypePinned;
        props.location = at(device);
        let mut pool = ptr::null_mut();
        assert_eq!(cuda!(self, cudaMemPoolCreate(&mut pool, &props)), 0);
        pool
    }

    pub(crate) fn event(&self, device: i32) -> cudaEvent_t {
        let (mut before, mut event) = (0, ptr::null_mut());
        assert_eq!(cuda!(self, cudaGetDevice(&mut before)), 0);
        self.set_device(device);
        assert_eq!(cuda!(self, cudaEventCreate(&mut event)), 0);
        self.set_device(before);
        event
    }

    /// Fills device memory and waits for it.
    pub(crate) fn write(&self, place: *mut c_void, bytes: &[u8]) {
        assert_eq!(cuda!(self, cudaMemcpy(place, bytes.as_ptr().cast(), bytes.len(), H2D)), 0);
    }

    /// Reads device memory, on the legacy stream.
    pub(crate) fn read(&self, place: *const c_void, bytes: usize) -> Vec<u8> {
        let mut all = vec![0; bytes];
        assert_eq!(cuda!(self, cudaMemcpy(all.as_mut_ptr().cast(), place, bytes, D2H)), 0);
        all
    }

    /// Reads device memory without any order to other streams.
    pub(crate) fn read_now(&self, stream: cudaStream_t, place: *const c_void, bytes: usize) -> Vec<u8> {
        let mut all = vec![0; bytes];
        assert_eq!(cuda!(self, cudaMemcpyAsync(all.as_mut_ptr().cast(), place, bytes, D2H, stream)), 0);
        all
    }

    pub(crate) fn synchronize(&self) {
        for device in 0..2 {
            self.set_device(device);
            assert_eq!(cuda!(self, cudaDeviceSynchronize()), 0);
        }
        self.set_device(0);
    }

    /// Holds a stream until the latch is opened.
    pub(crate) fn hold<'a>(&self, stream: cudaStream_t, latch: &'a Latch) -> Held<'a> {
        let data = ptr::from_ref(latch).cast_mut().cast();
        assert_eq!(cuda!(self, cudaLaunchHostFunc(stream, Some(wait_for_latch), data)), 0);
        Held(latch)
    }
}

/// Opens its latch when dropped, so that a test that fails does not leave a stream held for ever.
pub(crate) struct Held<'a>(&'a Latch);

impl Held<'_> {
    pub(crate) fn open(self) {}
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// A gate. It must outlive the work of the streams that it holds: tests make it `static` or leak it.
#[derive(Default)]
pub(crate) struct Latch {
    open: Mutex<bool>,
    changed: Condvar,
}

impl Latch {
    pub(crate) fn leaked() -> &'static Latch {
        Box::leak(Box::default())
    }

    fn open(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(open, |open| !*open));
    }
}

unsafe extern "C" fn wait_for_latch(latch: *mut c_void) {
    // SAFETY: `hold` passes a latch that is never freed.
    unsafe { &*latch.cast::<Latch>() }.wait();
}
