//! What is measured, and in which unit.

use serde::{Deserialize, Serialize};

/// A measurement of an ordered pair, or of one device and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Test {
    /// Copies from owner to accessor without access, staged by the driver.
    DriverStagedRead,
    /// The same, and from accessor to owner at once.
    DriverStagedBoth,
    /// Copies from owner to accessor without access, staged by this project.
    StagedRead,
    /// The same, and from accessor to owner at once.
    StagedBoth,
    /// Copies from owner to accessor by a copy engine, in a stream of the accessor.
    EngineRead,
    /// Copies from accessor to owner by a copy engine, in a stream of the accessor.
    EngineWrite,
    /// Both devices write to each other by copy engines.
    EngineBoth,
    /// A kernel of the accessor reads the owner's memory, in as few blocks as reach the rate.
    KernelRead,
    /// The same by ordinary accesses of all multiprocessors.
    KernelReadPlain,
    /// A kernel of the accessor writes to the owner's memory.
    KernelWrite,
    /// Copies both ways at once by kernels, whose side the library chooses.
    KernelBoth,
    /// A load from the owner's memory, each from the address that the one before gave.
    Chase,
    /// A flag there and another back, between two running kernels.
    FlagRoundTrip,
    /// The same by release and acquire, as kernels do that pass data.
    FlagOrdered,
    /// A copy from accessor to owner by the engine, among others in a stream of the accessor.
    SmallEngineWrite,
    /// The same by a kernel.
    SmallKernelWrite,
    /// A copy from owner to accessor by the engine, among others in a stream of the accessor.
    SmallEngineRead,
    /// The same by a kernel.
    SmallKernelRead,
    /// Until a peer copy of a view returns to the host.
    IssueCopy,
    /// Until a peer copy that asks for the access returns to the host.
    IssueAskedCopy,
    /// Until a launch returns to the host.
    IssueLaunch,
    /// Every other device writes to this one at once, by copy engines.
    AllToOne,
    /// This device writes to every other one at once, by copy engines.
    OneToAll,
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unit {
    /// 10^9 bytes a second; both directions together where there are two.
    #[serde(rename = "GB/s")]
    GigabytesPerSecond,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::GigabytesPerSecond => "GB/s",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
        })
    }
}

impl Test {
    /// Those of a pair that come before access is enabled, in order.
    pub(crate) const WITHOUT_ACCESS: [Self; 4] =
        [Self::DriverStagedRead, Self::StagedRead, Self::DriverStagedBoth, Self::StagedBoth];

    /// Those of a pair that move large data with access enabled, in order.
    pub(crate) const BANDWIDTH: [Self; 7] = [
        Self::EngineRead,
        Self::EngineWrite,
        Self::EngineBoth,
        Self::KernelRead,
        Self::KernelReadPlain,
        Self::KernelWrite,
        Self::KernelBoth,
    ];

    /// Those of a pair that move small data, for each small size.
    pub(crate) const SMALL: [Self; 4] =
        [Self::SmallEngineWrite, Self::SmallKernelWrite, Self::SmallEngineRead, Self::SmallKernelRead];

    /// Those of a pair that move next to nothing.
    pub(crate) const LATENCY: [Self; 6] = [
        Self::Chase,
        Self::FlagRoundTrip,
        Self::FlagOrdered,
        Self::IssueCopy,
        Self::IssueAskedCopy,
        Self::IssueLaunch,
    ];

    /// Those that a sweep of sizes repeats.
    pub(crate) const SWEPT: [Self; 4] =
        [Self::EngineRead, Self::EngineWrite, Self::KernelRead, Self::KernelWrite];

    /// Those of one device and all others.
    pub(crate) const MANY: [Self; 2] = [Self::AllToOne, Self::OneToAll];

    /// What its number counts.
    pub(crate) fn unit(self) -> Unit {
        match self {
            test if Self::LATENCY.contains(&test) => Unit::Nanoseconds,
            test if Self::SMALL.contains(&test) => Unit::Microseconds,
            _ => Unit::GigabytesPerSecond,
        }
    }

    /// Whether it is run with access disabled.
    pub(crate) fn is_without_access(self) -> bool {
        Self::WITHOUT_ACCESS.contains(&self)
    }

    /// What it is, in three words: as the JSON has it.
    pub(crate) fn name(self) -> String {
        let name = serde_json::to_value(self).ok();
        name.as_ref().and_then(|name| name.as_str()).unwrap_or_default().replace('_', " ")
    }

    /// What it is, for the title of its table.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::DriverStagedRead => "No access: copies owner -> accessor, staged by the driver",
            Self::DriverStagedBoth => "No access: copies both ways at once, staged by the driver",
            Self::StagedRead => "No access: copies owner -> accessor, staged by this project",
            Self::StagedBoth => "No access: copies both ways at once, staged by this project",
            Self::EngineRead => "Copy engine, accessor reads: owner -> accessor",
            Self::EngineWrite => "Copy engine, accessor writes: accessor -> owner",
            Self::EngineBoth => "Copy engines, both write at once",
            Self::KernelRead => "Kernel of the accessor reads, in few blocks: owner -> accessor",
            Self::KernelReadPlain => "Kernel of the accessor reads by all multiprocessors: owner -> accessor",
            Self::KernelWrite => "Kernel of the accessor writes: accessor -> owner",
            Self::KernelBoth => "Kernels, both ways at once, each on the side that the library chooses",
            Self::Chase => "A load of the accessor from the owner's memory",
            Self::FlagRoundTrip => "A flag from the accessor's kernel to the owner's, and one back",
            Self::FlagOrdered => "The same flags by release and acquire",
            Self::SmallEngineWrite => "Small copy accessor -> owner by the copy engine, in a stream",
            Self::SmallKernelWrite => "Small copy accessor -> owner by a kernel, in a stream",
            Self::SmallEngineRead => "Small copy owner -> accessor by the copy engine, in a stream",
            Self::SmallKernelRead => "Small copy owner -> accessor by a kernel, in a stream",
            Self::IssueCopy => "Host: until a copy of a peer's view returns",
            Self::IssueAskedCopy => "Host: until a copy that asks for access returns",
            Self::IssueLaunch => "Host: until a launch returns",
            Self::AllToOne => "Copy engines: all others write to one, together",
            Self::OneToAll => "Copy engines: one writes to all others, together",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_differ_and_leave_room_for_the_unit() {
        let all: Vec<Test> =
            [&Test::WITHOUT_ACCESS[..], &Test::BANDWIDTH, &Test::SMALL, &Test::LATENCY, &Test::MANY].concat();
        for (index, test) in all.iter().enumerate() {
            assert!(test.title().len() <= 72, "{}", test.title());
            // Beside a progress bar.
            assert!((1..=20).contains(&test.name().len()), "{}", test.name());
            assert!(all[..index].iter().all(|other| other.title() != test.title()));
        }
    }
}
