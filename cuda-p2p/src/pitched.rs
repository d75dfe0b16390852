//! Boxes of elements in device memory, to be copied and filled.

use bytemuck::Pod;

use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::error::Result;
use crate::shape::Shape;
use crate::slice::{DeviceSlice, DeviceSliceMut};

/// A box of elements of device memory to read from. Made by [`DeviceSlice::pitched`]. Its first element is the slice's.
#[derive(Clone, Copy, Debug)]
pub struct PitchedSlice<'a, T> {
    pub(crate) slice: DeviceSlice<'a, T>,
    shape: Shape,
}

/// A box of elements of device memory to write to. Made by [`DeviceSliceMut::pitched`]. What lies between its rows is not written.
#[derive(Debug)]
pub struct PitchedSliceMut<'a, T> {
    pub(crate) slice: DeviceSliceMut<'a, T>,
    shape: Shape,
}

impl<'a, T: Pod> DeviceSlice<'a, T> {
    /// The elements as a box of this shape.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it does not fit.
    pub fn pitched(&self, shape: Shape) -> Result<PitchedSlice<'a, T>> {
        shape.check(self.len())?;
        Ok(PitchedSlice { slice: *self, shape })
    }
}

impl<'a, T: Pod> DeviceSliceMut<'a, T> {
    /// The elements as a box of this shape.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it does not fit.
    pub fn pitched(self, shape: Shape) -> Result<PitchedSliceMut<'a, T>> {
        shape.check(self.len())?;
        Ok(PitchedSliceMut { slice: self, shape })
    }
}

impl<T: Pod> DeviceBuffer<T> {
    /// The elements as a box of this shape, to read from.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it does not fit.
    pub fn pitched(&self, shape: Shape) -> Result<PitchedSlice<'_, T>> {
        self.as_slice().pitched(shape)
    }

    /// The elements as a box of this shape, to write to.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it does not fit.
    pub fn pitched_mut(&mut self, shape: Shape) -> Result<PitchedSliceMut<'_, T>> {
        self.as_slice_mut().pitched(shape)
    }
}

impl<'a, T: Pod> PitchedSlice<'a, T> {
    /// How it lies in memory.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.slice.device()
    }

    /// The box of `extent` elements, width, height and depth, that begins at `offset` in this one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is not inside.
    pub fn window(&self, offset: [usize; 3], extent: [usize; 3]) -> Result<PitchedSlice<'a, T>> {
        let (begin, shape) = self.shape.window(offset, extent)?;
        Ok(PitchedSlice { slice: self.slice.slice(begin..)?, shape })
    }
}

impl<'a, T: Pod> PitchedSliceMut<'a, T> {
    /// How it lies in memory.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.slice.device()
    }

    /// The same box for a shorter time.
    pub fn reborrow(&mut self) -> PitchedSliceMut<'_, T> {
        PitchedSliceMut { slice: self.slice.reborrow(), shape: self.shape }
    }

    /// The same elements, to read from.
    pub fn as_slice(&self) -> PitchedSlice<'_, T> {
        PitchedSlice { slice: self.slice.as_slice(), shape: self.shape }
    }

    /// The box of `extent` elements, width, height and depth, that begins at `offset` in this one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is not inside.
    pub fn window(self, offset: [usize; 3], extent: [usize; 3]) -> Result<PitchedSliceMut<'a, T>> {
        let (begin, shape) = self.shape.window(offset, extent)?;
        let (_, slice) = self.slice.split_at_mut(begin)?;
        Ok(PitchedSliceMut { slice, shape })
    }
}

impl<'a, T: Pod> From<&PitchedSlice<'a, T>> for PitchedSlice<'a, T> {
    fn from(slice: &PitchedSlice<'a, T>) -> Self {
        *slice
    }
}

impl<'a, T: Pod> From<&'a PitchedSliceMut<'_, T>> for PitchedSlice<'a, T> {
    fn from(slice: &'a PitchedSliceMut<'_, T>) -> Self {
        slice.as_slice()
    }
}

impl<'a, T: Pod> From<&'a mut PitchedSliceMut<'_, T>> for PitchedSliceMut<'a, T> {
    fn from(slice: &'a mut PitchedSliceMut<'_, T>) -> Self {
        slice.reborrow()
    }
}
