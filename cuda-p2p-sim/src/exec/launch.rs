//! What is launched: kernel, shape and arguments, and what a device can take.

use std::ffi::{CStr, c_void};
use std::fmt;

use cuda_p2p_sys::host_abi::{HostKernel, HostParam};

/// Most bytes of parameters that a kernel may have (CUDA 12.1 and later).
const PARAMETER_BYTES: usize = 32_764;
/// Most parameters that a kernel may have here.
const PARAMETERS: usize = 1024;

/// A kernel compiled for the host.
#[derive(Clone, Copy, Debug)]
pub struct KernelRef(&'static HostKernel);

// SAFETY: by the contract of `new` the entry and what its pointers lead to are immutable and live for ever.
unsafe impl Send for KernelRef {}
// SAFETY: as above.
unsafe impl Sync for KernelRef {}

impl KernelRef {
    /// Takes an entry of a host module.
    ///
    /// # Safety
    /// - The entry's name, parameter table and code are valid as `host_abi` describes and never change.
    /// - The kernel may be abandoned at any hook: its frames own nothing whose destructor must run.
    /// - The module's `bind` has been given [`super::hooks()`].
    #[must_use]
    pub unsafe fn new(kernel: &'static HostKernel) -> KernelRef {
        KernelRef(kernel)
    }

    /// Its unmangled name.
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: by the contract of `new` this is a NUL-terminated string.
        unsafe { CStr::from_ptr(self.0.name) }.to_string_lossy().into_owned()
    }

    /// Places of its parameters.
    #[must_use]
    pub fn params(&self) -> &'static [HostParam] {
        if self.0.param_count == 0 {
            return &[];
        }
        // SAFETY: by the contract of `new` the table has that many entries.
        unsafe { std::slice::from_raw_parts(self.0.params, self.0.param_count as usize) }
    }

    /// Threads per block that `__launch_bounds__` allows, 0 if it was not given.
    #[must_use]
    pub fn max_threads(&self) -> u32 {
        self.0.max_threads
    }

    pub(super) fn invoke(&self) -> unsafe extern "C-unwind" fn(*const *mut c_void) {
        self.0.invoke
    }
}

/// The arguments of a launch, copied when it is made.
#[derive(Clone, Debug, Default)]
pub struct ArgBlock {
    pub(super) bytes: Vec<u8>,
    pub(super) offsets: Vec<u32>,
}

impl ArgBlock {
    /// Bytes that the arguments, the pointers to them and the thread's description take on a stack at most.
    pub(super) const MOST_ON_STACK: usize =
        (PARAMETER_BYTES + PARAMETERS * size_of::<usize>() + 512).next_multiple_of(1024);

