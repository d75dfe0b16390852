//! A step of a program before it means anything: numbers, to be understood in the state that the program has reached.
//! So a program that has lost some of its steps is a program still, which is what shrinking needs.

/// What kind of call a step makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Allocate,
    AllocateMuch,
    AllocateTooLarge,
    DropBuffer,
    NewPool,
    DropPool,
    AllocateFrom,
    Grant,
    Ungrant,
    AskGrant,
    NewStream,
    CloneStream,
    DropStream,
    Synchronize,
    NewEvent,
    DropEvent,
    Record,
    WaitEvent,
    SynchronizeEvent,
    Elapsed,
    SynchronizeDevice,
    Enable,
    EnableBoth,
    CloneToken,
    DropToken,
    Disable,
    OthersEnable,
    Upload,
    Download,
    ReadAll,
    NewPinned,
    DropPinned,
    WritePinned,
    ReadPinned,
    FromPinned,
    ToPinned,
    FillBytes,
    Copy,
    CopyWithin,
    CopyPeer,
    Delay,
    LaunchFill,
    LaunchCopy,
    LaunchFetch,
    LaunchAdd,
    LaunchStore,
    LaunchCount,
    Capture,
    LaunchGraph,
    DropGraph,
    NewPhysical,
    DropPhysical,
    Reserve,
    DropRange,
    Map,
    Unmap,
    GrantRange,
    UngrantRange,
    AskRange,
    FillRange,
    ReadRange,
    StoreRange,
    CopyRange,
    CopyRangeWithin,
    KernelCopyRange,
    CaptureRange,
    Ask,
    NoSuchDevice,
    MakeCurrent,
    OthersFail,
    OthersTakeError,
    FreeStaging,
}

/// How often each kind comes, relative to the others.
pub(crate) const WEIGHTS: [(u32, Kind); 72] = [
    (4, Kind::Allocate),
    (2, Kind::AllocateMuch),
    (1, Kind::AllocateTooLarge),
    (4, Kind::DropBuffer),
    (1, Kind::NewPool),
    (1, Kind::DropPool),
    (6, Kind::AllocateFrom),
    (4, Kind::Grant),
    (2, Kind::Ungrant),
    (1, Kind::AskGrant),
    (2, Kind::NewStream),
    (1, Kind::CloneStream),
    (2, Kind::DropStream),
    (2, Kind::Synchronize),
    (1, Kind::NewEvent),
    (1, Kind::DropEvent),
    (3, Kind::Record),
    (3, Kind::WaitEvent),
    (1, Kind::SynchronizeEvent),
    (1, Kind::Elapsed),
    (2, Kind::SynchronizeDevice),
    (5, Kind::Enable),
    (2, Kind::EnableBoth),
    (2, Kind::CloneToken),
    (3, Kind::DropToken),
    (4, Kind::Disable),
    (1, Kind::OthersEnable),
    (5, Kind::Upload),
    (6, Kind::Download),
    (4, Kind::ReadAll),
    (1, Kind::NewPinned),
    (1, Kind::DropPinned),
    (3, Kind::WritePinned),
    (3, Kind::ReadPinned),
    (4, Kind::FromPinned),
    (4, Kind::ToPinned),
    (6, Kind::FillBytes),
    (5, Kind::Copy),
    (2, Kind::CopyWithin),
    (12, Kind::CopyPeer),
    (8, Kind::Delay),
    (6, Kind::LaunchFill),
    (10, Kind::LaunchCopy),
    (4, Kind::LaunchFetch),
    (3, Kind::LaunchAdd),
    (6, Kind::LaunchStore),
    (5, Kind::LaunchCount),
    (6, Kind::Capture),
    (12, Kind::LaunchGraph),
    (1, Kind::DropGraph),
    (2, Kind::NewPhysical),
    (1, Kind::DropPhysical),
    (1, Kind::Reserve),
    (2, Kind::DropRange),
    (3, Kind::Map),
    (3, Kind::Unmap),
    (2, Kind::GrantRange),
    (2, Kind::UngrantRange),
    (1, Kind::AskRange),
    (5, Kind::FillRange),
    (6, Kind::ReadRange),
    (5, Kind::StoreRange),
    (8, Kind::CopyRange),
    (2, Kind::CopyRangeWithin),
    (5, Kind::KernelCopyRange),
    (6, Kind::CaptureRange),
    (1, Kind::Ask),
    (1, Kind::NoSuchDevice),
    (2, Kind::MakeCurrent),
    (1, Kind::OthersFail),
    (1, Kind::OthersTakeError),
    (1, Kind::FreeStaging),
];

/// A mistake that a step makes on purpose, where its kind knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    /// A stream, slice or token of the wrong device.
    Device,
    /// Lengths that differ; more elements than there are.
    Length,
    /// A range that ends behind the buffer.
    Bounds,
    /// An address that does not fit the element type.
    Alignment,
    /// A launch in a shape that there is not.
    Shape,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    pub(crate) flaw: Flaw,
    /// What chooses among objects, places and values.
    pub(crate) n: [u16; 6],
}

impl Step {
    /// The number at `index`, below `limit`; 0 if there is no such number.
    pub(crate) fn below(&self, index: usize, limit: usize) -> usize {
        usize::from(self.n[index]).checked_rem(limit).unwrap_or(0)
    }

    /// One of `candidates`.
    pub(crate) fn pick(&self, index: usize, candidates: &[usize]) -> Option<usize> {
        candidates.get(self.below(index, candidates.len())).copied()
    }
}
