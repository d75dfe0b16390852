//! Kernels, and their launch.
//!
//! # Safety
//! This file launches kernels. What a kernel does with its arguments only its declaration can say: see
//! [`kernels!`](crate::kernels).
#![allow(unsafe_code, reason = "launches kernels; see the paragraph on safety above")]

use std::ffi::{CString, c_void};
use std::fmt;

use crate::error::{Error, Result};
use crate::ffi::{KernelModule, dim3, driver};
use crate::library::{KernelHandle, Library, status};
use crate::parameters;
use crate::runtime::Runtime;
use crate::seam::{On, cuda};
use crate::stream::Stream;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid_dim: (u32, u32, u32),
    /// Threads of a block in x, y and z; at most 1024 in all.
    pub block_dim: (u32, u32, u32),
    /// Dynamic shared memory of a block, in bytes.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// `blocks` blocks of `threads` threads, in x, without shared memory.
    pub const fn new(blocks: u32, threads: u32) -> Self {
        Self { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
    }

    /// At least one thread for each of `n` elements, in blocks of 256; one block if `n` is 0.
    ///
    /// A kernel that strides by the grid can do with fewer blocks.
    pub const fn for_elements(n: usize) -> Self {
        const THREADS: u32 = 256;
        // The most blocks that a grid has in x.
        const BLOCKS: usize = i32::MAX as usize;
        let blocks = n.div_ceil(THREADS as usize);
        let blocks = if blocks == 0 {
            1
        } else if blocks > BLOCKS {
            BLOCKS
        } else {
            blocks
        };
        Self::new(blocks as u32, THREADS)
    }
}

/// One compiled kernel of a runtime. What [`kernels!`](crate::kernels) keeps of each.
#[derive(Clone, Copy)]
pub struct Kernel {
    runtime: Runtime,
    module: &'static str,
    name: &'static str,
    handle: KernelHandle,
}

impl Kernel {
    /// Loads `name` of `module`, and checks the sizes of its parameters where the runtime can tell.
    ///
    /// # Errors
    /// [`Error::NoMachineCode`], [`Error::NoHostCode`], [`Error::NoKernelImage`], [`Error::UnknownKernel`],
    /// [`Error::ParameterCount`], [`Error::ParameterSize`], [`Error::DriverTooOld`], [`Error::Cuda`].
    #[doc(hidden)]
    pub fn load(
        runtime: &Runtime,
        module: &KernelModule,
        name: &'static str,
        parameter_sizes: &[usize],
    ) -> Result<Self> {
        let unknown = Error::UnknownKernel { module: module.name(), kernel: name };
        let Ok(c_name) = CString::new(name) else { return Err(unknown) };
        let named = |error: Error| name_it(error, module.name(), name);
        let library = Library::of(runtime, module).map_err(named)?;
        let handle = library.kernel(runtime.seam(), &c_name).map_err(named)?;
        parameters::check(runtime, module, handle, name, &c_name, parameter_sizes)?;
        Ok(Self::new(runtime, module.name(), name, handle))
    }

    pub(crate) fn new(
        runtime: &Runtime,
        module: &'static str,
        name: &'static str,
        handle: KernelHandle,
    ) -> Self {
        Self { runtime: *runtime, module, name, handle }
    }

    pub(crate) fn handle(&self) -> KernelHandle {
        self.handle
    }

    /// Its name in the .cu file.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Refuses a stream that the kernel cannot be launched on.
    #[doc(hidden)]
    pub fn check_stream(&self, stream: &Stream) -> Result<()> {
        if !self.runtime.is(stream.device().runtime()) {
            return Err(Error::OtherRuntime { what: "the kernel" });
        }
        stream.check()
    }