    /// Copies the arguments as `cudaLaunchKernel` passes them: `args[i]` points at argument `i`.
    ///
    /// # Errors
    /// [`LaunchRefused::Parameters`] if the kernel has more than 32 764 bytes of parameters, or more than 1024 of them.
    ///
    /// # Safety
    /// `args` has an entry for each parameter of `kernel`, which points at as many bytes as the parameter has. It may be
    /// null if there are no parameters.
    pub unsafe fn copy(kernel: &KernelRef, args: *const *const c_void) -> Result<ArgBlock, LaunchRefused> {
        let params = kernel.params();
        let end = |param: &HostParam| param.offset as usize + param.size as usize;
        let bytes = params.iter().map(end).max().unwrap_or(0);
        if bytes > PARAMETER_BYTES || params.len() > PARAMETERS {
            return Err(LaunchRefused::Parameters { bytes, limit: PARAMETER_BYTES, count: params.len() });
        }
        let mut block = ArgBlock { bytes: vec![0; bytes], offsets: Vec::with_capacity(params.len()) };
        for (index, param) in params.iter().enumerate() {
            let place = &mut block.bytes[param.offset as usize..end(param)];
            // SAFETY: the caller passes that many pointers, each to that many bytes; `place` is a buffer of our own.
            unsafe { (*args.add(index)).cast::<u8>().copy_to(place.as_mut_ptr(), place.len()) };
            block.offsets.push(param.offset);
        }
        Ok(block)
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// What runs.
    pub kernel: KernelRef,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared: usize,
    /// Its arguments.
    pub args: ArgBlock,
    /// The caller's number for the launch; varies a seeded [`super::Order`] from launch to launch.
    pub id: u64,
}

impl LaunchSpec {
    /// Whether a device of these limits can run the launch: what `cudaLaunchKernel` checks before it returns.
    ///
    /// # Errors
    /// The first limit that is exceeded.
    pub fn check(&self, limits: &DeviceLimits) -> Result<(), LaunchRefused> {
        let fits = |shape: &[u32; 3], limit: &[u32; 3]| (0..3).all(|i| (1..=limit[i]).contains(&shape[i]));
        if !fits(&self.grid, &limits.grid) {
            return Err(LaunchRefused::Grid { asked: self.grid, limit: limits.grid });
        }
        if !fits(&self.block, &limits.block) {
            return Err(LaunchRefused::Block { asked: self.block, limit: limits.block });
        }
        let threads = self.block.iter().map(|&n| u64::from(n)).product();
        if threads > u64::from(limits.threads_per_block) {
            return Err(LaunchRefused::Threads { asked: threads, limit: limits.threads_per_block });
        }
        match self.kernel.max_threads() {
            0 => {}
            bound if threads > u64::from(bound) => {
                return Err(LaunchRefused::LaunchBounds { asked: threads, bound });
            }
            _ => {}
        }
        if self.dynamic_shared > limits.shared_per_block {
            return Err(LaunchRefused::Shared { asked: self.dynamic_shared, limit: limits.shared_per_block });
        }
        Ok(())
    }
}

/// What one device can take. The default is a small device with the limits of a Hopper block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Largest grid.
    pub grid: [u32; 3],
    /// Largest block in each extent.
    pub block: [u32; 3],
    /// Most threads of a block.
    pub threads_per_block: u32,
    /// Most shared memory of a block, static and dynamic, in bytes.
    pub shared_per_block: usize,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Blocks that one multiprocessor holds at a time.
    pub blocks_per_multiprocessor: u32,
    /// Threads that one multiprocessor holds at a time.
    pub threads_per_multiprocessor: u32,
    /// Stack of each thread, in bytes of host memory; touched pages alone cost memory.
    pub stack_bytes: usize,
}

impl Default for DeviceLimits {
    fn default() -> Self {
        DeviceLimits {
            grid: [0x7fff_ffff, 65_535, 65_535],
            block: [1024, 1024, 64],
            threads_per_block: 1024,
            shared_per_block: 227 << 10,
            multiprocessors: 4,
            blocks_per_multiprocessor: 32,
            threads_per_multiprocessor: 2048,
            stack_bytes: 128 << 10,
        }
    }
}

impl DeviceLimits {
    /// Blocks of so many threads that the device holds at a time; at least 1.
    #[must_use]
    pub fn resident_blocks(&self, threads: u32) -> u32 {
        let by_threads = self.threads_per_multiprocessor / threads.max(1);
        self.blocks_per_multiprocessor.min(by_threads).saturating_mul(self.multiprocessors).max(1)
    }
}

/// Why a launch is refused before it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "asked: what the launch wants; limit: what the device or the kernel allows")]
pub enum LaunchRefused {
    /// An extent of the grid is 0 or above the limit.
    Grid { asked: [u32; 3], limit: [u32; 3] },
    /// An extent of the block is 0 or above the limit.
    Block { asked: [u32; 3], limit: [u32; 3] },
    /// Too many threads in a block.
    Threads { asked: u64, limit: u32 },
    /// More threads in a block than the kernel's `__launch_bounds__`.
    LaunchBounds { asked: u64, bound: u32 },
    /// Too much dynamic shared memory.
    Shared { asked: usize, limit: usize },
    /// Too many parameters, or too many bytes of them.
    Parameters { bytes: usize, limit: usize, count: usize },
}

