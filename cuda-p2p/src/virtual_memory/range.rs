//! Ranges of addresses, and what is mapped in them.
//!
//! # Safety
//! Memory is taken out of a range only when the work on it is done, for which this waits. No slice is alive then, since one borrows the
//! range, and no graph has it.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety above")]

use std::fmt;
use std::sync::Arc;

use super::{Addresses, Functions, Mapped, Mapping, PhysicalMemory, check_size};
use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::uses::Access;

/// A range of addresses, the same for every device, into which physical memory of one or several devices is mapped.
///
/// Nothing of it can be used until memory is [mapped](Self::map) and a device has [access](Self::enable_access_from): the
/// owner of the memory too. Then [`slice`](Self::slice) gives slices that this device's kernels and copies take like any other
/// memory of theirs, across the memory of several devices too. Work on memory of different mappings is not ordered with each other;
/// on one mapping it is, as on a [`DeviceBuffer`](crate::DeviceBuffer).
///
/// Graphs take it like other memory. One that does keeps what is mapped where it is, with the access to it, as long as it lives, and so does
/// what was made of it: [`unmap`](Self::unmap) and [`disable_access_from`](Self::disable_access_from) are refused.
///
/// Dropping it never waits: what is mapped is unmapped and given back when no graph has it and the work on it is done.
///
#[cfg_attr(feature = "sim", doc = "```")]
#[cfg_attr(not(feature = "sim"), doc = "```no_run")]
/// use cuda_p2p::{LaunchConfig, Runtime, SimulatorPolicy, builtin};
///
/// # fn main() -> cuda_p2p::Result<()> {
/// let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
/// let (a, b) = (runtime.device(0)?, runtime.device(1)?);
/// let part = a.virtual_memory_granularity()?;
///
/// // One array, its first half in the memory of device 0, its second half in that of device 1.
/// let mut range = runtime.reserve_virtual_range(2 * part)?;
/// range.map(0, a.alloc_physical_zeroed(part)?)?;
/// range.map(part, b.alloc_physical_zeroed(part)?)?;
/// range.enable_access_from(&[a, b])?;
///
/// // A kernel of device 0 fills all of it, and one of device 1 reads it.
/// let kernels = builtin::Kernels::load(&runtime)?;
/// let (on_a, on_b) = (a.new_stream()?, b.new_stream()?);
/// let (bytes, config) = (2 * part as u64, LaunchConfig::for_elements(256));
/// kernels.fill(&on_a, config, range.slice_mut::<u8>(&a, ..)?, bytes, 7)?;
/// let mut found = b.alloc_from(&[builtin::CheckResult::CLEAN])?;
/// kernels.check(&on_b, config, range.slice::<u8>(&b, ..)?, bytes, 7, &mut found)?;
/// assert!(found.to_vec()?[0].is_clean(bytes));
/// # Ok(())
/// # }
/// ```
pub struct VirtualRange {
    /// Its address, for views. Nothing is freed by it.
    pub(crate) whole: Allocation,
    addresses: Arc<Addresses>,
    granularity: usize,
    /// By place.
    pub(super) mappings: Vec<Mapping>,
    /// Devices that have access to what is mapped, and get it to what will be.
    pub(super) accessors: Vec<Device>,
}

/// Memory that was not mapped, and why. It is given back.
#[derive(Debug)]
pub struct MapError {
    /// The memory, as good as before.
    pub memory: PhysicalMemory,
    /// Why it was not mapped.
    pub error: Error,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl std::error::Error for MapError {}

impl From<MapError> for Error {
    fn from(error: MapError) -> Self {
        error.error
    }
}

impl Runtime {
    /// Takes addresses for `bytes` bytes, with nothing behind them.
    ///
    /// C: `cuMemAddressReserve`.
    ///
    /// # Errors
    /// - [`Error::Granularity`] if `bytes` is zero or no multiple of the
    ///   [granularity](Device::virtual_memory_granularity) of device 0.
    /// - [`Error::DriverTooOld`], [`Error::MissingDriverFunction`], [`Error::Cuda`].
    #[doc(alias = "cuMemAddressReserve")]
    pub fn reserve_virtual_range(&self, bytes: usize) -> Result<VirtualRange> {
        let device = self.device(0)?;
        let granularity = device.virtual_memory_granularity()?;
        check_size("the size of a range", bytes, granularity)?;
        let functions = Functions::of(self)?;
        let mut address = 0;
        functions.call(self.seam(), functions.reserve, |function| {
            // SAFETY: `address` is a valid place for an address; zeros leave alignment and address to the driver.
            unsafe { function(&mut address, bytes, 0, 0, 0) }
        })?;
        let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
        Ok(VirtualRange {
            whole: Allocation::foreign(device, pointer, bytes, Kind::Device, true),
            addresses: Arc::new(Addresses::new(*self, address, bytes)),
            granularity,
            mappings: Vec::new(),
            accessors: Vec::new(),
        })
    }
}

impl VirtualRange {
    /// Its size in bytes.
    pub fn size_bytes(&self) -> usize {
        self.whole.bytes()
    }

    /// What is mapped: first byte, number of bytes, and the device whose memory it is, by place.
    pub fn mappings(&self) -> impl Iterator<Item = (usize, usize, Device)> {
        self.mappings.iter().map(|it| (it.offset, it.bytes, it.owner))
    }

