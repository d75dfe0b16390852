//! This crate's kernels on either arm: machine code for GPUs, host code for the simulator.

use std::cell::OnceCell;
use std::ffi::{CStr, c_void};
use std::ptr::{from_mut, null_mut};

use cuda_p2p_sys::kernel_module::KernelModule;
use cuda_p2p_sys::{cudaError_t, cudaKernel_t, cudaLibrary_t, cudaStream_t, dim3, kernels};

use crate::arm::Arm;
use crate::context::{Cx, Want, must, quiet};
use crate::driver::{Driver, Launch};

/// The loaded kernels.
#[derive(Debug)]
pub(crate) struct Library(pub(crate) cudaLibrary_t);

/// One block or thread.
pub(crate) const ONE: dim3 = dim3 { x: 1, y: 1, z: 1 };

/// How loading stands in a transcript.
const LOADED: &str =
    "cudaLibraryLoadData(&mut library, code, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)";

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
            match self.driver() {
                None => must!(self.cudaLibraryLoadData(
                    &mut library,
                    code,
                    null_mut(),
                    null_mut(),
                    0,
                    null_mut(),
                    null_mut(),
                    0
                )),
                Some(driver) => self.set_up(LOADED, || driver.load(&mut library, code)),
            };
            Library(library)
        });
        let mut kernel = null_mut();
        let shown = name.to_string_lossy();
        let text = format!("cudaLibraryGetKernel(&mut kernel, library, {shown:?})");
        match self.driver() {
            None => {
                must!(self.cudaLibraryGetKernel(&mut kernel, library.0, name.as_ptr()), "{text}")
            }
            Some(driver) => self.set_up(&text, || driver.find(&mut kernel, library.0, name)),
        };
        kernel
    }

    /// Launches a kernel that was found here; `text` is the line of the transcript.
    pub(crate) fn launch_found(&self, kernel: cudaKernel_t, launch: &Launch, text: &str) {
        let Launch { blocks, threads, arguments, shared, stream } = *launch;
        match self.driver() {
            None => must!(
                self.cudaLaunchKernel(kernel.cast(), blocks, threads, arguments, shared, stream),
                "{text}"
            ),
            Some(driver) => self.set_up(text, || driver.launch(kernel, launch)),
        };
    }

    /// One launch of very many: not in the transcript.
    ///
    /// # Panics
    /// If it fails: the child's frame ends the case.
    pub(crate) fn launch_unrecorded(&self, kernel: cudaKernel_t, launch: &Launch) {
        let Launch { blocks, threads, arguments, shared, stream } = *launch;
        match self.driver() {
            None => quiet!(self.cudaLaunchKernel(kernel.cast(), blocks, threads, arguments, shared, stream)),
            Some(driver) => {
                let status = driver.launch(kernel, launch);
                assert!(status.0 == 0, "cuLaunchKernel -> {}", status.0);
            }
        }
    }

    /// Where the runtime cannot load kernels (before 12.8), the driver's functions.
    ///
    /// # Panics
    /// If they are not there either: the case should have been skipped.
    fn driver(&self) -> Option<&Driver> {
        if self.table.cudaLibraryLoadData.is_some() {
            return None;
        }
        let driver = self.driver.get_or_init(|| {
            Driver::of(self.table).expect("a case that uses kernels must say so in what it needs")
        });
        Some(driver)
    }

    /// One call of the driver, which must succeed.
    fn set_up(&self, text: &str, call: impl FnOnce() -> cudaError_t) -> cudaError_t {
        self.trying(text);
        self.answered(text, call(), Want::Success)
    }

    /// Launches a kernel that keeps `stream` busy for that long.
    pub(crate) fn delay(&self, stream: cudaStream_t, milliseconds: u64) {
        let kernel = self.kernel(c"cuda_p2p_delay");
        let mut nanoseconds = milliseconds * 1_000_000;
        let mut arguments = [from_mut(&mut nanoseconds).cast::<c_void>()];
        let launch = Launch::one(&mut arguments, stream);
        let text = format!("cudaLaunchKernel(cuda_p2p_delay, 1, 1, [{nanoseconds}], 0, stream)");
        self.launch_found(kernel, &launch, &text);
    }

    /// Launches a kernel that stores `value` at `place` after that long.
    pub(crate) fn store(&self, stream: cudaStream_t, place: *mut c_void, value: u32, milliseconds: u64) {
        let kernel = self.kernel(c"cuda_p2p_delayed_store");
        let mut store = DelayedStore::new(place, value, milliseconds);
        let nanoseconds = store.nanoseconds;
        let mut arguments = store.arguments();
        let launch = Launch::one(&mut arguments, stream);
        let text = format!(
            "cudaLaunchKernel(cuda_p2p_delayed_store, 1, 1, [place, {value:#x}, {nanoseconds}], 0, stream)"
        );
        self.launch_found(kernel, &launch, &text);
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
        let launch = Launch::one(&mut arguments, stream);
        let text = format!("cudaLaunchKernel(cuda_p2p_copy, 1, 1, [place, source, {bytes}], 0, stream)");
        self.launch_found(kernel, &launch, &text);
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
