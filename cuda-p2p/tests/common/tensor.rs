//! DLPack's descriptors, written out after dlpack.h, so that what reads them is held to that.

#![allow(dead_code, reason = "one test file uses it")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `DLTensor`
#[repr(C)]
pub(crate) struct Descriptor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`
#[repr(C)]
pub(crate) struct Legacy {
    tensor: Descriptor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

/// `DLManagedTensorVersioned`
#[repr(C)]
pub(crate) struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Descriptor,
}

/// Tensors that were released. One test runs at a time.
pub(crate) static RELEASED: AtomicUsize = AtomicUsize::new(0);

unsafe fn release(shape: *mut i64, strides: *mut i64, ndim: i32) {
    for list in [shape, strides] {
        if !list.is_null() {
            // SAFETY: `tensor` made it of a boxed slice of that length.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(list, ndim as usize)) });
        }
    }
    RELEASED.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn delete_legacy(this: *mut Legacy) {
    // SAFETY: made by `Tensor::legacy`, and deleted once.
    let this = unsafe { Box::from_raw(this) };
    // SAFETY: as above.
    unsafe { release(this.tensor.shape, this.tensor.strides, this.tensor.ndim) };
}

unsafe extern "C" fn delete_versioned(this: *mut Versioned) {
    // SAFETY: made by `Tensor::versioned`, and deleted once.
    let this = unsafe { Box::from_raw(this) };
    // SAFETY: as above.
    unsafe { release(this.tensor.shape, this.tensor.strides, this.tensor.ndim) };
}

/// What is to be described.
pub(crate) struct Tensor<'t> {
    pub(crate) data: *mut f32,
    pub(crate) place: (i32, i32),
    pub(crate) element: (u8, u8),
    pub(crate) shape: &'t [i64],
    pub(crate) strides: Option<&'t [i64]>,
    pub(crate) byte_offset: u64,
}

impl Tensor<'_> {
    fn descriptor(&self) -> Descriptor {
        let list = |numbers: &[i64]| Box::into_raw(numbers.to_vec().into_boxed_slice()).cast::<i64>();
        Descriptor {
            data: self.data.cast(),
            device_type: self.place.0,
            device_id: self.place.1,
            ndim: self.shape.len() as i32,
            code: self.element.0,
            bits: self.element.1,
            lanes: 1,
            shape: list(self.shape),
            strides: self.strides.map_or(null_mut(), list),
            byte_offset: self.byte_offset,
        }
    }

    pub(crate) fn legacy(&self) -> *mut c_void {
        let tensor = self.descriptor();
        Box::into_raw(Box::new(Legacy { tensor, context: null_mut(), deleter: Some(delete_legacy) })).cast()
    }

    pub(crate) fn versioned(&self, version: [u32; 2], flags: u64) -> *mut c_void {
        let (tensor, deleter) = (self.descriptor(), Some(delete_versioned as _));
        Box::into_raw(Box::new(Versioned { version, context: null_mut(), deleter, flags, tensor })).cast()
    }
}
