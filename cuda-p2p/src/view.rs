//! Places in memory, as slices and kernels' arguments have them: how they are ordered, and who may use them.

use crate::allocation::Allocation;
use crate::device::Device;
use crate::error::{Error, IpcError, Result};
use crate::foreign::check_reachable;
use crate::pool::Granted;
use crate::stream::Stream;
use crate::uses::{Access, Behind, Held, Order};
use crate::virtual_memory::VirtualRange;

/// A place in an allocation, and how its uses are ordered.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) allocation: &'a Allocation,
    /// In bytes.
    offset: usize,
    bytes: usize,
    order: Order,
    /// Of virtual memory: the range, and the device that takes it as its own.
    range: Option<(&'a VirtualRange, Device)>,
}

impl<'a> View<'a> {
    pub(crate) fn new(allocation: &'a Allocation) -> Self {
        Self { allocation, offset: 0, bytes: allocation.bytes(), order: Order::Automatic, range: None }
    }

    /// All of a range of virtual memory, for a device.
    pub(crate) fn of_range(range: &'a VirtualRange, device: Device) -> Self {
        Self { range: Some((range, device)), ..Self::new(&range.whole) }
    }

    /// The same bytes for another device.
    pub(crate) fn for_device(self, device: &Device) -> Result<Self> {
        let Some((range, _)) = self.range else {
            device.check_same(&self.device(), "the slice")?;
            return Ok(self);
        };
        self.device().check_runtime(device, "the device")?;
        range.check_access(self.offset, self.bytes, device)?;
        Ok(Self { range: Some((range, *device)), ..self })
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.range.is_some()
    }

    /// Refuses memory that is gone: from before a reset of its device.
    pub(crate) fn check(&self, what: &'static str) -> Result<()> {
        match self.range {
            // A reset leaves it.
            Some(_) => Ok(()),
            None => self.allocation.check(what),
        }
    }

    /// Refuses memory that peer access does not cover, and that is not opened to this device.
    pub(crate) fn check_opened_to(&self, accessor: &Device) -> Result<()> {
        match self.range {
            Some((range, _)) => range.check_access(self.offset, self.bytes, accessor),
            None => match self.allocation.pool() {
                Some(pool) => pool.check_granted(accessor),
                None if self.allocation.opened().is_some() => {
                    let (opened_on, accessor) = (self.device().ordinal(), accessor.ordinal());
                    Err(IpcError::OpenedForOneDevice { opened_on, accessor }.into())
                }
                None if self.allocation.is_mapped() => {
                    check_reachable(*accessor, self.device(), self.pointer().cast(), self.bytes)
                }
                None => Ok(()),
            },
        }
    }

    /// The address. Never dereferenced by the host: it is the device's.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.allocation.pointer().wrapping_add(self.offset)
    }

    pub(crate) fn device(&self) -> Device {
        self.range.map_or_else(|| self.allocation.device(), |(_, device)| device)
    }

    /// The devices whose memory it is. Of a range, that is another matter than who takes it as its own. None of the host's.
    pub(crate) fn owners(&self) -> Vec<Device> {
        match self.range {
            Some((range, _)) => range.parts(self.offset, self.bytes).map(|it| it.owner).collect(),
            None if self.allocation.is_on_host() => Vec::new(),
            None => vec![self.allocation.device()],
        }
    }

    /// Orders a use on `stream`, and holds it until the work has been put in.
    pub(crate) fn acquire<'h>(&self, stream: &'h Stream, access: Access) -> Result<Held<'h>>
    where
        'a: 'h,
    {
        stream.device().check_runtime(&self.device(), "the memory")?;
        let Some((range, _)) = self.range else {
            return Held::new(self.allocation.memory(), stream, access, self.order);
        };
        let parts = range.parts(self.offset, self.bytes);
        let held: Result<Vec<_>> =
            parts.map(|it| Held::new(it.memory.memory(), stream, access, self.order)).collect();
        Held::together(held?).map_or_else(|| Held::of_nothing(stream), Ok)
    }

    /// What [`Sole`](crate::uses::Sole) takes for a use by a copy: memory that the runtime knows whatever device is current.
    #[inline]
    pub(crate) fn behind_copy(&self, access: Access) -> Behind<'a> {
        match self.range {
            None if self.allocation.is_known_everywhere() => Behind::memory(&self.allocation.uses, access),
            _ => Behind::OTHER,
        }
    }

    /// The same for a use by a kernel on `stream`, which needs no grant.
    #[inline]
    pub(crate) fn behind_kernel(&self, stream: &Stream, access: Access) -> Behind<'a> {
        let plain = self.allocation.is_known_everywhere() || self.allocation.device() == stream.device();
        match self.range {
            None if plain => Behind::memory(&self.allocation.uses, access),
            _ => Behind::OTHER,
        }
    }

    /// As [`acquire`](Self::acquire), for addresses that the stream's device dereferences: for another's memory of a pool the grant
    /// is asked for, and held.
    pub(crate) fn acquire_for_kernel<'h>(&self, stream: &'h Stream, access: Access) -> Result<Held<'h>>
    where
        'a: 'h,
    {
        let grant = self.hold_grant(stream.device())?;
        let held = self.acquire(stream, access)?;
        if let (Some(grant), Some(capture)) = (&grant, held.entered().capture()) {
            capture.note_grant(grant);
        }
        Ok(held.with_grant(grant))
    }

    /// The grant that `device` needs to dereference the address; `None` where it needs none.
    pub(crate) fn hold_grant(&self, device: Device) -> Result<Option<Granted<'a>>> {
        match self.allocation.pool() {
            Some(pool) if device != self.device() => pool.hold_grant(device).map(Some),
            _ => Ok(None),
        }
    }

    /// The same place, with the order of its uses left to the caller, who says so in unsafe code.
    pub(crate) fn ordered_by_hand(self) -> Self {
        Self { order: Order::ByHand, ..self }
    }

    /// All but the first bytes.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, bytes: self.bytes - bytes, ..self }
    }

    /// The first bytes.
    pub(crate) fn first(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// Length in elements of `U` of what has `bytes`.
    pub(crate) fn cast<U>(&self, bytes: usize) -> Result<usize> {
        let (size, align) = (size_of::<U>(), align_of::<U>());
        let misalignment = self.pointer().addr() % align;
        if size == 0 || !bytes.is_multiple_of(size) || misalignment != 0 {
            return Err(Error::BadCast { bytes, misalignment, size, align });
        }
        Ok(bytes / size)
    }
}
