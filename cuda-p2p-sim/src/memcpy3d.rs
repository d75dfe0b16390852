//! The calls that copy and fill rows and slices.

use std::ffi::{c_int, c_void};

use cuda_p2p_sys::{
    cudaArray_t, cudaError_t, cudaExtent, cudaMemcpy3DParms, cudaMemcpy3DPeerParms, cudaMemcpyKind,
    cudaPitchedPtr, cudaPos, cudaStream_t,
};

use crate::call::call;
use crate::copy::check;
use crate::copy::submit::{self, Request};
use crate::copy::{Layout, Shape};
use crate::error::{Answer, code};
use crate::memcpy::{address, check_devices, fill_blocking, fill_on_stream, refuse_captured};

fn rows(place: *const c_void, pitch: usize, width: usize) -> Answer<Layout> {
    if width > pitch {
        return Err(code::INVALID_PITCH);
    }
    Ok(Layout { address: address(place), row_pitch: pitch, slice_pitch: 0 })
}

/// The request of a two-dimensional copy; `None` if it is empty.
fn plane(
    (dst, dst_pitch): (*mut c_void, usize),
    (src, src_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: cudaMemcpyKind,
) -> Answer<Option<Request>> {
    check::known(kind)?;
    let shape = Shape { width, height, depth: 1 };
    if shape.is_empty() {
        return Ok(None);
    }
    let (dst, src) = (rows(dst, dst_pitch, width)?, rows(src, src_pitch, width)?);
    Ok(Some(Request { dst, src, shape, devices: None }))
}

pub(crate) unsafe extern "C" fn memcpy_2d(
    dst: *mut c_void,
    dst_pitch: usize,
    src: *const c_void,
    src_pitch: usize,
    width: usize,
    height: usize,
    kind: cudaMemcpyKind,
) -> cudaError_t {
    call("cudaMemcpy2D", |machine| match plane((dst, dst_pitch), (src, src_pitch), (width, height), kind)? {
        Some(request) => submit::blocking(machine, request, Some(kind)),
        None => Ok(()),
    })
}

pub(crate) unsafe extern "C" fn memcpy_2d_async(
    dst: *mut c_void,
    dst_pitch: usize,
    src: *const c_void,
    src_pitch: usize,
    width: usize,
    height: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemcpy2DAsync", |machine| {
        match plane((dst, dst_pitch), (src, src_pitch), (width, height), kind)? {
            Some(request) => submit::on_stream(machine, request, Some(kind), stream),
            None => Ok(()),
        }
    })
}

/// One side of a three-dimensional copy: where its rows lie.
fn slices(array: cudaArray_t, place: &cudaPitchedPtr, at: &cudaPos, shape: Shape) -> Answer<Layout> {
    if !array.is_null() {
        // CUDA arrays are not modelled.
        return Err(code::NOT_SUPPORTED);
    }
    if shape.width > place.pitch {
        return Err(code::INVALID_PITCH);
    }
    if at.x.saturating_add(shape.width) > place.pitch {
        return Err(code::INVALID_VALUE);
    }
    // A height of 0 says nothing, as long as there is one slice.
    let counts = place.ysize != 0 || shape.depth > 1;
    if place.ptr.is_null() || counts && at.y.saturating_add(shape.height) > place.ysize {
        return Err(code::INVALID_VALUE);
    }
    let slice_pitch = place.pitch.checked_mul(place.ysize).ok_or(code::INVALID_VALUE)?;
    let offset = || {
        let rows = place.pitch.checked_mul(at.y)?;
        slice_pitch.checked_mul(at.z)?.checked_add(rows)?.checked_add(at.x)?.checked_add(address(place.ptr))
    };
    Ok(Layout { address: offset().ok_or(code::INVALID_VALUE)?, row_pitch: place.pitch, slice_pitch })
}

fn shape(extent: &cudaExtent) -> Shape {
    Shape { width: extent.width, height: extent.height, depth: extent.depth }
}

/// The request of a three-dimensional copy; `None` if it is empty.
fn volume(p: &cudaMemcpy3DParms) -> Answer<Option<Request>> {
    check::known(p.kind)?;
    let shape = shape(&p.extent);
    if shape.is_empty() {
        return Ok(None);
    }
    let dst = slices(p.dstArray, &p.dstPtr, &p.dstPos, shape)?;
    let src = slices(p.srcArray, &p.srcPtr, &p.srcPos, shape)?;
    Ok(Some(Request { dst, src, shape, devices: None }))
}