    /// Puts a launch into `stream`, without a check of anything. Asynchronous. The functions that [`kernels!`](crate::kernels)
    /// makes check, order, and then call this.
    ///
    /// C: `cudaLaunchKernel`.
    ///
    /// # Safety
    /// - `parameters` points at one value for each of the kernel's parameters, of its size and meaning.
    /// - Memory that the kernel touches through them is kept, and ordered with other work, until it is done.
    /// - The kernel may be launched in this shape.
    ///
    /// # Errors
    /// [`Error::NoKernelImage`] for a device that the kernel was not compiled for; [`Error::Cuda`].
    #[doc(alias = "cudaLaunchKernel")]
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        let (grid, block) = (config.grid_dim, config.block_dim);
        let parameters = parameters.as_mut_ptr();
        let seam = self.runtime.seam();
        let outcome = match self.handle {
            KernelHandle::Runtime(kernel) => {
                let (grid, block) =
                    (dim3 { x: grid.0, y: grid.1, z: grid.2 }, dim3 { x: block.0, y: block.1, z: block.2 });
                let (kernel, shared) =
                    (kernel.cast_const().cast::<c_void>(), config.shared_mem_bytes as usize);
                let queue = stream.as_raw();
                // Seen on GPUs: a runtime of 12.8 or 12.9 answers 400 for a kernel's handle and another device's stream;
                // 13 takes the device from the stream.
                let on = match crate::ffi::BOUND_VERSION.0 {
                    ..13 => On::Device(stream.device().ordinal()),
                    _ => stream.on(),
                };
                // SAFETY: the kernel's handle is live for good, the stream's for this call; the caller answers for
                // the rest.
                unsafe { cuda!(seam, on, cudaLaunchKernel(kernel, grid, block, parameters, shared, queue)) }
            }
            KernelHandle::Driver { kernel, launch } => {
                let on = On::Context(stream.device().ordinal());
                let (function, queue) =
                    (driver::CuFunction(kernel.0), driver::CuStream(stream.as_raw().cast()));
                seam.call("cuLaunchKernel", Some(launch), on, |launch| {
                    // SAFETY: as above; the device's context is current, and a kernel's handle does for a function's.
                    status(unsafe {
                        launch(
                            function,
                            grid.0,
                            grid.1,
                            grid.2,
                            block.0,
                            block.1,
                            block.2,
                            config.shared_mem_bytes,
                            queue,
                            parameters,
                            std::ptr::null_mut(),
                        )
                    })
                })
            }
        };
        outcome.map_err(|error| name_it(error, self.module, self.name))
    }

    /// As [`launch`](Self::launch), for a stream that was entered and is not being captured: by the driver, if it takes it.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch).
    #[doc(hidden)]
    pub unsafe fn launch_now(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        let function = driver::CuFunction(self.handle.driver().0);
        let (grid, block) = (config.grid_dim, config.block_dim);
        let put = stream.queue().put_by_driver(|twins, stream| {
            let (shared, parameters, extra) =
                (config.shared_mem_bytes, parameters.as_mut_ptr(), std::ptr::null_mut());
            // SAFETY: the kernel's handle is live for good, and does for a function's; the stream's is live for this call; the
            // caller answers for the rest.
            unsafe {
                (twins.launch)(
                    function, grid.0, grid.1, grid.2, block.0, block.1, block.2, shared, stream, parameters,
                    extra,
                )
            }
        });
        if put {
            return Ok(());
        }
        // SAFETY: as the caller says.
        unsafe { self.launch(stream, config, parameters) }
    }
}

/// The codes that say something of a kernel, as variants that name it.
fn name_it(error: Error, module: &'static str, kernel: &'static str) -> Error {
    match error.code() {
        Some(209) => Error::NoKernelImage { module, kernel },
        Some(500) => Error::UnknownKernel { module, kernel },
        _ => error,
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} of {})", self.name, self.module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_thread() {
        assert_eq!(LaunchConfig::for_elements(0).grid_dim, (1, 1, 1));
        assert_eq!(LaunchConfig::for_elements(256).grid_dim, (1, 1, 1));
        assert_eq!(LaunchConfig::for_elements(257).grid_dim, (2, 1, 1));
        assert_eq!(LaunchConfig::for_elements(usize::MAX).grid_dim, (i32::MAX as u32, 1, 1));
    }
}
