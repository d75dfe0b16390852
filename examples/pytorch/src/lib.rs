//! `y += x` with `x` on another GPU than `y`, both of them PyTorch's, on PyTorch's own streams.
//!
//! The C interface takes what Python has: addresses, lengths, stream handles, or DLPack tensors. Each function returns null, or a text
//! that says what is wrong, which [`p2p_free_text`] frees.

mod text;

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use cuda_p2p::sys::cudaStream_t;
use cuda_p2p::{
    Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, DlpackTensor, LaunchConfig, Result, Runtime, Stream,
    builtin,
};

pub use text::p2p_free_text;

/// A tensor of `f32` as Python describes it.
#[repr(C)]
pub struct Tensor {
    /// `tensor.device.index`
    device: c_int,
    /// `tensor.data_ptr()`
    address: *mut f32,
    /// `tensor.numel()` of a contiguous tensor.
    len: usize,
    /// `torch.cuda.current_stream(tensor.device).cuda_stream`
    stream: cudaStream_t,
}

fn runtime() -> Result<(Runtime, &'static builtin::Kernels)> {
    static OPENED: OnceLock<Result<(Runtime, builtin::Kernels)>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let runtime = Runtime::load()?;
        Ok((runtime, builtin::Kernels::load(&runtime)?))
    });
    match opened {
        Ok((runtime, kernels)) => Ok((*runtime, kernels)),
        Err(error) => Err(error.clone()),
    }
}

impl Tensor {
    /// # Safety
    /// - What it says is true, and stays so until the buffer and the stream are dropped and the tensor's own stream has done what
    ///   was put in.
    unsafe fn borrow(&self, runtime: &Runtime) -> Result<(DeviceBuffer<f32>, Stream)> {
        let device = Device::from_raw(runtime, self.device)?;
        // SAFETY: by the caller.
        let (mut buffer, stream) = unsafe {
            (
                DeviceBuffer::borrow_raw(&device, self.address, self.len)?,
                Stream::borrow_raw(&device, self.stream)?,
            )
        };
        // What PyTorch did with the tensor is in its stream: work on other streams waits for that.
        buffer.as_slice_mut().as_raw_on(&stream)?;
        Ok((buffer, stream))
    }
}

/// A kernel of `y`'s device on `stream`, which is of that device, reads `x` over the link. Asynchronous.
fn add(stream: &Stream, y: DeviceSliceMut<'_, f32>, x: DeviceSlice<'_, f32>) -> Result<()> {
    let (_, kernels) = runtime()?;
    let (accessor, owner, len) = (y.device(), x.device(), x.len());
    let access = accessor.enable_peer_access(&owner)?;
    kernels.add_f32(stream, LaunchConfig::for_elements(len), y, access.slice(x)?, len as u64)
}

/// `y += x`. `grant`: opens the pool that `x` is from, if it is from one, to `y`'s device first.
///
/// # Safety
/// - Both describe live contiguous tensors, `y` no other work than that in its stream uses, and the streams are not destroyed before
///   they have done what this puts in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn p2p_add(y: &Tensor, x: &Tensor, grant: bool) -> *mut c_char {
    text::of(|| {
        let (runtime, _) = runtime()?;
        // SAFETY: by the caller.
        let ((mut ours, stream), (mut theirs, home)) = unsafe { (y.borrow(&runtime)?, x.borrow(&runtime)?) };
        if let (true, Some(pool)) = (grant, theirs.mem_pool()) {
            pool.enable_access_from(&[ours.device()])?;
        }
        add(&stream, ours.as_slice_mut(), theirs.as_slice())?;
        // PyTorch reuses the memory of `x` in the order of its stream: that waits for the kernel.
        theirs.as_slice_mut().as_raw_on(&home)?;
        Ok(())
    })
}

/// Copies `x` to `y` by the copy engine, and writes the way that it went to `path`, to be freed by [`p2p_free_text`].
///
/// # Safety
/// - As for [`p2p_add`]; `path` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn p2p_copy(y: &Tensor, x: &Tensor, path: &mut *mut c_char) -> *mut c_char {
    text::of(|| {
        let (runtime, _) = runtime()?;
        // SAFETY: by the caller.
        let ((mut ours, stream), (mut theirs, home)) = unsafe { (y.borrow(&runtime)?, x.borrow(&runtime)?) };
        let way = stream.copy_peer_async(&mut ours, &theirs)?;
        theirs.as_slice_mut().as_raw_on(&home)?;
        *path = text::new(&way);
        Ok(())
    })
}

/// `y += x` by DLPack: `y` is a `DLManagedTensor*`, `x` a `DLManagedTensorVersioned*`. Both are released when the kernel has read
/// them. The streams are those in which they are ready.
///
/// # Safety
/// - Both are live tensors that nobody else releases, `y` no other work than that in its stream uses, and the streams are not destroyed
///   before they have done what this puts in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn p2p_add_dlpack(
    y: *mut c_void,
    y_stream: cudaStream_t,
    x: *mut c_void,
    x_stream: cudaStream_t,
    devices: &[c_int; 2],
) -> *mut c_char {
    text::of(|| {
        let (runtime, _) = runtime()?;
        let [on, home] = *devices;
        // SAFETY: by the caller.
        let (mut ours, theirs, stream) = unsafe {
            let stream = Stream::borrow_raw(&Device::from_raw(&runtime, on)?, y_stream)?;
            let home = Stream::borrow_raw(&Device::from_raw(&runtime, home)?, x_stream)?;
            let ours = DlpackTensor::<f32>::from_raw(&stream, y)?;
            (ours, DlpackTensor::<f32>::from_raw_versioned(&home, x)?, stream)
        };
        add(&stream, ours.as_slice_mut()?, theirs.as_slice()?)
    })
}

/// Waits for both devices, and releases the tensors that are no longer used. Writes how many errors there were that had nowhere
/// else to go.
///
/// # Safety
/// - `deferred` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn p2p_finish(deferred: &mut usize) -> *mut c_char {
    text::of(|| {
        let (runtime, _) = runtime()?;
        for number in 0..runtime.device_count()? {
            runtime.device(number)?.synchronize()?;
        }
        *deferred = runtime.deferred_errors().len();
        Ok(())
    })
}
