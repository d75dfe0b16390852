//! The door that links the program against the runtime library when it is built, for programs that share the runtime with C++
//! code of theirs, or are to hold it.
//!
//! Of the features, `link-shared` links `libcudart.so`, and `link-static` `libcudart_static.a` with what it needs of the system.
//! With both, the shared one is linked: cargo unites the features of all crates in a program, and a program that held the static
//! runtime beside somebody's shared one would have two, each with a current device and a last error of its own. [`LINK`] says which
//! it is.
//!
//! | | `loaded` | `link-shared` | `link-static` |
//! |---|---|---|---|
//! | the build needs | nothing | `libcudart.so.<major>` | `libcudart_static.a` |
//! | the program starts without CUDA | yes | no | yes (every call answers error 35) |
//! | runtimes older than the build's | any of the major | no: a missing symbol ends the program | not possible |
//! | a function that the library lacks | `None` | `None`, as of the build's library | `None` |
//!
//! The library is looked for in `CUDA_P2P_LIB_DIR`, in the toolkit that `cuda_p2p_build::Toolkit::find` finds, and in the system's
//! folders; none that fits the major of the bindings is an error of the build. Under `DOCS_RS` nothing is linked, and the table
//! is empty.
//!
//! A program finds the shared library by its run path, which a library cannot set for it: the program's build script does, with
//! `println!("cargo::rustc-link-arg=-Xlinker")` and
//! `println!("cargo::rustc-link-arg=-rpath={}", std::env::var("DEP_CUDA_P2P_LIB_DIR")?)`, or `LD_LIBRARY_PATH`.

use std::fmt;

/// How the runtime library comes into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Link {
    /// Opened when the program runs.
    Loaded,
    /// Linked as a shared library.
    Shared,
    /// Linked as a static library.
    Static,
}

/// What the features of this build ask for.
pub const LINK: Link = if cfg!(feature = "link-shared") {
    Link::Shared
} else if cfg!(feature = "link-static") {
    Link::Static
} else {
    Link::Loaded
};

/// Why the linked runtime cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// The library lacks a function that nothing works without.
    MissingSymbol {
        /// The C name.
        symbol: &'static str,
    },
    /// The library would not say which version it is (`cudaRuntimeGetVersion`).
    NoVersion {
        /// The status that the call returned.
        status: u32,
        /// The version that the call left.
        version: i32,
    },
    /// The library is of another major: its symbols have the same names and other layouts.
    WrongMajor {
        /// The library's release, as `(major, minor)`.
        found: (u32, u32),
        /// The release that the bindings were made for.
        bound: (u32, u32),
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingSymbol { symbol } => {
                write!(
                    f,
                    "this program was built without a CUDA runtime to link (DOCS_RS was set), and lacks {symbol}: build it again"
                )
            }
            Self::NoVersion { status, version } => write!(
                f,
                "the linked CUDA runtime does not say its version (cudaRuntimeGetVersion returned status {status} and version \
                 {version}); it is no CUDA runtime, or a broken one: see what the program is linked against (ldd)"
            ),
            Self::WrongMajor { found, bound } => write!(
                f,
                "the linked CUDA runtime is {}.{}, and this program's bindings are for CUDA {}: the layouts differ. Build with \
                 the headers (or CUDA_P2P_CUDA_MAJOR={}) of the library's major, or link one of CUDA {}",
                found.0, found.1, bound.0, found.0, bound.0
            ),
        }
    }
}

impl std::error::Error for LinkError {}

#[cfg(any(feature = "link-shared", feature = "link-static"))]
pub use door::{Linked, open};

#[cfg(any(feature = "link-shared", feature = "link-static"))]
mod door {
    use core::ffi::{CStr, c_int, c_void};
    use core::ptr::NonNull;
    use std::sync::OnceLock;

    use libloading::os::unix::{Library, RTLD_NOW};

    use super::{LINK, Link, LinkError};
    use crate::{BOUND_VERSION, CudaRuntime, cudaError, loaded};

    // The symbols that the build script saw in the library.
    include!(concat!(env!("OUT_DIR"), "/linked.rs"));

    /// The linked runtime.
    #[derive(Clone, Copy, Debug)]
    pub struct Linked {
        table: &'static CudaRuntime,
        version: (u32, u32),
        simulated: Option<&'static str>,
    }

    impl Linked {
        /// The library's functions.
        pub fn table(&self) -> &'static CudaRuntime {
            self.table
        }

        /// The release of the library, as `(major, minor)`, by `cudaRuntimeGetVersion`.
        pub fn version(&self) -> (u32, u32) {
            self.version
        }

        /// The machine that the library simulates, in the words of `CUDA_P2P_SIM`. `None` for NVIDIA's, which has devices.
        ///
        /// What a program is linked against and what it finds when it starts may be two: this is about the latter.
        pub fn simulated_machine(&self) -> Option<&'static str> {
            self.simulated
        }
    }

    /// The linked runtime, after asking it for its version. The same table each time.
    ///
    /// # Errors
    /// [`LinkError::WrongMajor`] if the library is of another major than the bindings; [`LinkError::NoVersion`],
    /// [`LinkError::MissingSymbol`].
    pub fn open() -> Result<Linked, LinkError> {
        static RUNTIME: OnceLock<(CudaRuntime, Option<String>)> = OnceLock::new();
        let version = version()?;
        if version.0 != BOUND_VERSION.0 {
            return Err(LinkError::WrongMajor { found: version, bound: BOUND_VERSION });
        }
        // SAFETY: the addresses are those of a CUDA runtime of the major whose headers the bindings were made from, so its symbols
        // have the signatures of those headers; it is part of the program.
        let (table, simulated) =
            RUNTIME.get_or_init(|| (unsafe { CudaRuntime::from_lookup(address) }, simulated()));
        Ok(Linked { table, version, simulated: simulated.as_deref() })
    }

    /// Asks the shared library, which the process has loaded, whether it is NVIDIA's.
    fn simulated() -> Option<String> {
        if LINK != Link::Shared {
            return None;
        }
        // SAFETY: nothing is opened: the library is in the process already, or there is none.
        let library = unsafe { Library::open(Some(loaded::soname()), RTLD_NOW | loaded::RTLD_NOLOAD) };
        library.ok().and_then(|library| loaded::simulated_by(&library))
    }

    fn address(symbol: &'static CStr) -> Option<NonNull<c_void>> {
        let (_, function) = SYMBOLS.iter().find(|(name, _)| *name == symbol)?;
        NonNull::new(*function as *mut c_void)
    }

    fn version() -> Result<(u32, u32), LinkError> {
        type RuntimeGetVersion = unsafe extern "C" fn(*mut c_int) -> cudaError;
        let symbol = "cudaRuntimeGetVersion";
        let address = address(c"cudaRuntimeGetVersion").ok_or(LinkError::MissingSymbol { symbol })?;
        // SAFETY: every release of the runtime declares this symbol as `cudaError_t cudaRuntimeGetVersion(int *)`.
        let get_version = unsafe { core::mem::transmute::<NonNull<c_void>, RuntimeGetVersion>(address) };
        let mut version = 0;
        // SAFETY: `version` is a valid place for an int.
        let status = unsafe { get_version(&mut version) };
        match u32::try_from(version) {
            Ok(number @ 1..) if status == cudaError::cudaSuccess => Ok((number / 1000, number % 1000 / 10)),
            _ => Err(LinkError::NoVersion { status: status.0, version }),
        }
    }
}
