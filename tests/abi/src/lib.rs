//! Proves that the bindings of `cuda-p2p-sys` and the C headers of a CUDA release agree to the byte.
//!
//! # How it works
//! 1. [`bindings`] reads a generated file of bindings with syn: every type, field, value, constant and function it exposes.
//! 2. [`list`] compares that with `list.txt`, the checked-in list of them all, each with the releases that have it.
//! 3. [`rows`] expands the list twice: into lines of a C program that includes the real header, and of a Rust program that
//!    includes the bindings. [`probe`] compiles and runs both. A row is a size, an alignment, an offset, a value, a type or a
//!    function's signature; types and signatures are compared by the C compiler itself.
//! 4. [`check`] compares all rows and gives every mismatch, with both sides. [`completed`] compares what the bindings of older
//!    headers take from those of the newest of their major.
//!
//! [`header`] reads the preprocessed header where C must be asked something that no expression tells: which names are tags,
//! which functions it declares. [`releases`] runs all of it over a folder of releases; [`tick_list`] keeps
//! `docs/functions.md`.
//!
//! The bindings are made by the very files that the build script of `cuda-p2p-sys` is made of.

pub mod bindings;
pub mod c_type;
pub mod check;
pub mod completed;
pub mod error;
pub mod header;
pub mod list;
pub mod parallel;
pub mod probe;
pub mod releases;
pub mod rows;
pub mod tick_list;
mod wrappers;

#[path = "../../../cuda-p2p-sys/build/complete.rs"]
mod complete;
#[path = "../../../cuda-p2p-sys/build/facts.rs"]
mod facts;
#[path = "../../../cuda-p2p-sys/build/generate.rs"]
mod generate;
#[path = "../../../cuda-p2p-sys/build/location.rs"]
mod location;
#[path = "../../../cuda-p2p-sys/build/table.rs"]
mod table;

/// The functions that `cuda-p2p-sys` binds.
pub mod functions {
    include!("../../../cuda-p2p-sys/src/functions.rs");
}

pub use error::Error;

use std::path::Path;

/// The bindings that the headers in `include` give, by themselves.
///
/// # Errors
/// [`Error::Generate`] with the generator's own text.
pub fn generate_bindings(include: &Path) -> Result<String, Error> {
    bindings_of(include)?.source().map_err(Error::Generate)
}

fn bindings_of(include: &Path) -> Result<table::Bindings, Error> {
    let wrapper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cuda-p2p-sys/wrapper.h");
    generate::generate(&wrapper, include, generate::compiler_include().as_deref()).map_err(Error::Generate)
}
