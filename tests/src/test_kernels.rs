//! The kernels that only tests need, from `kernels/`: launches in one line each.

use std::ffi::{CStr, c_void};

use cuda_p2p_sys::kernel_module::{KernelModule, include_module};
use cuda_p2p_sys::{cudaKernel_t, cudaStream_t, dim3};

use crate::context::Cx;
use crate::driver::Launch;

/// The kernels, compiled by this crate's build script.
pub(crate) fn test_kernels() -> &'static KernelModule {
    static KERNELS: KernelModule = include_module!(concat!(env!("OUT_DIR"), "/cuda_p2p_test_kernels.rs"));
    &KERNELS
}

/// How many blocks of how many threads, in x, and the bytes of dynamic shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    pub(crate) shared: usize,
}

impl Shape {
    /// One thread.
    pub(crate) const ONE: Self = Self::of(1, 1);

    pub(crate) const fn of(blocks: u32, threads: u32) -> Self {
        Self { blocks, threads, shared: 0 }
    }
}

/// A row of `n` in x.
pub(crate) const fn row(n: u32) -> dim3 {
    dim3 { x: n, y: 1, z: 1 }
}

/// Pointers to variables, as a launch takes its arguments; good as long as the variables stay where they are.
macro_rules! parameters {
    ($($variable:ident),* $(,)?) => {
        [$(std::ptr::from_mut(&mut $variable).cast::<std::ffi::c_void>()),*]
    };
}
pub(crate) use parameters;

impl Cx {
    /// The test kernel of that name.
    pub(crate) fn test_kernel(&self, name: &CStr) -> cudaKernel_t {
        self.kernel_of(&self.test_library, self.code_of(test_kernels()), name)
    }

    /// Launches the test kernel of that name.
    pub(crate) fn launch(
        &self,
        name: &CStr,
        shape: Shape,
        stream: cudaStream_t,
        arguments: &mut [*mut c_void],
    ) {
        let kernel = self.test_kernel(name);
        let Shape { blocks, threads, shared } = shape;
        let shown = name.to_string_lossy();
        let text = format!("cudaLaunchKernel({shown}, {blocks}, {threads}, arguments, {shared}, stream)");
        let arguments = arguments.as_mut_ptr();
        let launch = Launch { blocks: row(blocks), threads: row(threads), arguments, shared, stream };
        self.launch_found(kernel, &launch, &text);
    }

    /// Launches a kernel that traps.
    pub(crate) fn trap(&self, stream: cudaStream_t) {
        self.launch(c"test_trap", Shape::ONE, stream, &mut []);
    }

    /// Launches a kernel that writes one word at once.
    pub(crate) fn store_word(&self, stream: cudaStream_t, mut place: *mut c_void, mut value: u32) {
        self.launch(c"test_store", Shape::ONE, stream, &mut parameters![place, value]);
    }

    /// Launches a kernel that adds `times` to a word, one at a time, in each of its threads.
    pub(crate) fn count(&self, shape: Shape, stream: cudaStream_t, mut word: *mut c_void, mut times: u32) {
        self.launch(c"test_count", shape, stream, &mut parameters![word, times]);
    }

    /// Launches a kernel that waits until `flag` is `value` and then copies `data` to `seen`; it gives up after 5 s.
    pub(crate) fn wait_for_flag(
        &self,
        stream: cudaStream_t,
        mut flag: *mut c_void,
        mut value: u32,
        mut data: *mut c_void,
        mut seen: *mut c_void,
    ) {
        let mut limit_ns = 5_000_000_000_u64;
        let mut arguments = parameters![flag, value, data, seen, limit_ns];
        self.launch(c"test_wait_for_flag", Shape::ONE, stream, &mut arguments);
    }

    /// Launches a kernel that writes `value` to `data` and then `raised` to `flag`.
    pub(crate) fn raise_flag(
        &self,
        stream: cudaStream_t,
        mut data: *mut c_void,
        mut value: u32,
        mut flag: *mut c_void,
        mut raised: u32,
    ) {
        let mut arguments = parameters![data, value, flag, raised];
        self.launch(c"test_raise_flag", Shape::ONE, stream, &mut arguments);
    }
}
