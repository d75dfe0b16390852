//! What a program does: one safe call, or a few that belong together, with everything about it decided.

use std::fmt;
use std::ops::Range;

use cuda_p2p::CopyRoute;

use crate::virtual_action::Virtual;

/// A part of a buffer, in bytes. Not always within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) buffer: usize,
    pub(crate) range: Range<usize>,
}

/// A part as a kernel is given it: as memory of the launching device, or by a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) part: Part,
    pub(crate) token: Option<usize>,
}

/// Pinned memory, and the part of a buffer that is copied from it or to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pinned {
    pub(crate) pinned: usize,
    pub(crate) part: Part,
}

/// Pinned memory that the host has, to read it or to write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) pinned: usize,
    pub(crate) writes: bool,
}

/// A kernel and what it is told beside slices. `amount` is a number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    Fill { amount: u64, seed: u64 },
    Copy { amount: u64 },
    Fetch { amount: u64 },
    Add { amount: u64 },
    Store { value: u32, ns: u64 },
    Count { times: u32 },
    CountHere { times: u32 },
}

/// Blocks and threads of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
}

impl Shape {
    /// Whether a device can be asked for it.
    pub(crate) fn is_possible(self) -> bool {
        self.blocks > 0 && (1..=1024).contains(&self.threads)
    }
}

/// One step of a program. Numbers of buffers, streams, events, tokens and pinned buffers are those of slots; whatever was in
/// a slot is dropped when something new comes into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// With zeros, or with the pattern of a seed.
    Allocate {
        buffer: usize,
        device: usize,
        bytes: usize,
        seed: Option<u64>,
    },
    /// More elements than the address space holds bytes.
    AllocateTooLarge {
        device: usize,
    },
    DropBuffer {
        buffer: usize,
    },

    /// A pool of the program's own.
    NewPool {
        pool: usize,
        device: usize,
    },
    DropPool {
        pool: usize,
    },
    /// As `Allocate`, in a stream's order.
    AllocateFrom {
        buffer: usize,
        pool: usize,
        stream: usize,
        bytes: usize,
        seed: Option<u64>,
    },
    Grant {
        pool: usize,
        accessor: usize,
    },
    /// And asks each stream of both devices whether it is done, which it is.
    Ungrant {
        pool: usize,
        accessor: usize,
    },
    AskGrant {
        pool: usize,
        accessor: usize,
    },

    NewStream {
        stream: usize,
        device: usize,
        blocking: bool,
    },
    CloneStream {
        stream: usize,
        of: usize,
    },
    DropStream {
        stream: usize,
    },
    /// And asks whether it is done, which it is.
    Synchronize {
        stream: usize,
    },
    NewEvent {
        event: usize,
        device: usize,
        timed: bool,
    },
    DropEvent {
        event: usize,
    },
    Record {
        event: usize,
        stream: usize,
    },
    WaitEvent {
        stream: usize,
        event: usize,
    },
    /// And asks whether it is done, which it is.
    SynchronizeEvent {
        event: usize,
    },
    /// After waiting for both.
    Elapsed {
        start: usize,
        end: usize,
    },
    /// And asks each of its streams whether it is done, which it is.
    SynchronizeDevice {
        device: usize,
    },

    Enable {
        token: usize,
        accessor: usize,
        owner: usize,
    },
    EnableBoth {
        there: usize,
        back: usize,
        a: usize,
        b: usize,
    },
    CloneToken {
        token: usize,
        of: usize,
    },
    DropToken {
        token: usize,
    },
    /// And asks each stream of both devices whether it is done, which it is if the access was disabled.
    Disable {
        token: usize,
    },
    /// Another library of the process enables access.
    OthersEnable {
        accessor: usize,
        owner: usize,
    },

    Upload {
        to: Part,
        stream: usize,
        bytes: usize,
        seed: u64,
    },
    Download {
        from: Part,
        stream: usize,
        bytes: usize,
    },
    ReadAll {
        buffer: usize,
    },
    NewPinned {
        pinned: usize,
        device: usize,
        bytes: usize,
        seed: u64,
    },
    DropPinned {
        pinned: usize,
    },
    WritePinned {
        pinned: usize,
        seed: u64,
    },
    ReadPinned {
        pinned: usize,
    },
    FromPinned {
        to: Part,
        stream: usize,
        pinned: usize,
    },
    ToPinned {
        from: Part,
        stream: usize,
        pinned: usize,
    },

    FillBytes {
        to: Part,
        stream: usize,
        value: u8,
    },
    Copy {
        to: Part,
        from: Part,
        stream: usize,
    },
    /// From the bytes before `middle` to those from it on.
    CopyWithin {
        buffer: usize,
        middle: usize,
        bytes: usize,
        stream: usize,
    },
    CopyPeer {
        to: Part,
        from: Part,
        stream: usize,
        route: CopyRoute,
    },
    /// Takes back the pinned memory of copies through the host, whatever is on its way through it.
    FreeStaging,
    Launch {
        kernel: Kernel,
        to: View,
        from: Option<View>,
        stream: usize,
        shape: Shape,
    },

    /// From pinned memory; a copy, between devices or within one; a fill of a part of the same destination; to pinned memory.
    Capture {
        graph: usize,
        up: Option<Pinned>,
        to: Part,
        from: Part,
        fill: Part,
        down: Option<Pinned>,
        stream: usize,
        value: u8,
    },
    /// While the host has pinned memory, perhaps.
    LaunchGraph {
        graph: usize,
        stream: usize,
        host: Option<Host>,
    },
    DropGraph {
        graph: usize,
    },

    Virtual(Virtual),

    /// Keeps a stream busy, so that others have time to overtake it.
    Delay {
        stream: usize,
        ns: u64,
    },

    /// The two questions about a pair.
    Ask {
        accessor: usize,
        owner: usize,
    },
    NoSuchDevice {
        ordinal: u32,
    },
    MakeCurrent {
        device: usize,
    },
    /// Another library of the process leaves its error pending.
    OthersFail,
    /// That library takes it.
    OthersTakeError,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