impl fmt::Display for LaunchRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchRefused::Grid { asked, limit } => write!(f, "grid {asked:?} must be from 1 to {limit:?}"),
            LaunchRefused::Block { asked, limit } => write!(f, "block {asked:?} must be from 1 to {limit:?}"),
            LaunchRefused::Threads { asked, limit } => {
                write!(f, "{asked} threads in a block, the device allows {limit}")
            }
            LaunchRefused::LaunchBounds { asked, bound } => {
                write!(f, "{asked} threads in a block, the kernel's __launch_bounds__ allow {bound}")
            }
            LaunchRefused::Shared { asked, limit } => {
                write!(f, "{asked} bytes of dynamic shared memory, the device allows {limit}")
            }
            LaunchRefused::Parameters { bytes, limit, count } => {
                write!(f, "{count} parameters of {bytes} bytes, allowed are {PARAMETERS} of {limit} bytes")
            }
        }
    }
}

impl std::error::Error for LaunchRefused {}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C-unwind" fn nothing(_: *const *mut c_void) {}

    fn kernel(params: &'static [HostParam], max_threads: u32) -> KernelRef {
        let param_count = u32::try_from(params.len()).unwrap_or(u32::MAX);
        let (name, params) = (c"nothing".as_ptr(), params.as_ptr());
        let entry = HostKernel { name, invoke: nothing, params, param_count, max_threads };
        // SAFETY: all that the entry points at lives for ever, and the kernel owns nothing.
        unsafe { KernelRef::new(Box::leak(Box::new(entry))) }
    }

    #[test]
    fn arguments_are_copied_to_their_places() {
        const PARAMS: [HostParam; 3] = [
            HostParam { offset: 0, size: 1 },
            HostParam { offset: 8, size: 8 },
            HostParam { offset: 16, size: 4 },
        ];
        let (a, b, c) = (1u8, 0x0203_0405_0607_0809u64, 10u32);
        let args = [(&raw const a).cast(), (&raw const b).cast(), (&raw const c).cast::<c_void>()];
        // SAFETY: three pointers to as many bytes as the parameters have.
        let block = unsafe { ArgBlock::copy(&kernel(&PARAMS, 0), args.as_ptr()) }.expect("few parameters");
        assert_eq!(block.offsets, [0, 8, 16]);
        assert_eq!((block.bytes.len(), block.bytes[0]), (20, 1));
        assert_eq!(block.bytes[8..16], b.to_ne_bytes());
        assert_eq!(block.bytes[16..], c.to_ne_bytes());
        static LARGE: [HostParam; 1] = [HostParam { offset: 8, size: 32_757 }];
        // SAFETY: refused before the pointers are read.
        let refused = unsafe { ArgBlock::copy(&kernel(&LARGE, 0), std::ptr::null()) }.expect_err("too large");
        assert!(matches!(refused, LaunchRefused::Parameters { bytes: 32_765, .. }), "{refused}");
    }

    #[test]
    fn each_limit_is_checked() {
        let limits = DeviceLimits::default();
        let check = |grid, block, dynamic_shared| {
            let args = ArgBlock::default();
            LaunchSpec { kernel: kernel(&[], 512), grid, block, dynamic_shared, args, id: 0 }.check(&limits)
        };
        let one = [1; 3];
        assert_eq!(check([0x7fff_ffff, 1, 1], [8, 8, 8], limits.shared_per_block), Ok(()));
        assert!(matches!(check([1, 0, 1], one, 0), Err(LaunchRefused::Grid { .. })));
        assert!(matches!(check([1, 65_536, 1], one, 0), Err(LaunchRefused::Grid { .. })));
        assert!(matches!(check(one, [1, 1, 65], 0), Err(LaunchRefused::Block { .. })));
        assert!(matches!(check(one, [0, 1, 1], 0), Err(LaunchRefused::Block { .. })));
        assert!(matches!(check(one, [1024, 2, 1], 0), Err(LaunchRefused::Threads { asked: 2048, .. })));
        assert!(matches!(check(one, [513, 1, 1], 0), Err(LaunchRefused::LaunchBounds { bound: 512, .. })));
        assert!(matches!(check(one, one, limits.shared_per_block + 1), Err(LaunchRefused::Shared { .. })));
    }

    #[test]
    fn residency_is_bounded_by_blocks_and_by_threads() {
        let limits = DeviceLimits { multiprocessors: 3, ..DeviceLimits::default() };
        assert_eq!([1, 64, 1024, 4096].map(|threads| limits.resident_blocks(threads)), [96, 96, 6, 1]);
    }
}
