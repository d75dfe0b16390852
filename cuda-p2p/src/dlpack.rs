//! Tensors of other libraries (PyTorch, JAX, CuPy, ...), taken over by DLPack.
//!
//! The descriptor is read and released by `dlpark`, of which nothing shows in this crate's API.
//!
//! # Safety
//! This file takes descriptors at the word of whoever gives them, and reads what they point at. A tensor's deleter is called once, by
//! the [`Keeper`](crate::keeper::Keeper) of its memory.
#![allow(unsafe_code, reason = "takes addresses at the caller's word; see the paragraph on safety above")]

use std::ffi::c_void;
use std::fmt;

use bytemuck::Pod;
use dlpark::ffi::{DLDataType, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned};
use dlpark::{DlpackFlags, Managed, ManagedTensorBase};

use crate::buffer::DeviceBuffer;
use crate::device::Device;
use crate::error::{Result, TensorError};
use crate::slice::{DeviceSlice, DeviceSliceMut};
use crate::stream::Stream;

/// An element type that DLPack can name.
pub trait DlpackElement: Pod + sealed::Named {}

mod sealed {
    pub trait Named {
        /// How DLPack names it.
        const TYPE: dlpark::ffi::DLDataType;
    }
}

macro_rules! elements {
    ($($element:ty: $name:ident),* $(,)?) => {$(
        impl sealed::Named for $element {
            const TYPE: DLDataType = DLDataType::$name;
        }
        impl DlpackElement for $element {}
    )*};
}
elements! {
    i8: I8, i16: I16, i32: I32, i64: I64, u8: U8, u16: U16, u32: U32, u64: U64,
    half::f16: F16, half::bf16: BF16, f32: F32, f64: F64,
}

/// A tensor of another library's in the memory of one device. Needs the feature `dlpack`.
///
/// Its memory is [borrowed](DeviceBuffer::borrow_raw_with): when this value is dropped and the work that was put in with it is done,
/// the library's deleter is called, on the thread that finds that out. DLPack demands that this can be done on any thread.
///
/// A [`PeerSlice`](crate::PeerSlice) of it is made as of any memory, and as for any borrowed memory the runtime is asked whether the
/// accessor can access it.
pub struct DlpackTensor<T> {
    buffer: DeviceBuffer<T>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    /// Index of the first element, of index zero in each dimension, in the buffer.
    first: usize,
    read_only: bool,
}

impl<T: DlpackElement> DlpackTensor<T> {
    /// Takes over a tensor, by its `DLManagedTensor*`: in Python, what a capsule named `dltensor` holds, which is renamed to
    /// `used_dltensor`.
    ///
    /// `stream`, of any device of the runtime, is the one in which the memory is ready: that which was passed to `__dlpack__(stream=...)`,
    /// or the library's current stream. Uses on other streams wait for what is in it now.
    ///
    /// The tensor is this crate's from here on: on an error it is released.
    ///
    /// # Safety
    /// - `tensor` is null or a `DLManagedTensor` of DLPack's rules, which nobody else releases.
    /// - As for [`DeviceBuffer::borrow_raw`], of the memory from its lowest element to its highest.
    ///
    /// # Errors
    /// - [`Error::Foreign`](crate::Error::Foreign) with a [`TensorError`]: not in memory of a CUDA device, other elements than `T`, a
    ///   descriptor that contradicts itself.
    /// - [`Error::NoSuchDevice`](crate::Error::NoSuchDevice); as [`DeviceBuffer::from_raw`] and
    ///   [`DeviceSliceMut::as_raw_on`].
    #[doc(alias = "DLManagedTensor")]
    pub unsafe fn from_raw(stream: &Stream, tensor: *mut c_void) -> Result<Self> {
        // SAFETY: by the caller.
        unsafe { Self::import::<DLManagedTensor>(stream, tensor) }
    }

    /// As [`from_raw`](Self::from_raw), by a `DLManagedTensorVersioned*`: in Python, what a capsule named `dltensor_versioned` holds,
    /// which is renamed to `used_dltensor_versioned`.
    ///
    /// # Safety
    /// - As for [`from_raw`](Self::from_raw), of a `DLManagedTensorVersioned`.
    ///
    /// # Errors
    /// As [`from_raw`](Self::from_raw); a version that is not known is a [`TensorError::Descriptor`].
    #[doc(alias = "DLManagedTensorVersioned")]
    pub unsafe fn from_raw_versioned(stream: &Stream, tensor: *mut c_void) -> Result<Self> {
        // SAFETY: by the caller.
        unsafe { Self::import::<DLManagedTensorVersioned>(stream, tensor) }
    }

