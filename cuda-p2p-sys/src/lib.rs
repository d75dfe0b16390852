//! Raw bindings to the CUDA runtime's peer-to-peer API, generated from the CUDA headers.
//!
//! # Architecture
//! - The crate root has the types and constants of `cuda_runtime_api.h` under their exact C names, and [`CudaRuntime`]: one
//!   struct of function pointers, an `Option` for each bound function.
//! - A *door* fills that struct. [`loaded`] opens `libcudart.so` at run time; [`linked`] is the library that the program was linked
//!   against (features `link-shared` and `link-static`); a simulator, or a test, makes a table of its own, by struct update from
//!   [`CudaRuntime::EMPTY`].
//! - [`simulated`] is how a library says that its devices are simulated.
//! - [`functions`] lists what is bound, and the release that brought it.
//! - [`driver`] has the few driver functions that are reached through `cudaGetDriverEntryPointByVersion`.
//! - [`kernel_module`] holds compiled kernels, [`kernels`] the crate's own; [`host_abi`] is what kernels compiled for the
//!   simulator and the simulator agree on.
//!
//! # Who validates what
//! This crate checks what a symbol's name cannot promise, the library's major version, and nothing else: a call through the
//! table is the C call. Arguments are the caller's to get right. The crate `cuda-p2p` is the layer that checks.
//!
//! # Where the bindings come from
//! With the feature `bindgen` (the default) from the headers of the CUDA toolkit of the machine that builds, if it has one and
//! a libclang; otherwise from a pre-generated file. [`BINDINGS_ORIGIN`] says which, at run time. At build time,
//! `CUDA_P2P_BINDINGS=headers` makes missing headers an error, `CUDA_P2P_BINDINGS=pregenerated` leaves them aside, and
//! `CUDA_P2P_CUDA_MAJOR` (12 or 13) chooses the pre-generated file.
//!
//! Functions, types, constants and values that older headers of a major lack come from the pre-generated file of that major, so
//! [`CudaRuntime`] has the same entries whatever the release. [`BOUND_VERSION`] is that of the headers. A function that the library
//! lacks is `None`. What differs between releases in shape (fields, parameters, what only CUDA 13 has) is told to dependents as
//! `DEP_CUDA_P2P_CFGS`.
//!
//! Status codes and enumerations are transparent integers with constants, not Rust enums: a newer library may answer with a
//! value that these headers do not have.

mod bindings {
    #![allow(
        non_camel_case_types,
        non_snake_case,
        non_upper_case_globals,
        missing_docs,
        clippy::all,
        clippy::undocumented_unsafe_blocks,
        clippy::missing_safety_doc,
        unreachable_pub,
        reason = "generated: names, layout and documentation are those of the C headers"
    )]
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

pub use bindings::*;

pub mod driver;
pub mod host_abi;
pub mod kernel_module;
pub mod linked;
pub mod loaded;
pub mod simulated;

/// The list of bound functions.
pub mod functions {
    include!("functions.rs");
}

mod abi;
mod pool_props;

/// What the bindings were made from: the headers of a CUDA release, or a pre-generated file.
pub const BINDINGS_ORIGIN: &str = env!("CUDA_P2P_BINDINGS_ORIGIN");

/// The CUDA release of the bindings, as `(major, minor)`.
///
/// A library of another major has other layouts under the same symbols, so [`loaded`] refuses it.
pub const BOUND_VERSION: (u32, u32) = (CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);

/// This crate's own kernels, compiled: pattern fill and check, copy, flag ping-pong, add, pointer chase, delay.
pub fn kernels() -> &'static kernel_module::KernelModule {
    static KERNELS: kernel_module::KernelModule =
        kernel_module::include_module!(concat!(env!("OUT_DIR"), "/cuda_p2p_kernels.rs"));
    &KERNELS
}
