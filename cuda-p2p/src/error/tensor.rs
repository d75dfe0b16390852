//! What can be wrong with a tensor that comes from outside this crate.

/// Why a tensor was not taken, or not used so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The descriptor contradicts itself, is of a version that is not known, or is null.
    #[error("the tensor's descriptor cannot be used: {problem}")]
    Descriptor {
        /// What is wrong with it.
        problem: String,
    },

    /// Memory of the host, managed memory, or of another kind of device.
    #[error(
        "the tensor's DLPack device type is {device_type}, and 2, memory of a CUDA device, is needed here; move it to a GPU first"
    )]
    NotOnDevice {
        /// DLPack's number of it: 1 for the host, 3 for pinned memory of the host, 13 for managed memory.
        device_type: u32,
    },

    /// Elements of another type.
    #[error(
        "the tensor's elements are {found}, and {wanted} is needed here; convert it first, or take it as what it is"
    )]
    ElementType {
        /// The Rust type that was asked for.
        wanted: &'static str,
        /// DLPack's description.
        found: String,
    },

    /// Elements that do not follow each other in row-major order.
    #[error(
        "the tensor's elements do not follow each other in row-major order; make it contiguous first, or use storage() with strides()"
    )]
    NotContiguous,

    /// The producer does not want it written.
    #[error("the tensor is read-only, says whoever made it; copy it first")]
    ReadOnly,
}

impl From<TensorError> for super::Error {
    fn from(error: TensorError) -> Self {
        super::ForeignError::from(error).into()
    }
}
