//! What many cases begin with. Every call here must succeed, or the case stops; all leave device 0 current.

use std::ffi::c_void;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaEvent_t, cudaEventDisableTiming, cudaMemcpyKind, cudaStream_t};

use crate::context::{Cx, must};

/// The null stream, which C writes as 0.
pub(crate) const NULL_STREAM: cudaStream_t = null_mut();

impl Cx {
    /// Does `work` with `device` current, then makes device 0 current again.
    pub(crate) fn on<T>(&self, device: i32, work: impl FnOnce() -> T) -> T {
        if device == 0 {
            return work();
        }
        must!(self.cudaSetDevice(device), "cudaSetDevice({device})");
        let result = work();
        must!(self.cudaSetDevice(0));
        result
    }

    /// New memory of `device`.
    pub(crate) fn malloc(&self, device: i32, bytes: usize) -> *mut c_void {
        self.on(device, || self.malloc_here(bytes))
    }

    /// New memory of the current device.
    pub(crate) fn malloc_here(&self, bytes: usize) -> *mut c_void {
        let mut pointer = null_mut();
        must!(self.cudaMalloc(&mut pointer, bytes), "cudaMalloc(&mut pointer, {bytes})");
        pointer
    }

    /// New memory of `device` that holds `bytes`.
    pub(crate) fn filled(&self, device: i32, bytes: &[u8]) -> *mut c_void {
        let pointer = self.malloc(device, bytes.len());
        self.write(device, pointer, bytes);
        pointer
    }

    /// New memory of `device` that holds one number.
    pub(crate) fn word(&self, device: i32, value: u32) -> *mut c_void {
        self.filled(device, &value.to_ne_bytes())
    }

    /// Copies `bytes` to `pointer` and waits for `device`.
    pub(crate) fn write(&self, device: i32, pointer: *mut c_void, bytes: &[u8]) {
        self.on(device, || {
            let (source, length) = (bytes.as_ptr().cast(), bytes.len());
            must!(
                self.cudaMemcpy(pointer, source, length, cudaMemcpyKind::cudaMemcpyHostToDevice),
                "cudaMemcpy(pointer, host, {length}, cudaMemcpyHostToDevice)"
            );
            must!(self.cudaDeviceSynchronize());
        });
    }

    /// Waits for `device`, then reads what it sees at `pointer`.
    pub(crate) fn read(&self, device: i32, pointer: *const c_void, bytes: usize) -> Vec<u8> {
        let mut host = vec![0xA5_u8; bytes];
        self.on(device, || {
            must!(self.cudaDeviceSynchronize());
            let place = host.as_mut_ptr().cast();
            must!(
                self.cudaMemcpy(place, pointer, bytes, cudaMemcpyKind::cudaMemcpyDeviceToHost),
                "cudaMemcpy(host, pointer, {bytes}, cudaMemcpyDeviceToHost)"
            );
        });
        host
    }

    /// Waits for `device`, then reads one number as its owner sees it.
    pub(crate) fn read_word(&self, device: i32, pointer: *const c_void) -> u32 {
        let bytes = self.read(device, pointer, size_of::<u32>());
        u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Waits for all work of `device`.
    pub(crate) fn synchronize(&self, device: i32) {
        self.on(device, || must!(self.cudaDeviceSynchronize()));
    }

    /// Waits for the current device, and then until a fault would have been told: a GPU may tell of a store's a moment after the
    /// kernel has ended. What the device answers is given back and is not in the transcript.
    pub(crate) fn settle(&self) -> u32 {
        let wait = self.table.cudaDeviceSynchronize.expect("every runtime has it");
        // SAFETY: the function takes nothing.
        let first = unsafe { wait() };
        std::thread::sleep(std::time::Duration::from_millis(if first.0 == 0 { 200 } else { 0 }));
        // SAFETY: as above.
        unsafe { wait() }.0
    }

    /// A new stream of `device`.
    pub(crate) fn stream(&self, device: i32, flags: u32) -> cudaStream_t {
        self.on(device, || {
            let mut stream = null_mut();
            must!(
                self.cudaStreamCreateWithFlags(&mut stream, flags),
                "cudaStreamCreateWithFlags(&mut stream, {flags})"
            );
            stream
        })
    }

    /// A new event of `device`, without timing.
    pub(crate) fn event(&self, device: i32) -> cudaEvent_t {
        self.on(device, || {
            let mut event = null_mut();
            must!(self.cudaEventCreateWithFlags(&mut event, cudaEventDisableTiming));
            event
        })
    }

    /// Lets `accessor` access the memory of `owner`.
    pub(crate) fn enable(&self, accessor: i32, owner: i32) {
        self.on(accessor, || {
            must!(self.cudaDeviceEnablePeerAccess(owner, 0), "cudaDeviceEnablePeerAccess({owner}, 0)");
        });
    }

    /// `len` bytes that look random and are the same in every run; `seed` gives another row of them.
    pub(crate) fn pattern(&self, len: usize, seed: u32) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
        (0..len)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                (state >> 24) as u8
            })
            .collect()
    }
}
