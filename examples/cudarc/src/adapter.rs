//! All that is needed between cudarc and cuda-p2p: copy this file into your crate. Its functions are safe.
//!
//! cudarc notes when a `CudaSlice` was last read and written, by events in streams of the slice's own device, and waits for them
//! before the next use and before it frees the memory. cuda-p2p orders its own work likewise. The two are joined in the slice's
//! own stream, its *home*: it waits for what cudarc did before, cuda-p2p's work comes after what is in it, and what cudarc does next
//! comes after it again. Nothing waits on the host.

use std::ffi::c_int;
use std::sync::Arc;

use cuda_p2p::bytemuck::Pod;
use cuda_p2p::{Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, Result, Runtime, Stream};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, SyncOnDrop};

/// The device of a context. cudarc's contexts, made by `CudaContext::new`, are the devices' primary ones, which are the CUDA runtime's.
pub fn device(runtime: &Runtime, context: &CudaContext) -> Result<Device> {
    Device::from_raw(runtime, context.ordinal() as c_int)
}

/// A stream of cudarc's, for work of cuda-p2p too. It lives as long as either crate uses it.
pub fn stream(runtime: &Runtime, stream: &Arc<CudaStream>) -> Result<Stream> {
    let device = device(runtime, stream.context())?;
    // SAFETY: a live stream of the device, which the clone keeps so.
    unsafe { Stream::borrow_raw_with(&device, stream.cu_stream().cast(), stream.clone()) }
}

/// Hands a slice over, for good: cudarc frees it when cuda-p2p's work on it is done.
pub fn take<T: Pod>(runtime: &Runtime, mut slice: CudaSlice<T>) -> Result<DeviceBuffer<T>> {
    let (home, theirs) = (stream(runtime, slice.stream())?, slice.stream().clone());
    let (device, len) = (home.device(), slice.len());
    // The home waits for all earlier uses, and the event that this records when it is dropped comes after them.
    let address = slice.device_ptr_mut(&theirs).0;
    // SAFETY: so many elements of that device, which the slice keeps allocated; what came before is in the home, which comes next.
    let mut buffer = unsafe { DeviceBuffer::borrow_raw_with(&device, address as *mut T, len, slice) }?;
    buffer.as_slice_mut().as_raw_on(&home)?;
    Ok(buffer)
}

/// Lends a slice to `work`, to read from.
pub fn read<T: Pod, R>(
    runtime: &Runtime,
    slice: &CudaSlice<T>,
    work: impl FnOnce(DeviceSlice<'_, T>) -> Result<R>,
) -> Result<R> {
    let loan = Loan::new(runtime, slice.stream(), slice.device_ptr(slice.stream()), slice.len())?;
    work(loan.buffer.as_slice())
}

/// Lends a slice to `work`, to write to.
pub fn write<T: Pod, R>(
    runtime: &Runtime,
    slice: &mut CudaSlice<T>,
    work: impl FnOnce(DeviceSliceMut<'_, T>) -> Result<R>,
) -> Result<R> {
    let (theirs, len) = (slice.stream().clone(), slice.len());
    let mut loan = Loan::new(runtime, &theirs, slice.device_ptr_mut(&theirs), len)?;
    work(loan.buffer.as_slice_mut())
}

/// A slice in cuda-p2p's hands. Not given out, so that it is always dropped.
struct Loan<'s, T: Pod> {
    buffer: DeviceBuffer<T>,
    home: Stream,
    /// Notes, when it is dropped, that the slice was used by all that is in the home by then.
    _noted: SyncOnDrop<'s>,
}

impl<'s, T: Pod> Loan<'s, T> {
    fn new(
        runtime: &Runtime,
        theirs: &Arc<CudaStream>,
        (address, noted): (u64, SyncOnDrop<'s>),
        len: usize,
    ) -> Result<Self> {
        let home = stream(runtime, theirs)?;
        // SAFETY: so many elements of that device. The slice is borrowed as long as this lives, and freed in its home, which then
        // waits for the work that was put in; what cudarc did before is in the home, which comes next.
        let mut buffer = unsafe { DeviceBuffer::borrow_raw(&home.device(), address as *mut T, len) }?;
        buffer.as_slice_mut().as_raw_on(&home)?;
        Ok(Self { buffer, home, _noted: noted })
    }
}

impl<T: Pod> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        // The home waits for all streams that cuda-p2p used the slice on.
        if self.buffer.as_slice_mut().as_raw_on(&self.home).is_err() {
            // It cannot be made to: then the host does, for every device.
            let runtime = *self.home.device().runtime();
            for number in 0..runtime.device_count().unwrap_or(0) {
                // A device that cannot be waited for has lost its work, with its context.
                let _lost = runtime.device(number).and_then(|device| device.synchronize());
            }
        }
    }
}
