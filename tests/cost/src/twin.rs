//! The same by cudarc: two slices, one kernel of this project's, a stream that it made.

use std::sync::Arc;

use cuda_p2p::KernelModule;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;

pub(crate) struct Twin {
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) event: CudaEvent,
    function: CudaFunction,
    y: CudaSlice<f32>,
    x: CudaSlice<f32>,
}

impl Twin {
    /// `own_stream`: on a stream that it makes, whose order with others it then keeps, as cuda-p2p does; otherwise on its default
    /// stream, where it keeps none.
    pub(crate) fn new(module: &KernelModule, own_stream: bool) -> Result<Self, Box<dyn std::error::Error>> {
        let context = CudaContext::new(0)?;
        let stream = if own_stream { context.new_stream()? } else { context.default_stream() };
        let module = context.load_module(Ptx::from_binary(machine_code(module)?))?;
        let function = module.load_function("cuda_p2p_add_f32")?;
        let (y, x) = (stream.alloc_zeros(32)?, stream.alloc_zeros(32)?);
        let event = context.new_event(None)?;
        stream.synchronize()?;
        Ok(Self { stream, event, function, y, x })
    }

    pub(crate) fn launch(&mut self) {
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
        let n = 32u64;
        let mut launch = self.stream.launch_builder(&self.function);
        launch.arg(&mut self.y).arg(&self.x).arg(&n);
        // SAFETY: the arguments are those of add.cu, and both slices have `n` elements.
        unsafe { launch.launch(config) }.expect("a launch");
    }

    pub(crate) fn copy(&mut self) {
        self.stream.memcpy_dtod(&self.x, &mut self.y).expect("a copy");
    }

    pub(crate) fn record(&self) {
        self.event.record(&self.stream).expect("a record");
    }

    pub(crate) fn slice(&self) {
        std::hint::black_box(self.x.slice(std::hint::black_box(4..20)));
    }
}

/// The module's fatbin as bytes. Its header says how long it is: magic, version, length of the header, length of the rest.
fn machine_code(module: &KernelModule) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let code = module.device_code().ok_or("this build has no machine code")?.cast::<u8>();
    // SAFETY: a fatbin begins with a header of 16 bytes.
    let header: [u8; 16] = unsafe { code.cast::<[u8; 16]>().read_unaligned() };
    if header[..4] != 0xba55_ed50_u32.to_le_bytes() {
        return Err("the machine code is no fatbin".into());
    }
    let header_size = usize::from(u16::from_le_bytes([header[6], header[7]]));
    let size = usize::try_from(u64::from_le_bytes(header[8..].try_into()?))?;
    // SAFETY: so many bytes are the fatbin, by its own header, and are embedded in this program.
    Ok(unsafe { std::slice::from_raw_parts(code, header_size + size) }.to_vec())
}
