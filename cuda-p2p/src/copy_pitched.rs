//! Copies and fills of boxes: rows, and slices of rows, with gaps between them.
//!
//! # Safety
//! This file gives addresses and shapes to the copy engine. Each shape was checked against the length of its memory. Device and
//! pinned memory is kept and ordered by [`Uses`](crate::uses::Uses); memory of a Rust slice is given only for the time of a call
//! that does not return before the copy is done.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::{c_int, c_void};

use bytemuck::Pod;

use crate::capture::CaptureState;
use crate::device::Device;
use crate::error::Result;
use crate::ffi::{cudaExtent, cudaMemcpy3DParms, cudaMemcpyKind, cudaPitchedPtr};
use crate::links;
use crate::pinned::PinnedBuffer;
use crate::pitched::{PitchedSlice, PitchedSliceMut};
use crate::seam::cuda;
use crate::shape::Shape;
use crate::slice::View;
use crate::stream::Stream;
use crate::uses::Access;

impl Stream {
    /// Copies a box of elements of the stream's device to another. Asynchronous.
    ///
    /// C: `cudaMemcpy2DAsync`, `cudaMemcpy3DAsync`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if their extents differ; [`Error::WrongDevice`](crate::Error::WrongDevice), for
    /// copies between devices use [`copy_peer_pitched_async`](Self::copy_peer_pitched_async);
    /// [`Error::StaleHandle`](crate::Error::StaleHandle); [`Error::Cuda`](crate::Error::Cuda).
    #[doc(alias = "cudaMemcpy2DAsync")]
    #[doc(alias = "cudaMemcpy3DAsync")]
    pub fn copy_pitched_async<'d, 's, T: Pod>(
        &self,
        destination: impl Into<PitchedSliceMut<'d, T>>,
        source: impl Into<PitchedSlice<'s, T>>,
    ) -> Result<()> {
        let (destination, source) = (destination.into(), source.into());
        destination.shape().check_same(&source.shape())?;
        self.check_own(&destination.slice.view)?;
        self.check_own(&source.slice.view)?;
        let to = (&destination.slice.view, destination.shape());
        self.copy_boxes::<T>(to, (&source.slice.view, source.shape()), |_| Ok(()))
    }

