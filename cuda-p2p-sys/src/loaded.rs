//! The door that opens the runtime's shared library at run time, so that a program starts where there is no CUDA.
//!
//! [`load`] looks for `libcudart.so.<major>` of the major that the bindings were made for, in this order:
//! 1. `CUDA_P2P_CUDART`: an absolute path. If it is set, nothing else is tried.
//! 2. A library of that name which the process has loaded already, so that one process does not get two runtimes.
//! 3. `lib64`, `lib` and `targets/<arch>-linux/lib` of `CUDA_HOME`, then of `CUDA_PATH`.
//! 4. The system's linker (`LD_LIBRARY_PATH`, `/etc/ld.so.conf`). Left out, and said so, if `LD_LIBRARY_PATH` had an empty or
//!    relative entry when the process started: nothing is ever loaded from the working directory.
//! 5. `/usr/local/cuda` and `/opt/cuda`.
//! 6. `nvidia/cu13/lib` and `nvidia/cuda_runtime/lib` in the site-packages of `VIRTUAL_ENV`, of `CONDA_PREFIX`, of the `python3`
//!    on `PATH` (of pyenv's versions, if it is one of pyenv's), and in the user's own (`PYTHONUSERBASE`, `~/.local`): where pip puts
//!    the library.
//!
//! A variable that leads nowhere, or to a library that cannot be used, does not end the search, but for `CUDA_P2P_CUDART`:
//! [`Loaded::passed_over`] tells of it, and so does the error if there is nothing else.
//!
//! What was opened is asked for its version (`cudaRuntimeGetVersion`), and refused if it is of another major: the same symbols
//! would read other layouts.

mod elf;
mod error;
mod places;
mod python;

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

pub use error::{Attempt, LoadError};

use crate::functions::FUNCTIONS;
use crate::{BOUND_VERSION, CudaRuntime, cudaError, simulated};

/// Absolute path of the one library to open. An empty value counts as unset.
pub const CUDART_VARIABLE: &str = "CUDA_P2P_CUDART";

/// glibc's and musl's `RTLD_NOLOAD`: succeed only if the library is in the process already.
pub(crate) const RTLD_NOLOAD: c_int = 4;

/// An opened runtime library and its table.
#[derive(Debug)]
pub struct Loaded {
    table: Box<CudaRuntime>,
    library: Library,
    path: PathBuf,
    version: (u32, u32),
    simulated: Option<String>,
    passed_over: Vec<Attempt>,
}

impl Loaded {
    /// The library's functions. Valid as long as this value, or what [`into_table`](Self::into_table) gave, lives.
    pub fn table(&self) -> &CudaRuntime {
        &self.table
    }

    /// What was opened: a path, or the bare name if the system's linker found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The release of the library, as `(major, minor)`, by `cudaRuntimeGetVersion`.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The places that were looked at before, and what was wrong with each: a `CUDA_HOME` that leads nowhere, say. Empty for a
    /// library that was named.
    pub fn passed_over(&self) -> &[Attempt] {
        &self.passed_over
    }

    /// The machine that the library simulates, in the words of `CUDA_P2P_SIM`. `None` for NVIDIA's, which has devices.
    pub fn simulated_machine(&self) -> Option<&str> {
        self.simulated.as_deref()
    }

    /// Keeps the library open for the rest of the process, and gives its table.
    ///
    /// The runtime registers handlers that run when the process ends; it does not like to be closed before.
    pub fn into_table(self) -> &'static CudaRuntime {
        std::mem::forget(self.library);
        Box::leak(self.table)
    }
}

impl core::fmt::Debug for CudaRuntime {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let present = Self::ENTRIES.iter().filter(|(_, is_present)| is_present(self)).count();
        write!(f, "CudaRuntime({present} of {} functions)", Self::ENTRIES.len())
    }
}

/// The file name of the library that fits these bindings: `libcudart.so.13`, say.
pub fn soname() -> String {
    format!("libcudart.so.{}", BOUND_VERSION.0)
}

/// Finds, opens and checks the runtime library. The order of the search is in the [module's text](self).
///
/// # Errors
/// - [`LoadError::NotFound`] if no place has a usable library; it lists every place and what was wrong there.
/// - Any other variant only for the file that `CUDA_P2P_CUDART` names.
pub fn load() -> Result<Loaded, LoadError> {
    if let Some(path) = std::env::var_os(CUDART_VARIABLE).filter(|value| !value.is_empty()) {
        return load_from(Path::new(&path));
    }
    let soname = soname();
    let mut tried = Vec::new();
    // SAFETY: nothing is opened: the library is in the process already, or there is none.
    if let Ok(library) = unsafe { Library::open(Some(&soname), RTLD_NOW | RTLD_NOLOAD) } {
        let path = PathBuf::from(&soname);
        match check(library, path.clone()) {
            Ok(loaded) => return Ok(loaded),
            Err(error) => {
                tried.push(Attempt {
                    path,
                    problem: format!("in the process already, and {}", error.problem()),
                });
            }
        }
    }
    for place in places::all(&soname, &places::variable) {
        let path = match place {
            places::Place::File(path) if !path.is_file() => {
                tried.push(Attempt { path, problem: "no such file".to_owned() });
                continue;
            }
            places::Place::Refused { path, why } => {
                tried.push(Attempt { path, problem: why.to_owned() });
                continue;
            }
            places::Place::File(path) => path,
            places::Place::Linker => PathBuf::from(&soname),
        };
        match open(path.as_os_str(), RTLD_NOW | RTLD_LOCAL) {
            Ok(loaded) => return Ok(Loaded { passed_over: tried, ..loaded }),
            Err(error) => tried.push(Attempt { path, problem: error.problem() }),
        }
    }
    Err(LoadError::NotFound { soname, tried })
}

