//! What a `.cu` file compiled as C++ for the simulator and the simulator agree on: the Rust twin of
//! `cuda_p2p/host_abi.h`, which `cuda-p2p-build` ships.
//!
//! Only the simulator and the crates that hand kernels to it need this module.

use core::ffi::{c_char, c_void};

/// Version of this agreement. A module of another version is refused.
pub const HOST_ABI_VERSION: u32 = 1;
/// First eight bytes of a [`HostModule`]: tells it from a fatbin when either comes through `cudaLibraryLoadData`.
pub const HOST_MAGIC: u64 = u64::from_le_bytes(*b"CUDAP2P1");

/// Three extents, in threads or blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostDim3 {
    /// Extent in x.
    pub x: u32,
    /// Extent in y.
    pub y: u32,
    /// Extent in z.
    pub z: u32,
}

/// One CUDA thread, as its kernel sees itself.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostThread {
    /// `threadIdx`
    pub thread_idx: HostDim3,
    /// `blockIdx`
    pub block_idx: HostDim3,
    /// `blockDim`
    pub block_dim: HostDim3,
    /// `gridDim`
    pub grid_dim: HostDim3,
    /// Ordinal of the simulated device that runs the thread.
    pub device: i32,
    /// Zero.
    pub reserved: u32,
}

/// `kind` of [`HostHooks::access`]: a load.
pub const ACCESS_READ: u32 = 0;
/// `kind` of [`HostHooks::access`]: a store.
pub const ACCESS_WRITE: u32 = 1;
/// `kind` of [`HostHooks::access`]: an atomic read-modify-write.
pub const ACCESS_ATOMIC: u32 = 2;
/// Added to a `kind` of [`HostHooks::access`]: the address is no multiple of the size, and the compiler took it for one.
pub const ACCESS_MISALIGNED: u32 = 4;
/// Added to a `kind` of [`HostHooks::access`], before the access itself is told: its instruction takes addresses of global memory.
pub const ACCESS_GLOBAL: u32 = 8;

/// What the simulator does for a kernel; see the header for each entry's contract.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "each entry is described once, in host_abi.h")]
pub struct HostHooks {
    pub version: u32,
    pub size: u32,
    pub current: unsafe extern "C-unwind" fn() -> *const HostThread,
    pub access: unsafe extern "C-unwind" fn(address: *const c_void, bytes: usize, kind: u32),
    pub sync_block: unsafe extern "C-unwind" fn(),
    pub sync_warp: unsafe extern "C-unwind" fn(mask: u32),
    pub static_shared:
        unsafe extern "C-unwind" fn(key: *const c_void, bytes: usize, align: usize) -> *mut c_void,
    pub dynamic_shared: unsafe extern "C-unwind" fn(bytes: *mut usize) -> *mut c_void,
    pub yield_: unsafe extern "C-unwind" fn(),
    pub global_timer_ns: unsafe extern "C-unwind" fn() -> u64,
    pub trap: unsafe extern "C-unwind" fn(),
    pub failed_assertion: unsafe extern "C-unwind" fn(),
}

/// Place of one kernel parameter.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostParam {
    /// Offset in the kernel's parameter buffer, as nvcc lays it out, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// One kernel compiled for the host.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostKernel {
    /// Its unmangled name, NUL-terminated.
    pub name: *const c_char,
    /// Runs one thread: `args[i]` points at parameter `i`. To be called on that thread's own stack.
    pub invoke: unsafe extern "C-unwind" fn(args: *const *mut c_void),
    /// `param_count` entries.
    pub params: *const HostParam,
    /// Number of parameters.
    pub param_count: u32,
    /// Limit of `__launch_bounds__`, 0 if none was given.
    pub max_threads: u32,
}

/// The kernels of one `compile()` of `cuda-p2p-build`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostModule {
    /// [`HOST_MAGIC`]
    pub magic: u64,
    /// [`HOST_ABI_VERSION`]
    pub version: u32,
    /// Entries of `kernels`.
    pub kernel_count: u32,
    /// The kernels, in the order of their definition.
    pub kernels: *const HostKernel,
    /// Gives the module its hooks.
    pub bind: unsafe extern "C-unwind" fn(hooks: *const HostHooks),
}

// SAFETY: a module is immutable data of the program's image; its pointers lead to more of it.
unsafe impl Sync for HostModule {}
// SAFETY: as above.
unsafe impl Send for HostModule {}

static_assertions::assert_eq_size!(HostThread, [u8; 56]);
static_assertions::assert_eq_size!(HostHooks, [u8; 88]);
static_assertions::assert_eq_size!(HostKernel, [u8; 32]);
static_assertions::assert_eq_size!(HostModule, [u8; 32]);
static_assertions::assert_eq_size!(HostParam, [u8; 8]);
