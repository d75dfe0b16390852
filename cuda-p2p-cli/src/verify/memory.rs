//! The owner's memory, of whatever kind, and how either device gets at it.

use std::collections::VecDeque;
use std::ops::Range as Bytes;

use cuda_p2p::{
    Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, KernelSlice, KernelSliceMut, PeerAccess, Result,
    SharedBuffer, VirtualRange,
};

use super::diagnosis::{Earlier, Poison};
use super::guarded::{Place, Side};
use super::kernels::ProofKernels;
use super::pattern::Pattern;
use super::record::Fault;
use super::report::{Finding, Range};

/// Memory of one device in this process.
pub(super) enum Memory {
    /// Of `cudaMalloc`, or of a pool.
    Buffer(DeviceBuffer<u8>),
    /// Mapped pages.
    Range(VirtualRange),
    /// That another process may have open.
    Shared(SharedBuffer<u8>),
}

impl Memory {
    /// Bytes, for kernels and copies of `device`: the one whose memory it is, or, of mapped pages, any with access.
    pub(super) fn slice(&self, device: &Device, bytes: Bytes<usize>) -> Result<DeviceSlice<'_, u8>> {
        match self {
            Self::Buffer(buffer) => buffer.slice(bytes),
            Self::Range(range) => range.slice(device, bytes),
            Self::Shared(shared) => shared.as_slice().slice(bytes),
        }
    }

    /// As `slice`, to write to.
    pub(super) fn slice_mut(
        &mut self,
        device: &Device,
        bytes: Bytes<usize>,
    ) -> Result<DeviceSliceMut<'_, u8>> {
        match self {
            Self::Buffer(buffer) => buffer.slice_mut(bytes),
            Self::Range(range) => range.slice_mut(device, bytes),
            Self::Shared(shared) => part(shared.as_slice_mut(), bytes),
        }
    }
}

