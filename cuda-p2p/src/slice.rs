//! Slices of device memory: who may use which part of an allocation.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use crate::bounds::resolve;
use crate::device::Device;
use crate::error::Result;
pub(crate) use crate::view::View;

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
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'a, T>> {
        let (start, len) = resolve(range, self.len)?;
        Ok(Self::new(self.view.skip(start * size_of::<T>()), len))
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// [`Error::BadCast`](crate::Error::BadCast) if length or address do not fit `U`.
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
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// The elements of `range`, to write to.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        let (start, len) = resolve(range, self.len)?;
        Ok(DeviceSliceMut::new(self.view.skip(start * size_of::<T>()), len))
    }

    /// The elements before `middle`, and those from it on.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds) if there are fewer than `middle`.
    pub fn split_at_mut(self, middle: usize) -> Result<(DeviceSliceMut<'a, T>, DeviceSliceMut<'a, T>)> {
        let (start, len) = resolve(middle.., self.len)?;
        let after = DeviceSliceMut::new(self.view.skip(start * size_of::<T>()), len);
        Ok((DeviceSliceMut::new(self.view, start), after))
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// [`Error::BadCast`](crate::Error::BadCast) if length or address do not fit `U`.
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

    use super::{DeviceSlice, DeviceSliceMut};
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
            Self { view: self.view.ordered_by_hand(), ..self }
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
            Self { view: self.view.ordered_by_hand(), ..self }
        }
    }
}