    /// # Safety
    /// - As for [`from_raw`](Self::from_raw), of an `M`.
    unsafe fn import<M: ManagedTensorBase + 'static>(stream: &Stream, tensor: *mut c_void) -> Result<Self> {
        // SAFETY: by the caller: null, or a tensor that is ours now.
        let tensor = unsafe { Managed::<M>::from_raw(tensor.cast()) }.map_err(described)?;
        let read_only = tensor.flags().contains(DlpackFlags::READ_ONLY);
        let view = tensor.validate().map_err(described)?;
        let place = view.device();
        if place.device_type != DLDeviceType::CUDA {
            return Err(TensorError::NotOnDevice { device_type: place.device_type.0 }.into());
        }
        let device = Device::from_raw(stream.device().runtime(), place.device_id)?;
        let found = view.dtype();
        if !found.matches(T::TYPE) {
            let found = format!("of type code {}, {} bits, {} lanes", found.code.0, found.bits, found.lanes);
            return Err(TensorError::ElementType { wanted: std::any::type_name::<T>(), found }.into());
        }
        let strides = view.strides_or_compact().map_err(described)?;
        let layout = Layout::of::<T>(view.shape(), &strides)?;
        let start =
            i128::try_from(view.data_ptr().addr()).unwrap_or(i128::MAX) + i128::from(view.byte_offset());
        let lowest = match layout.len {
            // Where nothing is does not matter, and may be anywhere.
            0 => 0,
            _ => start - layout.first as i128 * size_of::<T>() as i128,
        };
        let lowest = usize::try_from(lowest).map_err(|_| too_far())?;
        let address = view.data_ptr().with_addr(lowest).cast_mut().cast();
        // SAFETY: by the caller; the tensor keeps the memory until it is released.
        let mut buffer = unsafe { DeviceBuffer::borrow_raw_with(&device, address, layout.len, tensor) }?;
        buffer.as_slice_mut().as_raw_on(stream)?;
        let Layout { shape, strides, first, .. } = layout;
        Ok(Self { buffer, shape, strides, first, read_only })
    }

    /// The device whose memory it is.
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// Length in each dimension, in elements.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Distance of neighbours in each dimension, in elements; it may be zero or negative.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the elements follow each other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        let dimensions = self.shape.iter().zip(&self.strides).rev();
        self.is_empty()
            || dimensions.filter(|(len, _)| **len != 1).all(|(len, stride)| {
                let follows = *stride == expected;
                expected *= *len as isize;
                follows
            })
    }

    /// Whether whoever made it does not want it written.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Its elements in row-major order, to read from.
    ///
    /// # Errors
    /// [`TensorError::NotContiguous`].
    pub fn as_slice(&self) -> Result<DeviceSlice<'_, T>> {
        self.check_contiguous()?;
        Ok(self.buffer.as_slice())
    }

    /// Its elements in row-major order, to write to.
    ///
    /// # Errors
    /// [`TensorError::NotContiguous`], [`TensorError::ReadOnly`].
    pub fn as_slice_mut(&mut self) -> Result<DeviceSliceMut<'_, T>> {
        self.check_contiguous()?;
        if self.read_only {
            return Err(TensorError::ReadOnly.into());
        }
        Ok(self.buffer.as_slice_mut())
    }

    /// The memory from its lowest element to its highest, to read from, with whatever lies between them.
    pub fn storage(&self) -> DeviceSlice<'_, T> {
        self.buffer.as_slice()
    }

    /// Where in [`storage`](Self::storage) the element is whose index is zero in each dimension.
    pub fn first(&self) -> usize {
        self.first
    }

    fn check_contiguous(&self) -> Result<()> {
        if self.is_contiguous() { Ok(()) } else { Err(TensorError::NotContiguous.into()) }
    }
}

/// Where the elements are.
struct Layout {
    shape: Vec<usize>,
    strides: Vec<isize>,
    /// Elements below the one whose index is zero in each dimension.
    first: usize,
    /// From the lowest element to the highest.
    len: usize,
}

impl Layout {
    fn of<T>(shape: &[i64], strides: &[i64]) -> Result<Self> {
        let (mut below, mut above) = (0i128, 0i128);
        for (&len, &stride) in shape.iter().zip(strides) {
            let reach = i128::from(len - 1) * i128::from(stride);
            if reach < 0 { below -= reach } else { above += reach }
        }
        let empty = shape.contains(&0);
        let (first, len) = if empty { (0, 0) } else { (below, below + above + 1) };
        let fits =
            len.checked_mul(size_of::<T>() as i128).is_some_and(|bytes| isize::try_from(bytes).is_ok());
        if !fits {
            return Err(too_far().into());
        }
        Ok(Self {
            shape: shape.iter().map(|len| *len as usize).collect(),
            strides: strides.iter().map(|stride| *stride as isize).collect(),
            first: first as usize,
            len: len as usize,
        })
    }
}

fn too_far() -> TensorError {
    TensorError::Descriptor { problem: "its elements lie beyond the address space".to_owned() }
}

fn described(problem: impl fmt::Display) -> TensorError {
    TensorError::Descriptor { problem: problem.to_string() }
}

impl<T> fmt::Debug for DlpackTensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DlpackTensor({:?}, strides {:?}, {:?})", self.shape, self.strides, self.buffer)
    }
}
