//! What can be wrong with a handle or an address that comes from outside this crate.

/// Why a foreign handle or address was not taken. That it is of the wrong device is
/// [`Error::WrongDevice`](crate::Error::WrongDevice).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// A handle that is no object, or not one of its own.
    #[error("{what} cannot be taken: {problem}")]
    Handle {
        /// What kind of handle.
        what: &'static str,
        /// What is wrong, and what to do.
        problem: &'static str,
    },

    /// An address of another kind of memory than is needed.
    #[error("the address is of {found}, and {expected} is needed here; {}", advice(found))]
    WrongMemory {
        /// The kind that was needed.
        expected: &'static str,
        /// The kind that the runtime says it is.
        found: &'static str,
    },

    /// An address that is not aligned for the element type.
    #[error(
        "the address is {misalignment} past a multiple of {align}, to which the element type is aligned; use a type of bytes"
    )]
    Misaligned {
        /// The address modulo the alignment that is needed.
        misalignment: usize,
        /// Alignment of the element type, in bytes.
        align: usize,
    },

    /// Less memory than was said.
    #[error(
        "{bytes} bytes do not fit: {available} are left of the allocation from that address on; give the length in elements, not in \
         bytes, and count from the address"
    )]
    BeyondAllocation {
        /// Length that was said, in bytes.
        bytes: usize,
        /// What is there from the address on, in bytes.
        available: usize,
    },

    /// A tensor that is not what is needed.
    #[error(transparent)]
    Tensor(#[from] super::TensorError),
}

fn advice(found: &str) -> &'static str {
    match found {
        "managed memory" => {
            "managed memory moves by itself, and peer access does not cover it: allocate by cudaMalloc"
        }
        "memory that CUDA does not know" => {
            "see that it was not freed; host memory has to be pinned first, by cudaHostRegister"
        }
        "pages that were mapped" => "whoever mapped them unmaps and releases them: borrow the memory",
        _ => "take it as what it is",
    }
}
