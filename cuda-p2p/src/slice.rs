//! Slices of device memory: who may use which part of an allocation.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::bounds::resolve;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::foreign::check_reachable;
use crate::stream::Stream;
use crate::uses::{Access, Held, Order};
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
                None if self.allocation.is_foreign() => {
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

    /// Orders a use on `stream`, and holds it until the work has been put in.
    pub(crate) fn acquire<'h>(&self, stream: &'h Stream, access: Access) -> Result<Held<'h>>
    where
        'a: 'h,
    {
        stream.device().check_runtime(&self.device(), "the memory")?;
        let Some((range, _)) = self.range else {
            return self.allocation.uses.acquire(stream, access, self.order);
        };
        let parts = range.parts(self.offset, self.bytes);
        let held: Result<Vec<_>> = parts.map(|it| it.uses.acquire(stream, access, self.order)).collect();
        Held::together(held?).map_or_else(|| self.allocation.uses.acquire(stream, access, self.order), Ok)
    }

    /// As [`acquire`](Self::acquire), for addresses that the stream's device dereferences: for another's memory of a pool the grant
    /// is asked for, and held.
    pub(crate) fn acquire_for_kernel<'h>(&self, stream: &'h Stream, access: Access) -> Result<Held<'h>>
    where
        'a: 'h,
    {
        let grant = match self.allocation.pool() {
            Some(pool) if stream.device() != self.device() => Some(pool.hold_grant(stream.device())?),
            _ => None,
        };
        Ok(self.acquire(stream, access)?.with_grant(grant))
    }

    /// All but the first bytes.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, bytes: self.bytes - bytes, ..self }
    }

    /// The first bytes.
    fn first(self, bytes: usize) -> Self {
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

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) to read from.
///
/// A borrow for the making of calls: work that was put into a stream with it goes on after it is gone.
pub struct DeviceSlice<'a, T> {
    pub(crate) view: View<'a>,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) to write to. Like `&mut`, no two of them overlap.
pub struct DeviceSliceMut<'a, T> {
    pub(crate) view: View<'a>,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceSlice<'_, T> {}

impl<'a, T: Pod> DeviceSlice<'a, T> {
    pub(crate) fn new(view: View<'a>, len: usize) -> Self {
        Self { view: view.first(len * size_of::<T>()), len, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.view.device()
    }

    /// The elements of `range`.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'a, T>> {
        let (start, len) = resolve(range, self.len)?;
        Ok(Self::new(self.view.skip(start * size_of::<T>()), len))
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// [`Error::BadCast`] if length or address do not fit `U`.
    pub fn cast<U: Pod>(&self) -> Result<DeviceSlice<'a, U>> {
        Ok(DeviceSlice::new(self.view, self.view.cast::<U>(self.size_bytes())?))
    }
}

impl<'a, T: Pod> DeviceSliceMut<'a, T> {
    pub(crate) fn new(view: View<'a>, len: usize) -> Self {
        Self { view: view.first(len * size_of::<T>()), len, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.view.device()
    }

    /// The same slice for a shorter time.
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut::new(self.view, self.len)
    }

    /// The same elements, to read from.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(self.view, self.len)
    }

    /// The elements of `range`, to read from.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// The elements of `range`, to write to.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        let (start, len) = resolve(range, self.len)?;
        Ok(DeviceSliceMut::new(self.view.skip(start * size_of::<T>()), len))
    }

    /// The elements before `middle`, and those from it on.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if there are fewer than `middle`.
    pub fn split_at_mut(self, middle: usize) -> Result<(DeviceSliceMut<'a, T>, DeviceSliceMut<'a, T>)> {
        let (start, len) = resolve(middle.., self.len)?;
        let after = DeviceSliceMut::new(self.view.skip(start * size_of::<T>()), len);
        Ok((DeviceSliceMut::new(self.view, start), after))
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// [`Error::BadCast`] if length or address do not fit `U`.
    pub fn cast<U: Pod>(self) -> Result<DeviceSliceMut<'a, U>> {
        let len = self.view.cast::<U>(self.size_bytes())?;
        Ok(DeviceSliceMut::new(self.view, len))
    }
}

impl<'a, T: Pod> From<&DeviceSlice<'a, T>> for DeviceSlice<'a, T> {
    fn from(slice: &DeviceSlice<'a, T>) -> Self {
        *slice
    }
}

impl<'a, T: Pod> From<&'a DeviceSliceMut<'_, T>> for DeviceSlice<'a, T> {
    fn from(slice: &'a DeviceSliceMut<'_, T>) -> Self {
        slice.as_slice()
    }
}

impl<'a, T: Pod> From<&'a mut DeviceSliceMut<'_, T>> for DeviceSliceMut<'a, T> {
    fn from(slice: &'a mut DeviceSliceMut<'_, T>) -> Self {
        slice.reborrow()
    }
}

impl<T> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "DeviceSlice({} elements at {:p} of {:?})",
            self.len,
            self.view.pointer(),
            self.view.device()
        )
    }
}

impl<T> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "DeviceSliceMut({} elements at {:p} of {:?})",
            self.len,
            self.view.pointer(),
            self.view.device()
        )
    }
}

/// Leaving out the automatic order, at the caller's word.
mod unordered {
    #![allow(unsafe_code, reason = "only declares unsafe functions; what they promise is in their text")]

    use super::{DeviceSlice, DeviceSliceMut, Order, View};
    use bytemuck::Pod;

    impl<T: Pod> DeviceSlice<'_, T> {
        /// The same slice, whose uses do not wait for other streams' work.
        ///
        /// For kernels of two streams that talk to each other through the memory: with the automatic order, the
        /// second would wait for the end of the first. The memory is still kept until both are done, and later uses
        /// wait for both.
        ///
        /// # Safety
        /// - What the work does with these bytes does not race with other streams' work on them: by events, by flags
        ///   that the kernels set and read with the right scope and order, or because nobody writes.
        #[must_use]
        pub unsafe fn unordered(self) -> Self {
            Self { view: View { order: Order::ByHand, ..self.view }, ..self }
        }
    }

    impl<T: Pod> DeviceSliceMut<'_, T> {
        /// The same slice, whose uses do not wait for other streams' work; see [`DeviceSlice::unordered`].
        ///
        /// # Safety
        /// - What the work does with these bytes does not race with other streams' work on them: by events, or by
        ///   flags that the kernels set and read with the right scope and order.
        #[must_use]
        pub unsafe fn unordered(self) -> Self {
            Self { view: View { order: Order::ByHand, ..self.view }, ..self }
        }
    }
}
