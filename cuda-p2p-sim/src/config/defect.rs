//! What is wrong with a machine.

mod check;
mod text;

pub(super) use check::validate;
pub(super) use text::{parse, print};

/// How one device reaches another's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// Either way.
    #[default]
    Any,
    /// By the loads, stores and atomics of kernels.
    Kernel,
    /// By copies and fills. A copy from memory of the accessor to memory of the owner, or back, goes over their link if one of them may
    /// access the other's side of it; otherwise it goes through the host, and no defect of the link touches it.
    ///
    /// Memory of another process is read and written by the device that opened it, over the link to the GPU that it is on, whatever
    /// the other side is and wherever the rest of the way goes: a copy from the host to it is a write of that device.
    Copy,
}

impl Means {
    /// Whether the two have a means in common.
    pub(crate) fn meets(self, other: Means) -> bool {
        self == other || self == Means::Any || other == Means::Any
    }
}

/// Something that is wrong with a simulated machine. No call tells of it but where that is said.
///
/// Devices are told in the numbers of the machine, whatever a process sees of it ([`MachineConfig::visible`](super::MachineConfig::visible)). The owner is the GPU that
/// memory is on: memory of another process, which counts as memory of the device that opened it, is on the GPU on which the other
/// process made it, whether this one sees that or not.
///
/// In the text form each is a word with a list of such defects, divided by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Writes of the accessor to the owner's memory are lost: `drop=0>1`, `drop=0>1:kernel`, `drop=0>1:copy`.
    ///
    /// An atomic answers with the value that it found. So it is where an IOMMU or a switch swallows the traffic.
    DroppedWrites {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes.
        by: Means,
    },
    /// Writes of the accessor go to a copy of the owner's memory which the accessor alone sees: it reads back what it wrote, and the
    /// owner finds the old bytes. `mirror=0>1`, with `:kernel` or `:copy` as for `drop`.
    PrivateMirror {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes and reads back.
        by: Means,
    },
    /// One bit of every so many writes of the accessor to the owner's memory arrives wrong: `flip=0>1`, `flip=0>1:copy`,
    /// `flip=0>1:kernel:3`. Each store of a kernel is a write, each copy and each fill.
    BitFlips {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What writes.
        by: Means,
        /// 1 for every write, 2 for every other one, and so on.
        every: u64,
    },
    /// A transfer from the accessor's memory to the owner's never ends, nor does an access of the accessor's kernels to it:
    /// `hang=0>1`, with `:kernel` or `:copy` as for `drop`.
    Hang {
        /// The device that writes.
        accessor: usize,
        /// The device whose memory it is.
        owner: usize,
        /// What hangs.
        by: Means,
    },
    /// `cudaDeviceEnablePeerAccess` answers with this code where it would have succeeded: `enable=0>1:205`.
    EnableFails {
        /// The device that is current.
        accessor: usize,
        /// The device that is asked for.
        owner: usize,
        /// The code: 205 where a window to the memory cannot be mapped, 802 where the fabric is not ready.
        code: u32,
    },
    /// A function answers with a code at one of its uses, and does nothing: `fail=cudaMalloc:3:2`. Uses are counted from 1, over
    /// all threads. A code such as 700 is told once; it does not poison the machine.
    CallFails {
        /// Name of the function.
        call: String,
        /// Which use.
        nth: u64,
        /// The code.
        code: u32,
    },
    /// Some other part of the program resets a device just before one of the uses of a function: `reset=1:cudaMemcpyPeer:2`. As
    /// after `cudaDeviceReset`, all that the device held is gone.
    Reset {
        /// The device.
        device: usize,
        /// Name of the function.
        call: String,
        /// Which use.
        nth: u64,
    },
    /// The device is lost at its so many-th kernel, copy or fill: that ends with error 719, and the machine is poisoned.
    /// `lost=1:3`.
    Lost {
        /// The device.
        device: usize,
        /// Which of its operations, counted from 1 in the order in which they start.
        nth: u64,
    },
}

impl Defect {
    /// Accessor, owner and means, if it is a defect of their link.
    pub(crate) fn link(&self) -> Option<(usize, usize, Means)> {
        match *self {
            Defect::DroppedWrites { accessor, owner, by }
            | Defect::PrivateMirror { accessor, owner, by }
            | Defect::BitFlips { accessor, owner, by, .. }
            | Defect::Hang { accessor, owner, by } => Some((accessor, owner, by)),
            _ => None,
        }
    }
}
