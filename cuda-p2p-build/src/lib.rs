//! For build scripts: finds a CUDA toolkit, and compiles `.cu` files to an embedded fatbin and to host kernels for the
//! simulator of `cuda-p2p`.
//!
//! A crate with kernels of its own has this `build.rs`:
//!
//! ```no_run
//! fn main() {
//!     cuda_p2p_build::Kernels::new("my_kernels").file("kernels/my.cu").compile_or_exit();
//! }
//! ```
//!
//! and kernels that include `<cuda_p2p/kernel.cuh>`, which says what they may use. The result, `$OUT_DIR/my_kernels.rs`,
//! is an expression for `include!`; [`Kernels::compile`] describes it.
//!
//! Without a toolkit the build goes on: there is no fatbin, a warning lists every path that was tried, and the kernels
//! still run on the simulator.
//!
//! # Environment
//!
//! | Variable | Meaning |
//! |---|---|
//! | `CUDA_P2P_TOOLKIT` | a toolkit's folder (with `bin` and `include`), before all others |
//! | `NVCC`, `CUDA_HOME`, `CUDA_PATH`, `PATH` | the usual places of nvcc, in this order |
//! | `CONDA_PREFIX`, `VIRTUAL_ENV` | toolkits installed by conda and by pip |
//! | `CUDA_P2P_ARCHS` | architectures to compile for: `90;100`, `sm_90,sm_100`, `90a` |
//! | `CUDA_P2P_KERNELS` | `auto` (default), `nvcc` (no nvcc is an error), `none` (nvcc is not looked for) |
//! | `CXX`, `CXXFLAGS` | the C++ compiler for the simulator's kernels, which is also nvcc's host compiler |

#![expect(clippy::needless_doctest_main, reason = "the example is a whole build.rs")]

mod arch;
mod cargo;
mod depfile;
mod device;
mod error;
mod host;
mod kernels;
mod output;
mod plain;
mod scan;
mod toolkit;
mod unit;

use std::path::Path;

pub use error::BuildError;
pub use kernels::{Kernels, Report};
pub use toolkit::{Toolkit, ToolkitNotFound, Tried};

/// The folder of the headers that this crate ships: `-I` of it makes `#include <cuda_p2p/kernel.cuh>` work.
pub fn include_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/include"))
}