/// Opens and checks the library at `path`, which must be absolute.
///
/// # Errors
/// [`LoadError::RelativePath`], [`LoadError::Unusable`], [`LoadError::NoVersion`], [`LoadError::WrongMajor`],
/// [`LoadError::MissingSymbol`].
pub fn load_from(path: &Path) -> Result<Loaded, LoadError> {
    if !path.is_absolute() {
        return Err(LoadError::RelativePath { path: path.to_owned() });
    }
    open(path.as_os_str(), RTLD_NOW | RTLD_LOCAL)
}

fn open(name: &OsStr, flags: c_int) -> Result<Loaded, LoadError> {
    let path = PathBuf::from(name);
    // A bare name is for the linker to find; it is then one that the system keeps in order.
    if path.is_absolute() {
        elf::check(&path).map_err(|problem| LoadError::Unusable { path: path.clone(), problem })?;
    }
    // SAFETY: opening a library runs its initialisers. The name is that of NVIDIA's runtime, in a place where the system or
    // the user keeps it, never the working directory; there is nothing better to go by.
    let library = unsafe { Library::open(Some(name), flags) }
        .map_err(|error| LoadError::Unusable { path: path.clone(), problem: linkers_words(&error) })?;
    check(library, path)
}

/// libloading says that `dlopen` failed; why it did stands in the error's source.
fn linkers_words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Makes sure that an open library is a runtime of the bound major, and whole.
fn check(library: Library, path: PathBuf) -> Result<Loaded, LoadError> {
    let version = version_of(&library, &path)?;
    if version.0 != BOUND_VERSION.0 {
        return Err(LoadError::WrongMajor { path, found: version, bound: BOUND_VERSION });
    }
    // SAFETY: the library is a CUDA runtime of the major whose headers the bindings were made from, so its symbols have the
    // signatures of those headers; `Loaded` keeps it open.
    let table = unsafe { CudaRuntime::from_lookup(|symbol| find(&library, symbol)) };
    for function in FUNCTIONS.iter().filter(|function| function.required) {
        let present = CudaRuntime::ENTRIES
            .iter()
            .any(|(name, is_present)| *name == function.name && is_present(&table));
        if !present {
            return Err(LoadError::MissingSymbol { path, symbol: function.name, since: function.since });
        }
    }
    let simulated = simulated_by(&library);
    Ok(Loaded { table: Box::new(table), library, path, version, simulated, passed_over: Vec::new() })
}

/// The machine that a library simulates, if it does.
pub(crate) fn simulated_by(library: &Library) -> Option<String> {
    let address = find(library, simulated::MACHINE_SYMBOL)?;
    // SAFETY: the library has it under that name, and is open.
    Some(unsafe { simulated::machine(address) })
}

fn find(library: &Library, symbol: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the symbol is taken as a plain address; nothing is read through it here.
    let address = unsafe { library.get::<*mut c_void>(symbol.to_bytes_with_nul()) }.ok()?;
    NonNull::new(*address)
}

/// Asks the library for its version before anything else: that call is the same in every release.
fn version_of(library: &Library, path: &Path) -> Result<(u32, u32), LoadError> {
    type RuntimeGetVersion = unsafe extern "C" fn(*mut c_int) -> cudaError;
    let symbol = "cudaRuntimeGetVersion";
    let address = find(library, c"cudaRuntimeGetVersion").ok_or_else(|| LoadError::MissingSymbol {
        path: path.to_owned(),
        symbol,
        since: (12, 0),
    })?;
    // SAFETY: every release of the runtime declares this symbol as `cudaError_t cudaRuntimeGetVersion(int *)`.
    let get_version = unsafe { core::mem::transmute::<NonNull<c_void>, RuntimeGetVersion>(address) };
    let mut version = 0;
    // SAFETY: `version` is a valid place for an int.
    let status = unsafe { get_version(&mut version) };
    match u32::try_from(version) {
        Ok(version) if status == cudaError::cudaSuccess && version > 0 => {
            Ok((version / 1000, version % 1000 / 10))
        }
        _ => Err(LoadError::NoVersion { path: path.to_owned(), status: status.0, version }),
    }
}