/// The elements of `bytes`, for as long as the whole is borrowed.
pub(super) fn part(slice: DeviceSliceMut<'_, u8>, bytes: Bytes<usize>) -> Result<DeviceSliceMut<'_, u8>> {
    let (_, behind) = slice.split_at_mut(bytes.start)?;
    Ok(behind.split_at_mut(bytes.len())?.0)
}

/// One end of a transfer: fills its memory, and looks at it, by means of its own.
pub(super) trait End {
    /// Writes the pattern by a kernel, and canaries around it.
    fn fill(&mut self, kernels: &ProofKernels, place: Place, pattern: Pattern) -> Result<(), Fault>;

    /// Writes bytes that `expected` does not have, and canaries around them. Gives what it wrote.
    fn poison(&mut self, place: Place, expected: Pattern) -> Result<Poison, Fault>;

    /// Notes what is to arrive at `place`.
    fn hold(&mut self, place: Place, pattern: Pattern);

    /// What was at `place` lately.
    fn held(&self, place: Place) -> Vec<Earlier>;

    /// Compares data and canaries with what they should be; `range` says what the data is called.
    fn findings(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Vec<Finding>, Fault>;

    /// Bytes of the memory, as its own device has them.
    fn read(&mut self, bytes: Bytes<usize>) -> Result<Vec<u8>, Fault>;
}

/// The end whose memory the accessor gets at.
pub(super) trait Owner: End {
    /// Bytes to read from, for the accessor's copies.
    fn for_engine(&self, accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSlice<'_, u8>>;

    /// Bytes to write to, for the accessor's copies.
    fn for_engine_mut(&mut self, accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSliceMut<'_, u8>>;

    /// Bytes to read from, for the accessor's kernels.
    fn for_kernel<'a>(
        &'a self,
        accessor: &Device,
        access: Option<&'a PeerAccess>,
        bytes: Bytes<usize>,
    ) -> Result<KernelSlice<'a, u8>>;

    /// Hands bytes to write to, for a kernel of the accessor, to `launch`.
    fn for_kernel_mut(
        &mut self,
        accessor: &Device,
        access: Option<&PeerAccess>,
        bytes: Bytes<usize>,
        launch: Launch<'_>,
    ) -> Result<()>;
}

/// Launches a kernel that writes.
pub(super) type Launch<'a> = &'a mut dyn FnMut(KernelSliceMut<'_, u8>) -> Result<()>;

impl End for Side {
    fn fill(&mut self, kernels: &ProofKernels, place: Place, pattern: Pattern) -> Result<(), Fault> {
        Ok(self.fill(kernels, place, pattern)?)
    }

    fn poison(&mut self, place: Place, expected: Pattern) -> Result<Poison, Fault> {
        Ok(self.poison(place, expected)?)
    }

    fn hold(&mut self, place: Place, pattern: Pattern) {
        self.held.hold(place, pattern);
    }

    fn held(&self, place: Place) -> Vec<Earlier> {
        self.held.at(place)
    }

    fn findings(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Vec<Finding>, Fault> {
        self.findings(kernels, place, range, expected)
    }

    fn read(&mut self, bytes: Bytes<usize>) -> Result<Vec<u8>, Fault> {
        Ok(Side::read(self, bytes)?)
    }
}

impl Owner for Side {
    fn for_engine(&self, accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSlice<'_, u8>> {
        self.memory.slice(accessor, bytes)
    }

    fn for_engine_mut(&mut self, accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSliceMut<'_, u8>> {
        self.memory.slice_mut(accessor, bytes)
    }

    fn for_kernel<'a>(
        &'a self,
        accessor: &Device,
        access: Option<&'a PeerAccess>,
        bytes: Bytes<usize>,
    ) -> Result<KernelSlice<'a, u8>> {
        let slice = self.memory.slice(accessor, bytes)?;
        match access {
            Some(access) => Ok(KernelSlice::Peer(access.slice(slice)?)),
            None => Ok(KernelSlice::Device(slice)),
        }
    }

    fn for_kernel_mut(
        &mut self,
        accessor: &Device,
        access: Option<&PeerAccess>,
        bytes: Bytes<usize>,
        launch: Launch<'_>,
    ) -> Result<()> {
        let slice = self.memory.slice_mut(accessor, bytes)?;
        match access {
            Some(access) => launch(KernelSliceMut::Peer(access.slice_mut(slice)?)),
            None => launch(KernelSliceMut::Device(slice)),
        }
    }
}

/// How many patterns are remembered: more than a path has moves of small sizes, replays of a graph included.
const REMEMBERED: usize = 64;

/// What memory held lately, and from which byte of it on: data, and the canaries around it.
pub(super) struct Held {
    before: Pattern,
    after: Pattern,
    patterns: VecDeque<(usize, Pattern)>,
}

impl Held {
    /// Of memory of a device in a proof of this seed.
    pub(super) fn new(device: &Device, seed: u64) -> Self {
        let [before, after] =
            [Range::CanaryBefore, Range::CanaryAfter].map(|range| canary(device.ordinal(), seed, range));
        Self { before, after, patterns: VecDeque::new() }
    }

    /// Notes what is at `place`, or is to arrive there.
    pub(super) fn hold(&mut self, place: Place, pattern: Pattern) {
        if self.patterns.len() >= 2 * REMEMBERED {
            self.patterns.drain(..2);
        }
        self.patterns.extend([(place.data().start, pattern), (place.data().end, self.after)]);
    }

    /// What was at `place` lately.
    pub(super) fn at(&self, place: Place) -> Vec<Earlier> {
        let start = |first: usize| (first as u64).wrapping_sub(place.data().start as u64);
        let all = self.patterns.iter().copied().chain([(0, self.before)]);
        all.map(|(first, pattern)| Earlier { pattern, start: start(first) }).collect()
    }
}

/// The bytes in front of the data, or behind it.
pub(super) fn canary(device: u32, seed: u64, range: Range) -> Pattern {
    Pattern::derived(seed, &[u64::from(device), range as u64])
}
