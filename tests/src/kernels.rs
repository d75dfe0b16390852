//! This crate's kernels on either arm: machine code for GPUs, host code for the simulator.

use std::cell::OnceCell;
use std::ffi::{CStr, c_void};
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::kernel_module::KernelModule;
use cuda_p2p_sys::{cudaKernel_t, cudaLibrary_t, cudaStream_t, dim3, kernels};

use crate::arm::Arm;
use crate::context::{Cx, must};

/// The loaded kernels.
#[derive(Debug)]
pub(crate) struct Library(pub(crate) cudaLibrary_t);

/// One block or thread.
pub(crate) const ONE: dim3 = dim3 { x: 1, y: 1, z: 1 };

impl Cx {
    /// What `cudaLibraryLoadData` takes on this arm.
    ///
    /// # Panics
    /// If the case does not say that it needs kernels and there are none.
    pub(crate) fn kernel_code(&self) -> *const c_void {
        self.code_of(kernels())
    }

    /// What `cudaLibraryLoadData` takes on this arm for those kernels.
    ///
    /// # Panics
    /// As [`kernel_code`](Self::kernel_code).
    pub(crate) fn code_of(&self, module: &KernelModule) -> *const c_void {
        let code = match self.arm {
            Arm::Real => module.device_code(),
            Arm::Simulator => module.host_code(),
        };
        code.expect("a case that uses kernels must say so in what it needs")
    }

    /// The kernel of that name.
    pub(crate) fn kernel(&self, name: &CStr) -> cudaKernel_t {
        self.kernel_of(&self.library, self.kernel_code(), name)
    }

    /// The kernel of that name in a library, which is loaded if it is not yet.
    pub(crate) fn kernel_of(
        &self,
        library: &OnceCell<Library>,
        code: *const c_void,
        name: &CStr,
    ) -> cudaKernel_t {
        let library = library.get_or_init(|| {
            let mut library = null_mut();
            must!(self.cudaLibraryLoadData(
                &mut library,
                code,
                null_mut(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0
            ));
            Library(library)
        });
        let mut kernel = null_mut();
        let shown = name.to_string_lossy();
        must!(
            self.cudaLibraryGetKernel(&mut kernel, library.0, name.as_ptr()),
            "cudaLibraryGetKernel(&mut kernel, library, {shown:?})"
        );
        kernel
    }

    /// Launches a kernel that keeps `stream` busy for that long.
    pub(crate) fn delay(&self, stream: cudaStream_t, milliseconds: u64) {
        let kernel = self.kernel(c"cuda_p2p_delay");
        let mut nanoseconds = milliseconds * 1_000_000;
        let mut arguments = [from_mut(&mut nanoseconds).cast::<c_void>()];
        must!(
            self.cudaLaunchKernel(kernel.cast(), ONE, ONE, arguments.as_mut_ptr(), 0, stream),
            "cudaLaunchKernel(cuda_p2p_delay, 1, 1, [{nanoseconds}], 0, stream)"
        );
    }

    /// Launches a kernel that stores `value` at `place` after that long.
    pub(crate) fn store(&self, stream: cudaStream_t, place: *mut c_void, value: u32, milliseconds: u64) {
        let kernel = self.kernel(c"cuda_p2p_delayed_store");
        let mut store = DelayedStore::new(place, value, milliseconds);
        let nanoseconds = store.nanoseconds;
        must!(
            self.cudaLaunchKernel(kernel.cast(), ONE, ONE, store.arguments().as_mut_ptr(), 0, stream),
            "cudaLaunchKernel(cuda_p2p_delayed_store, 1, 1, [place, {value:#x}, {nanoseconds}], 0, stream)"
        );
    }

    /// Launches a kernel that loads `bytes` bytes from `source` and stores them at `place`.
    pub(crate) fn copy(
        &self,
        stream: cudaStream_t,
        mut place: *mut c_void,
        mut source: *const c_void,
        mut bytes: u64,
    ) {
        let kernel = self.kernel(c"cuda_p2p_copy");
        let mut arguments = [
            from_mut(&mut place).cast::<c_void>(),
            from_mut(&mut source).cast(),
            from_mut(&mut bytes).cast(),
        ];
        must!(
            self.cudaLaunchKernel(kernel.cast(), ONE, ONE, arguments.as_mut_ptr(), 0, stream),
            "cudaLaunchKernel(cuda_p2p_copy, 1, 1, [place, source, {bytes}], 0, stream)"
        );
    }
}

/// The arguments of `cuda_p2p_delayed_store`.
#[derive(Debug)]
pub(crate) struct DelayedStore {
    place: *mut c_void,
    value: u32,
    nanoseconds: u64,
}

impl DelayedStore {
    pub(crate) fn new(place: *mut c_void, value: u32, milliseconds: u64) -> Self {
        Self { place, value, nanoseconds: milliseconds * 1_000_000 }
    }

    /// Pointers to them, as a launch takes them; good as long as `self` stays where it is.
    pub(crate) fn arguments(&mut self) -> [*mut c_void; 3] {
        [
            from_mut(&mut self.place).cast(),
            from_mut(&mut self.value).cast(),
            from_mut(&mut self.nanoseconds).cast(),
        ]
    }
}