pub(crate) unsafe extern "C" fn memcpy_3d(p: *const cudaMemcpy3DParms) -> cudaError_t {
    call("cudaMemcpy3D", |machine| {
        // SAFETY: the C contract: null, or the parameters.
        let p = unsafe { p.as_ref() }.ok_or(code::INVALID_VALUE)?;
        match volume(p)? {
            Some(request) => submit::blocking(machine, request, Some(p.kind)),
            None => Ok(()),
        }
    })
}

pub(crate) unsafe extern "C" fn memcpy_3d_async(
    p: *const cudaMemcpy3DParms,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemcpy3DAsync", |machine| {
        // SAFETY: the C contract: null, or the parameters.
        let p = unsafe { p.as_ref() }.ok_or(code::INVALID_VALUE)?;
        match volume(p)? {
            Some(request) => submit::on_stream(machine, request, Some(p.kind), stream),
            None => Ok(()),
        }
    })
}

/// The request of a three-dimensional peer copy; `None` if it is empty.
fn peer_volume(p: &cudaMemcpy3DPeerParms, machine: &crate::machine::Machine) -> Answer<Option<Request>> {
    let shape = shape(&p.extent);
    if shape.is_empty() {
        return Ok(None);
    }
    let devices = Some(check_devices(machine, p.dstDevice, p.srcDevice)?);
    let dst = slices(p.dstArray, &p.dstPtr, &p.dstPos, shape)?;
    let src = slices(p.srcArray, &p.srcPtr, &p.srcPos, shape)?;
    Ok(Some(Request { dst, src, shape, devices }))
}

pub(crate) unsafe extern "C" fn memcpy_3d_peer(p: *const cudaMemcpy3DPeerParms) -> cudaError_t {
    call("cudaMemcpy3DPeer", |machine| {
        // SAFETY: the C contract: null, or the parameters.
        let p = unsafe { p.as_ref() }.ok_or(code::INVALID_VALUE)?;
        match peer_volume(p, machine)? {
            Some(request) => submit::blocking(machine, request, None),
            None => Ok(()),
        }
    })
}

pub(crate) unsafe extern "C" fn memcpy_3d_peer_async(
    p: *const cudaMemcpy3DPeerParms,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemcpy3DPeerAsync", |machine| {
        // SAFETY: the C contract: null, or the parameters.
        let p = unsafe { p.as_ref() }.ok_or(code::INVALID_VALUE)?;
        refuse_captured(machine, stream)?;
        match peer_volume(p, machine)? {
            Some(request) => submit::on_stream(machine, request, None, stream),
            None => Ok(()),
        }
    })
}

/// Rows that are filled. A pitch that is too small is error 1, where it is 12 of a copy.
fn filled_rows(place: *const c_void, pitch: usize, width: usize) -> Answer<Layout> {
    rows(place, pitch, width).map_err(|_| code::INVALID_VALUE)
}

pub(crate) unsafe extern "C" fn memset_2d(
    place: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> cudaError_t {
    call("cudaMemset2D", |machine| {
        let shape = Shape { width, height, depth: 1 };
        if shape.is_empty() {
            return Ok(());
        }
        fill_blocking(machine, filled_rows(place, pitch, width)?, shape, value)
    })
}

pub(crate) unsafe extern "C" fn memset_2d_async(
    place: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemset2DAsync", |machine| {
        let shape = Shape { width, height, depth: 1 };
        let layout = if shape.is_empty() { Layout::line(0) } else { filled_rows(place, pitch, width)? };
        fill_on_stream(machine, layout, shape, value, stream)
    })
}

/// Slices that are filled, from the first on. As for rows, a pitch that is too small is error 1.
fn filled_slices(place: &cudaPitchedPtr, shape: Shape) -> Answer<Layout> {
    let origin = cudaPos { x: 0, y: 0, z: 0 };
    slices(std::ptr::null_mut(), place, &origin, shape).map_err(|_| code::INVALID_VALUE)
}

pub(crate) unsafe extern "C" fn memset_3d(
    place: cudaPitchedPtr,
    value: c_int,
    extent: cudaExtent,
) -> cudaError_t {
    call("cudaMemset3D", |machine| {
        let shape = shape(&extent);
        if shape.is_empty() {
            return Ok(());
        }
        fill_blocking(machine, filled_slices(&place, shape)?, shape, value)
    })
}

pub(crate) unsafe extern "C" fn memset_3d_async(
    place: cudaPitchedPtr,
    value: c_int,
    extent: cudaExtent,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaMemset3DAsync", |machine| {
        let shape = shape(&extent);
        let layout = match shape.is_empty() {
            true => Layout::line(0),
            false => filled_slices(&place, shape)?,
        };
        fill_on_stream(machine, layout, shape, value, stream)
    })
}
