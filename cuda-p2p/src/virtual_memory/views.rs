//! Slices of a range.

use std::ops::RangeBounds;

use bytemuck::Pod;

use super::{Mapping, VirtualRange};
use crate::bounds::resolve;
use crate::device::Device;
use crate::error::Result;
use crate::slice::{DeviceSlice, DeviceSliceMut, View};

impl VirtualRange {
    /// The elements of `range`, counted from the start of the range of addresses, for kernels and copies of `device`, which take them
    /// as their device's own memory; to read from.
    ///
    /// C: `cuMemGetAccess`.
    ///
    /// # Errors
    /// - [`Error::OutOfBounds`](crate::Error::OutOfBounds); [`Error::NotMapped`](crate::Error::NotMapped) if something of it has no memory.
    /// - [`Error::RangeNotGranted`](crate::Error::RangeNotGranted) if the device has no access to something of it. The driver is asked.
    /// - [`Error::BadCast`](crate::Error::BadCast) if the size of the range is no multiple of that of `T`;
    ///   [`Error::OtherRuntime`](crate::Error::OtherRuntime), [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cuMemGetAccess")]
    pub fn slice<T: Pod>(
        &self,
        device: &Device,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSlice<'_, T>> {
        let (view, len) = self.view::<T>(device, range)?;
        Ok(DeviceSlice::new(view, len))
    }

    /// As [`slice`](Self::slice), to write to.
    ///
    /// For the slices of several devices at once, take one, and [split](DeviceSliceMut::split_at_mut) it with
    /// [`for_device`](DeviceSliceMut::for_device).
    ///
    /// C: `cuMemGetAccess`.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    #[doc(alias = "cuMemGetAccess")]
    pub fn slice_mut<T: Pod>(
        &mut self,
        device: &Device,
        range: impl RangeBounds<usize>,
    ) -> Result<DeviceSliceMut<'_, T>> {
        let (view, len) = self.view::<T>(device, range)?;
        Ok(DeviceSliceMut::new(view, len))
    }

    fn view<T: Pod>(&self, device: &Device, range: impl RangeBounds<usize>) -> Result<(View<'_>, usize)> {
        self.whole.device().check_runtime(device, "the device")?;
        let all = View::of_range(self, *device);
        let (start, len) = resolve(range, all.cast::<T>(self.size_bytes())?)?;
        self.check_access(start * size_of::<T>(), len * size_of::<T>(), device)?;
        Ok((all.skip(start * size_of::<T>()), len))
    }

    /// The mappings that any of `bytes` bytes from `start` on lie in, by place.
    pub(crate) fn parts(&self, start: usize, bytes: usize) -> impl Iterator<Item = &Mapping> {
        let end = start + bytes;
        self.mappings.iter().filter(move |it| it.offset < end && start < it.offset + it.bytes)
    }
}

impl<T: Pod> DeviceSlice<'_, T> {
    /// The same elements of a [`VirtualRange`], for kernels and copies of another device.
    ///
    /// # Errors
    /// As [`VirtualRange::slice`]; [`Error::WrongDevice`](crate::Error::WrongDevice) for memory that is no range's and another
    /// device's.
    pub fn for_device(self, device: &Device) -> Result<Self> {
        Ok(Self::new(self.view.for_device(device)?, self.len()))
    }
}

impl<T: Pod> DeviceSliceMut<'_, T> {
    /// The same elements of a [`VirtualRange`], for kernels and copies of another device.
    ///
    /// # Errors
    /// As [`DeviceSlice::for_device`].
    pub fn for_device(self, device: &Device) -> Result<Self> {
        let len = self.len();
        Ok(Self::new(self.view.for_device(device)?, len))
    }
}
