//! Compiled kernels, as a build script of `cuda-p2p-build` left them.

use core::ffi::{c_char, c_void};

use crate::host_abi::HostModule;

/// The kernels of one `Kernels::compile()`: machine code for GPUs, host code for the simulator, or both.
#[derive(Clone, Copy, Debug)]
pub struct KernelModule {
    name: &'static str,
    fatbin: Option<&'static [u8]>,
    host: Option<&'static HostModule>,
}

impl KernelModule {
    /// A module from its parts. What [`include_module!`](crate::kernel_module::include_module) expands to.
    ///
    /// # Safety
    /// - `fatbin`, if given, is a whole fat binary as nvcc writes it.
    /// - `host`, if given, points at a `cuda_p2p_host_module` of this program's image.
    #[doc(hidden)]
    pub const unsafe fn from_parts(
        (name, fatbin, host): (&'static str, Option<&'static [u8]>, Option<*const ()>),
    ) -> Self {
        let host = match host {
            // SAFETY: the caller says that it points at such a module, which lives as long as the program.
            Some(host) => Some(unsafe { &*host.cast::<HostModule>() }),
            None => None,
        };
        Self { name, fatbin, host }
    }

    /// The name that the build script gave it.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Machine code for GPUs; `None` if the program was built where there was no nvcc.
    pub const fn fatbin(&self) -> Option<&'static [u8]> {
        self.fatbin
    }

    /// Host code for the simulator; `None` if the program was built without it.
    pub const fn host(&self) -> Option<&'static HostModule> {
        self.host
    }

    /// What `cudaLibraryLoadData` takes on a real runtime.
    pub fn device_code(&self) -> Option<*const c_void> {
        self.fatbin.map(|bytes| bytes.as_ptr().cast())
    }

    /// What `cudaLibraryLoadData` takes on the simulator.
    pub fn host_code(&self) -> Option<*const c_void> {
        self.host.map(|module| core::ptr::from_ref(module).cast())
    }

    /// The names of the kernels that have host code, in the order of their definition.
    pub fn host_kernel_names(&self) -> impl Iterator<Item = &'static core::ffi::CStr> {
        let kernels = match self.host {
            // SAFETY: a host module's table has `kernel_count` entries and lives as long as the program.
            Some(host) => unsafe { core::slice::from_raw_parts(host.kernels, host.kernel_count as usize) },
            None => &[],
        };
        kernels.iter().map(|kernel| {
            let name: *const c_char = kernel.name;
            // SAFETY: the table's names are NUL-terminated literals of the program's image.
            unsafe { core::ffi::CStr::from_ptr(name) }
        })
    }
}

/// Embeds the kernels that the build script compiled with `cuda_p2p_build::Kernels::new(name)`: gives a [`KernelModule`].
///
/// Takes the path of the file that the build script wrote; crates outside this project use `cuda_p2p::include_module!`,
/// which takes the name alone.
#[doc(hidden)]
#[macro_export]
macro_rules! __include_module {
    ($path:expr) => {
        // The file is read outside of the `unsafe` block: what it does that is unsafe, it must say itself.
        match include!($path) {
            // SAFETY: the file was written by `cuda-p2p-build` for this very program: it names what nvcc wrote, and a
            // table that the C++ compiler made from the same sources.
            parts => unsafe { $crate::kernel_module::KernelModule::from_parts(parts) },
        }
    };
}

/// Whether `name` is one that `cuda_p2p_build::Kernels::new` takes: a C identifier, and so no path out of `OUT_DIR`.
#[doc(hidden)]
pub const fn is_module_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty()
}

#[doc(inline)]
pub use crate::__include_module as include_module;
