//! What the bindings of older headers take from the pre-generated ones of their major: each row of it must be what it is there.

use std::collections::BTreeSet;

use crate::Error;
use crate::bindings::Bindings;
use crate::check::{Mismatch, Outcome, answers};
use crate::list::{Entry, Kind, exposed};
use crate::releases::Headers;

/// What one release takes.
#[derive(Debug)]
pub struct Completion {
    /// Functions that were taken.
    pub functions: usize,
    /// Rows that were compared: of the functions, and of the types, values and constants that came with them or by themselves.
    pub rows: usize,
    /// What differs from where it was taken, or was not taken.
    pub mismatches: Vec<Mismatch>,
}

/// Compares what `headers` took with the bindings of `newest`, the release that the pre-generated bindings are of, whose own
/// comparison with its header is `outcome`.
///
/// # Errors
/// Any of [`Error`], if the comparison could not be made.
pub fn completion(headers: &Headers, newest: &Headers, outcome: &Outcome) -> Result<Completion, Error> {
    let completed = exposed(&Bindings::parse(&headers.completed)?);
    let taken: BTreeSet<Entry> = completed.difference(&headers.exposed).cloned().collect();
    let mut mismatches = Vec::new();
    // Fields come with their types: what an older type lacks, it lacks.
    for entry in newest.exposed.difference(&completed).filter(|entry| entry.kind == Kind::Function) {
        mismatches.push(Mismatch {
            row: entry.to_string(),
            bindings: "do not have it".to_owned(),
            other: told(newest, "have it"),
        });
    }
    let rows = answers(&headers.completed, &taken, &newest.header)?;
    for (row, bindings) in &rows {
        let there = outcome.rows.get(row).map_or("do not have it", String::as_str);
        if bindings != there {
            mismatches.push(Mismatch {
                row: row.clone(),
                bindings: bindings.clone(),
                other: told(newest, there),
            });
        }
    }
    let functions = taken.iter().filter(|entry| entry.kind == Kind::Function).count();
    Ok(Completion { functions, rows: rows.len(), mismatches })
}

fn told(newest: &Headers, what: &str) -> String {
    format!("the bindings of {}.{}: {what}", newest.release.0, newest.release.1)
}

#[cfg(test)]
mod tests {
    use crate::table::Bindings;

    const OLDER: &str = "
        pub const CUDART_VERSION: u32 = 12000;
        pub struct cudaError(pub ::core::ffi::c_uint);
        impl cudaError { pub const cudaSuccess: cudaError = cudaError(0); }
        pub use self::cudaError as cudaError_t;
        pub struct cudaExtent { pub width: usize }
        pub struct CudaRuntime {
            /// `cudaFree`
            pub cudaFree: Option<unsafe extern \"C\" fn(place: *mut cudaExtent) -> cudaError_t>,
        }";
    const NEWER: &str = "
        pub const CUDART_VERSION: u32 = 12090;
        pub const cudaNewFlag: u32 = 4;
        pub struct cudaError(pub ::core::ffi::c_uint);
        impl cudaError {
            pub const cudaSuccess: cudaError = cudaError(0);
            pub const cudaErrorNew: cudaError = cudaError(9);
        }
        pub use self::cudaError as cudaError_t;
        pub struct cudaExtent { pub width: usize, pub reserved: usize }
        pub struct CUlib_st { _unused: [u8; 0] }
        pub type cudaLibrary_t = *mut CUlib_st;
        pub struct cudaUnused { pub a: u8 }
        impl cudaUnusedKind { pub const cudaUnusedOne: cudaUnusedKind = cudaUnusedKind(1); }
        pub struct cudaOperand { pub extent: cudaExtent, pub library: cudaLibrary_t }
        const _: () = { [\"Size of cudaOperand\"][::core::mem::size_of::<cudaOperand>() - 16usize]; };
        const _: () = { [\"Size of cudaExtent\"][::core::mem::size_of::<cudaExtent>() - 16usize]; };
        pub struct CudaRuntime {
            /// `cudaFree`
            pub cudaFree: Option<unsafe extern \"C\" fn() -> cudaError_t>,
            /// `cudaLoad_v2`
            pub cudaLoad: Option<unsafe extern \"C\" fn(operand: *const cudaOperand) -> cudaError_t>,
        }
        impl CudaRuntime { pub const EMPTY: Self = Self { cudaFree: None, cudaLoad: None }; }";

    fn read(source: &str) -> Bindings {
        Bindings::read(source).expect("it parses")
    }

    #[test]
    fn what_is_missing_is_taken_with_all_that_it_needs_and_nothing_is_replaced() {
        let mut bindings = read(OLDER);
        assert_eq!(bindings.complete(&read(NEWER)), 1);
        let source = bindings.source().expect("it is Rust");
        for taken in [
            "pub const cudaNewFlag: u32 = 4;",
            "cudaErrorNew: cudaError = cudaError(9)",
            "pub struct cudaOperand",
            "Size of cudaOperand",
            "pub type cudaLibrary_t = *mut CUlib_st;",
            "pub struct CUlib_st",
            "pub cudaLoad: Option<",
            "c\"cudaLoad_v2\"",
        ] {
            assert_eq!(source.matches(taken).count(), 1, "{taken} in {source}");
        }
        for kept in ["CUDART_VERSION: u32 = 12000", "fn(place: *mut cudaExtent)", "cudaSuccess: cudaError"] {
            assert_eq!(source.matches(kept).count(), 1, "{kept} in {source}");
        }
        for left in ["reserved", "Size of cudaExtent", "cudaUnused", "cudaUnusedKind", "12090"] {
            assert!(!source.contains(left), "{left} in {source}");
        }
    }

    #[test]
    fn newer_headers_take_nothing() {
        let mut bindings = read(NEWER);
        let before = bindings.source().expect("it is Rust");
        assert_eq!(bindings.complete(&read(OLDER)), 0);
        assert_eq!(bindings.complete(&read(NEWER)), 0);
        assert_eq!(bindings.source().expect("it is Rust"), before);
    }
}
