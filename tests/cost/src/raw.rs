//! The raw C calls, through the table that the safe ones go through.

use std::ffi::{c_int, c_void};

use cuda_p2p::sys::{CudaRuntime, cudaEvent_t, cudaKernel_t, cudaMemcpyKind, cudaStream_t, dim3};
use cuda_p2p::{Event, Runtime, Stream, builtin};

pub(crate) struct Raw {
    table: &'static CudaRuntime,
    stream: cudaStream_t,
    kernel: cudaKernel_t,
    event: cudaEvent_t,
}

const BYTES: usize = size_of::<f32>() * super::ELEMENTS;

impl Raw {
    pub(crate) fn new(runtime: &Runtime, stream: &Stream, kernels: &builtin::Kernels, event: &Event) -> Self {
        let kernel = kernels.kernel_named("cuda_p2p_add_f32").expect("a kernel of ours").as_raw();
        Self { table: runtime.table(), stream: stream.as_raw(), kernel, event: event.as_raw() }
    }

    pub(crate) fn copy_peer(&self, to: *mut f32, from: *mut f32) {
        let call = self.table.cudaMemcpyPeerAsync.expect("the function");
        let (to_device, from_device): (c_int, c_int) = (0, 1);
        // SAFETY: both addresses have so many bytes on those devices, and outlive the work.
        let status =
            unsafe { call(to.cast(), to_device, from.cast::<c_void>(), from_device, BYTES, self.stream) };
        assert_eq!(status.0, 0);
    }

    pub(crate) fn copy(&self, to: *mut f32, from: *mut f32) {
        let call = self.table.cudaMemcpyAsync.expect("the function");
        let kind = cudaMemcpyKind::cudaMemcpyDeviceToDevice;
        // SAFETY: as above.
        let status = unsafe { call(to.cast(), from.cast::<c_void>(), BYTES, kind, self.stream) };
        assert_eq!(status.0, 0);
    }

    pub(crate) fn launch(&self, mut y: *mut f32, mut x: *mut f32) {
        let call = self.table.cudaLaunchKernel.expect("the function");
        let mut n = super::ELEMENTS as u64;
        let mut parameters: [*mut c_void; 3] =
            [(&raw mut y).cast(), (&raw mut x).cast(), (&raw mut n).cast()];
        let (grid, block) = (dim3 { x: 1, y: 1, z: 1 }, dim3 { x: 32, y: 1, z: 1 });
        let kernel = self.kernel.cast_const().cast::<c_void>();
        // SAFETY: the parameters are those of add.cu, and the memory has so many elements and outlives the work.
        let status = unsafe { call(kernel, grid, block, parameters.as_mut_ptr(), 0, self.stream) };
        assert_eq!(status.0, 0);
    }

    pub(crate) fn record(&self) {
        let call = self.table.cudaEventRecord.expect("the function");
        // SAFETY: both handles are live, and of one device.
        let status = unsafe { call(self.event, self.stream) };
        assert_eq!(status.0, 0);
    }
}