    /// Maps all of `memory`, from byte `offset` of the range on, and gives the devices access that have it to the rest of the range.
    ///
    /// C: `cuMemMap`.
    ///
    /// # Errors
    /// [`MapError`], which gives the memory back, with
    /// - [`Error::Granularity`] if `offset` is no multiple of the granularity,
    /// - [`Error::OutOfBounds`] if the memory does not fit there,
    /// - [`Error::AlreadyMapped`] if something is mapped there,
    /// - [`Error::PeerUnreachable`] if a device that has access to the range cannot access this memory,
    /// - [`Error::OtherRuntime`], [`Error::Cuda`].
    #[doc(alias = "cuMemMap")]
    pub fn map(&mut self, offset: usize, memory: PhysicalMemory) -> Result<(), MapError> {
        match self.try_map(offset, &memory) {
            Ok(()) => {}
            Err(error) => return Err(MapError { memory, error }),
        }
        let at = self.mappings.partition_point(|it| it.offset < offset);
        let mapped = Mapped::new(memory, self.address(offset), self.addresses.clone());
        self.mappings.insert(at, Mapping::new(offset, mapped));
        Ok(())
    }

    fn try_map(&self, offset: usize, memory: &PhysicalMemory) -> Result<()> {
        let (bytes, len) = (memory.size_bytes(), self.size_bytes());
        self.whole.device().check_runtime(&memory.device(), "the physical memory")?;
        if !offset.is_multiple_of(self.granularity) {
            let what = "the place of a mapping";
            return Err(Error::Granularity { what, bytes: offset, granularity: self.granularity });
        }
        let end = offset.saturating_add(bytes);
        if end > len {
            return Err(Error::OutOfBounds { start: offset, end, len });
        }
        if let Some(other) = self.mappings.iter().find(|it| it.offset < end && offset < it.offset + it.bytes)
        {
            return Err(Error::AlreadyMapped { start: other.offset, end: other.offset + other.bytes });
        }
        for accessor in &self.accessors {
            accessor.check_reaches(&memory.device())?;
        }
        let (functions, seam) = (self.functions()?, self.whole.device().seam());
        let address = self.address(offset);
        functions.call(seam, functions.map, |function| {
            // SAFETY: the addresses are reserved and free, and the memory has so many bytes and is mapped nowhere else.
            unsafe { function(address, bytes, 0, memory.handle, 0) }
        })?;
        let opened = self.set_access(offset, bytes, &self.accessors, true);
        if opened.is_err() {
            self.unmap_at(functions, offset, bytes)?;
        }
        opened
    }

    /// Takes the memory out again that is mapped at byte `offset`. Waits for the work on it.
    ///
    /// C: `cuMemUnmap`.
    ///
    /// # Errors
    /// - [`Error::InsideMapping`] if a mapping lies there that begins elsewhere, [`Error::NotMapped`] if none does.
    /// - [`Error::RangeInUse`] if a graph uses the memory.
    /// - [`Error::Cuda`] if waiting failed, or unmapping: then the memory stays.
    #[doc(alias = "cuMemUnmap")]
    pub fn unmap(&mut self, offset: usize) -> Result<PhysicalMemory> {
        let functions = self.functions()?;
        let at = self.mappings.iter().position(|it| it.offset == offset);
        let Some(at) = at else { return Err(self.no_mapping_at(offset)) };
        self.mappings[at].check_unused()?;
        self.mappings[at].memory.uses.wait_on_host(Access::Write)?;
        self.unmap_at(functions, offset, self.mappings[at].bytes)?;
        self.mappings.remove(at).into_physical().ok_or_else(|| self.no_mapping_at(offset))
    }

    /// Why nothing can be taken out at a place where no mapping begins.
    fn no_mapping_at(&self, offset: usize) -> Error {
        match self.mappings.iter().find(|it| (it.offset..it.offset + it.bytes).contains(&offset)) {
            Some(it) => Error::InsideMapping { offset, start: it.offset, end: it.offset + it.bytes },
            None => Error::NotMapped { start: offset, end: offset },
        }
    }

    fn unmap_at(&self, functions: &Functions, offset: usize, bytes: usize) -> Result<()> {
        let address = self.address(offset);
        functions.call(self.whole.device().seam(), functions.unmap, |function| {
            // SAFETY: it is mapped there, no slice of it is alive, and no work uses it.
            unsafe { function(address, bytes) }
        })
    }

    /// Refuses to take away what a graph relies on.
    pub(super) fn check_unused(&self) -> Result<()> {
        self.mappings.iter().try_for_each(Mapping::check_unused)
    }

    pub(super) fn functions(&self) -> Result<&'static Functions> {
        Functions::of(self.whole.device().runtime())
    }

    /// The address of a byte, as the driver has it.
    pub(super) fn address(&self, offset: usize) -> u64 {
        (self.whole.pointer().addr() + offset) as u64
    }
}

impl fmt::Debug for VirtualRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = self.whole.pointer();
        write!(
            f,
            "VirtualRange({} bytes at {pointer:p}, {} mappings)",
            self.size_bytes(),
            self.mappings.len()
        )
    }
}