    /// Sets every byte of a box to `value`, and leaves what is between its rows. Asynchronous.
    ///
    /// C: `cudaMemset2DAsync`, `cudaMemset3DAsync`.
    ///
    /// # Errors
    /// As [`copy_pitched_async`](Self::copy_pitched_async).
    #[doc(alias = "cudaMemset2DAsync")]
    #[doc(alias = "cudaMemset3DAsync")]
    pub fn fill_pitched_bytes_async<'d, T: Pod>(
        &self,
        destination: impl Into<PitchedSliceMut<'d, T>>,
        value: u8,
    ) -> Result<()> {
        let destination = destination.into();
        let (view, shape) = (&destination.slice.view, destination.shape());
        self.check_own(view)?;
        if bytes::<T>(shape) == 0 {
            return Ok(());
        }
        let _held = view.acquire(self, Access::Write)?;
        let (place, extent) = raw::<T>(view.pointer(), shape);
        let (value, on): (c_int, _) = (value.into(), self.on_for(&[view]));
        // SAFETY: the box lies inside the memory, which is kept until the work is done; any bytes are a T.
        unsafe { cuda!(self.seam(), on, cudaMemset3DAsync(place, value, extent, self.as_raw())) }
    }

    /// Copies a box of host memory to the device. Returns when it is there.
    ///
    /// `source` holds the box in the shape `source_shape`, from its first element on.
    ///
    /// C: `cudaMemcpy2D`, `cudaMemcpy3D`.
    ///
    /// # Errors
    /// As [`copy_pitched_async`](Self::copy_pitched_async); [`Error::Capture`](crate::Error::Capture) while the stream is being
    /// captured.
    #[doc(alias = "cudaMemcpy2D")]
    #[doc(alias = "cudaMemcpy3D")]
    pub fn copy_pitched_from_host<'d, T: Pod>(
        &self,
        destination: impl Into<PitchedSliceMut<'d, T>>,
        source: &[T],
        source_shape: Shape,
    ) -> Result<()> {
        let destination = destination.into();
        source_shape.check(source.len())?;
        destination.shape().check_same(&source_shape)?;
        let view = &destination.slice.view;
        self.check_own(view)?;
        if bytes::<T>(source_shape) == 0 {
            return Ok(());
        }
        let held = view.acquire(self, Access::Write)?;
        held.entered().refuse_capture("a copy that waits")?;
        self.check_can_wait()?;
        let to = (view.pointer(), destination.shape());
        let from = (source.as_ptr().cast(), source_shape);
        // SAFETY: both boxes lie inside their memory, and the source is borrowed until the call returns, which it does not
        // before the copy is over.
        unsafe { self.memcpy_3d::<T>(to, from, cudaMemcpyKind::cudaMemcpyHostToDevice, self.device()) }?;
        drop(held);
        self.finish()
    }

    /// Copies a box of the device to host memory. Returns when it is there. What lies between the rows in `destination` is not
    /// written.
    ///
    /// C: `cudaMemcpy2D`, `cudaMemcpy3D`.
    ///
    /// # Errors
    /// As [`copy_pitched_from_host`](Self::copy_pitched_from_host).
    #[doc(alias = "cudaMemcpy2D")]
    #[doc(alias = "cudaMemcpy3D")]
    pub fn copy_pitched_to_host<'s, T: Pod>(
        &self,
        source: impl Into<PitchedSlice<'s, T>>,
        destination: &mut [T],
        destination_shape: Shape,
    ) -> Result<()> {
        let source = source.into();
        destination_shape.check(destination.len())?;
        destination_shape.check_same(&source.shape())?;
        let view = &source.slice.view;
        self.check_own(view)?;
        if bytes::<T>(destination_shape) == 0 {
            return Ok(());
        }
        let held = view.acquire(self, Access::Read)?;
        held.entered().refuse_capture("a copy that waits")?;
        self.check_can_wait()?;
        let to = (destination.as_mut_ptr().cast(), destination_shape);
        let from = (view.pointer().cast_const(), source.shape());
        // SAFETY: both boxes lie inside their memory, the destination is borrowed until the call returns, which it does not
        // before the copy is over, and any bytes are a T.
        unsafe { self.memcpy_3d::<T>(to, from, cudaMemcpyKind::cudaMemcpyDeviceToHost, self.device()) }?;
        drop(held);
        self.finish()
    }

    /// Copies a box of pinned host memory to the device. Asynchronous, as
    /// [`copy_from_pinned_async`](Self::copy_from_pinned_async).
    ///
    /// C: `cudaMemcpy2DAsync`, `cudaMemcpy3DAsync`.
    ///
    /// # Errors
    /// As [`copy_pitched_from_host`](Self::copy_pitched_from_host).
    #[doc(alias = "cudaMemcpy2DAsync")]
    #[doc(alias = "cudaMemcpy3DAsync")]
    pub fn copy_pitched_from_pinned_async<'d, T: Pod>(
        &self,
        destination: impl Into<PitchedSliceMut<'d, T>>,
        source: &PinnedBuffer<T>,
        source_shape: Shape,
    ) -> Result<()> {
        let (destination, source_view) = (destination.into(), View::new(&source.allocation));
        source_shape.check(source.len())?;
        destination.shape().check_same(&source_shape)?;
        self.check_own(&destination.slice.view)?;
        self.check_pinned(&source_view)?;
        let to = (&destination.slice.view, destination.shape());
        self.copy_boxes::<T>(to, (&source_view, source_shape), |_| Ok(()))
    }

    /// Copies a box of the device to pinned host memory. Asynchronous, as
    /// [`copy_to_pinned_async`](Self::copy_to_pinned_async).
    ///
    /// C: `cudaMemcpy2DAsync`, `cudaMemcpy3DAsync`.
    ///
    /// # Errors
    /// As [`copy_pitched_from_host`](Self::copy_pitched_from_host).
    #[doc(alias = "cudaMemcpy2DAsync")]
    #[doc(alias = "cudaMemcpy3DAsync")]
    pub fn copy_pitched_to_pinned_async<'s, T: Pod>(
        &self,
        source: impl Into<PitchedSlice<'s, T>>,
        destination: &mut PinnedBuffer<T>,
        destination_shape: Shape,
    ) -> Result<()> {
        let (source, destination_view) = (source.into(), View::new(&destination.allocation));
        destination_shape.check(destination.len())?;
        destination_shape.check_same(&source.shape())?;
        self.check_own(&source.slice.view)?;
        self.check_pinned(&destination_view)?;
        let to = (&destination_view, destination_shape);
        self.copy_boxes::<T>(to, (&source.slice.view, source.shape()), |_| Ok(()))
    }

    /// A copy whose both ends are kept and ordered by their uses, wherever they are; `to` comes from a `&mut`. Both boxes lie
    /// inside their memory, and have one extent. If it is recorded into a graph, `captured` notes what else that has to keep.
    pub(crate) fn copy_boxes<T: Pod>(
        &self,
        to: (&View<'_>, Shape),
        from: (&View<'_>, Shape),
        captured: impl FnOnce(&CaptureState) -> Result<()>,
    ) -> Result<()> {
        let ((to, to_shape), (from, from_shape)) = (to, from);
        if bytes::<T>(to_shape) == 0 {
            return Ok(());
        }
        let _source = from.acquire(self, Access::Read)?;
        let held = to.acquire(self, Access::Write)?;
        if let Some(capture) = held.entered().capture() {
            captured(capture)?;
            links::note_virtual(capture, self.device(), [to, from]);
        }
        let (current, _grants) = self.seen_by([to, from])?;
        let (to, from) = ((to.pointer(), to_shape), (from.pointer().cast_const(), from_shape));
        // SAFETY: both boxes lie inside their memory, and both ends are kept until the work is done.
        unsafe { self.memcpy_3d::<T>(to, from, cudaMemcpyKind::cudaMemcpyDefault, current) }
    }

    /// Puts a copy of a box into the stream. It is not empty.
    ///
    /// # Safety
    /// - Both addresses have boxes of these shapes of `T`, of one extent, of the memory that `kind` says, until the copy is done.
    unsafe fn memcpy_3d<T>(
        &self,
        to: (*mut u8, Shape),
        from: (*const u8, Shape),
        kind: cudaMemcpyKind,
        current: Device,
    ) -> Result<()> {
        if to.1.is_packed() && from.1.is_packed() {
            // SAFETY: both boxes are lines of so many bytes.
            return unsafe { self.memcpy(to.0, from.0, bytes::<T>(to.1), kind, current) };
        }
        // SAFETY: a type of numbers and pointers, for which zero is a value: no array, no offset.
        let mut copy: cudaMemcpy3DParms = unsafe { std::mem::zeroed() };
        (copy.dstPtr, copy.extent) = raw::<T>(to.0, to.1);
        (copy.srcPtr, _) = raw::<T>(from.0.cast_mut(), from.1);
        copy.kind = kind;
        // For memory of pools and mapped pages, as `on_for` says.
        let on = current.on();
        // SAFETY: the caller answers for the boxes; the stream's handle is live, and the parameters are read by the call.
        unsafe { cuda!(self.seam(), on, cudaMemcpy3DAsync(&copy, self.as_raw())) }
    }
}

/// Bytes of a box that was checked, without what is between its rows.
fn bytes<T>(shape: Shape) -> usize {
    if shape.is_empty() { 0 } else { shape.elements() * size_of::<T>() }
}

/// A box as the runtime takes it. What no second row or slice follows has no pitch.
fn raw<T>(address: *mut u8, shape: Shape) -> (cudaPitchedPtr, cudaExtent) {
    let (width, height, depth) = (shape.width() * size_of::<T>(), shape.height(), shape.depth());
    let pitch = if height * depth > 1 { shape.row_pitch() * size_of::<T>() } else { width };
    let slice_height = if depth > 1 { shape.slice_height() } else { height };
    let place = cudaPitchedPtr { ptr: address.cast::<c_void>(), pitch, xsize: width, ysize: slice_height };
    (place, cudaExtent { width, height, depth })
}
