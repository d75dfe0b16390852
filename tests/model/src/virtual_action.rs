//! What a program does with virtual memory.

use std::ops::Range;

use cuda_p2p::CopyRoute;

use crate::action::View;

/// Bytes of a range, as memory of a device that has access. With a token: as its accessor is given them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) range: usize,
    pub(crate) device: usize,
    pub(crate) token: Option<usize>,
    pub(crate) bytes: Range<usize>,
}

/// One end of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Range(Spot),
    Buffer(View),
}

/// What carries a copy out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    Kernel,
    /// Within one device.
    Engine,
    /// Between devices, mostly.
    Peer(CopyRoute),
}

/// One safe call, or a few that belong together. Slots are those of ranges, and of physical memory that is not mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Virtual {
    NewPhysical {
        physical: usize,
        device: usize,
        bytes: usize,
    },
    DropPhysical {
        physical: usize,
    },
    Reserve {
        range: usize,
        bytes: usize,
    },
    DropRange {
        range: usize,
    },
    Map {
        range: usize,
        physical: usize,
        offset: usize,
    },
    Unmap {
        range: usize,
        physical: usize,
        offset: usize,
    },
    Grant {
        range: usize,
        accessor: usize,
    },
    Ungrant {
        range: usize,
        accessor: usize,
    },
    Ask {
        range: usize,
        accessor: usize,
    },

    Fill {
        to: Spot,
        stream: usize,
        value: u8,
    },
    Read {
        from: Spot,
        stream: usize,
    },
    /// By a kernel, after a while.
    Store {
        to: Spot,
        stream: usize,
        value: u32,
        ns: u64,
    },
    /// The ends are not of the same range.
    Copy {
        to: End,
        from: End,
        stream: usize,
        means: Means,
    },
    /// From the first half of the bytes to the second.
    CopyWithin {
        both: Spot,
        stream: usize,
    },
    /// A fill, and perhaps a copy or a kernel in the same stream, into a graph.
    Capture {
        graph: usize,
        stream: usize,
        work: Vec<Virtual>,
    },
}
