//! The simulated CUDA runtime as a shared library, for programs in C and C++.
//!
//! The library's SONAME, symbols and symbol versions are those of NVIDIA's `libcudart.so` of the major that the bindings
//! were made for. A program that was linked against the shared runtime runs on it unchanged, where `LD_LIBRARY_PATH`
//! leads to it under that name. `README.md` says how, and lists what is not modelled.
//!
//! # Architecture
//! - `exports`: one C function for each entry of [`cuda_p2p_sys::CudaRuntime`], written by the build script from the
//!   bindings, and checked against the type of the entry by the compiler. Each forwards to the simulator.
//! - `registration`: what the code that nvcc writes into a program calls: at its start, and at a launch.
//! - `unmodelled`: the rest of NVIDIA's functions. Each answers 801.
//! - `machine`: starts the simulated machine at the first call, and marks the library as a simulator's.
//!
//! # What is simulated
//! The machine that `CUDA_P2P_SIM` describes; two devices that are peers if it is not set. Loading this library is asking
//! for simulated devices, so that variable is not needed. One line on standard error says so, unless it has the word
//! `quiet`.
//!
//! # What is rejected
//! - `CUDA_P2P_SIM` that describes no machine: each call answers 3 (`cudaErrorInitializationError`), and standard error
//!   says once what is wrong with it. If it says `0` or `off`, 100 (`cudaErrorNoDevice`).
//! - Launches of kernels that nvcc compiled into the program: 209 (`cudaErrorNoKernelImageForDevice`). The simulator runs
//!   kernels whose host code comes through `cudaLibraryLoadData`, as `cuda-p2p` does it.
//! - What is not modelled: 801 (`cudaErrorNotSupported`).

mod exports;
mod machine;
mod registration;
mod unmodelled;

/// The name that a program's dynamic section asks for, and that the library must have in its folder.
pub const SONAME: &str = env!("CUDA_P2P_CUDART_SONAME");

pub use unmodelled::UNMODELLED;
