//! What an error says of itself: its code and class, and the parts of texts that depend on values.

use super::{Error, GraphError};
use crate::ffi::{LinkError, LoadError};
use crate::status::{CudaError, ErrorClass};

impl Error {
    /// The class of the status code, for [`Error::Cuda`]; for variants that stand for one code, its class.
    pub fn class(&self) -> Option<ErrorClass> {
        self.code().map(ErrorClass::of)
    }

    /// The status code of the runtime behind this error, if there is one.
    pub fn code(&self) -> Option<u32> {
        match self {
            Self::Cuda(error) => Some(error.code()),
            Self::DriverTooOld { code, .. } => *code,
            Self::TooManyPeers { .. } => Some(711),
            Self::NoKernelImage { .. } => Some(209),
            Self::UnknownKernel { .. } => Some(500),
            Self::Graph(GraphError::NotUpdated { .. }) => Some(910),
            _ => None,
        }
    }

    /// Whether nothing that was put into a stream runs any more: the context is lost or was reset, or the runtime is shut
    /// down at the end of the process (4). Without a function to wait by, nothing can be learned by trying again.
    pub(crate) fn ends_all_work(&self) -> bool {
        match self {
            Self::Cuda(error) => ErrorClass::is_sticky(error.code()) || error.code() == 4,
            Self::StaleHandle { .. } | Self::Forked { .. } | Self::MissingFunction { .. } => true,
            _ => false,
        }
    }

    /// Whether an earlier, asynchronous failure made the context unusable: only a new process helps.
    pub fn is_poisoned(&self) -> bool {
        self.class() == Some(ErrorClass::Poisoned)
    }
}

impl From<CudaError> for Error {
    fn from(error: CudaError) -> Self {
        Self::Cuda(Box::new(error))
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

impl From<LinkError> for Error {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

pub(super) fn existing_devices(count: u32) -> String {
    match count {
        0 => "this runtime has none; see that the driver is loaded, or set CUDA_P2P_SIM to simulate some"
            .to_owned(),
        1 => "this runtime has one, device 0; ask devices() for what is there".to_owned(),
        _ => format!("this runtime has {count}, 0 to {}; ask devices() for what is there", count - 1),
    }
}

pub(super) fn wrong_device_advice(what: &str) -> &'static str {
    match what {
        "the event" => "record an event on streams of its own device, and let streams of others wait for it",
        "the peer slice's accessor" => "make the view by a token whose accessor is the launching device",
        "the slice" => {
            "use memory and stream of one device; between devices copy by copy_peer_async, and give a kernel a peer's memory as a \
             PeerSlice, made by PeerAccess::slice"
        }
        "the memory to view" => {
            "a token makes views of its owner's memory: get one for the memory's device by enable_peer_access; the accessor's own \
             memory needs no view"
        }
        _ => "use objects of one device",
    }
}

/// Memory that was mapped for some devices only.
pub(super) fn not_accessible(accessor: u32, owner: u32) -> String {
    let how = "whoever mapped it (cuMemMap, PyTorch's expandable segments) has to open it to that device by cuMemSetAccess";
    if accessor == owner {
        format!("device {owner} cannot access this memory of its own: {how}")
    } else {
        format!(
            "device {accessor} cannot access this memory of device {owner}, which peer access does not cover: {how}"
        )
    }
}
