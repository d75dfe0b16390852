//! Launches: checked when they are made, run when their stream comes to them.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use cuda_p2p_sys::{cudaError_t, cudaLaunchConfig_t, cudaStream_t, dim3};

use crate::call::{Out, call};
use crate::context;
use crate::error::{Answer, code};
use crate::exec::{ArgBlock, LaunchRefused, LaunchSpec};
use crate::kernel::{find_kernel, kernel_of_handle};
use crate::machine::Machine;
use crate::queue::{Launch, Work};
use crate::stream;

/// What a launch asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) function: *const c_void,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: usize,
    pub(crate) args: *mut *mut c_void,
    pub(crate) stream: cudaStream_t,
}

/// Who makes a launch. The driver's answers are the same under every release of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Through {
    /// `cudaLaunchKernel`, `cudaLaunchKernelExC`
    Runtime,
    /// `cuLaunchKernel`
    Driver,
}

/// Makes a launch. The kernel runs on the stream's device, whichever is current; an older runtime refuses any other.
///
/// # Safety
/// `args` has an entry for each parameter of the kernel, which points at its value.
pub(crate) unsafe fn launch(machine: &Arc<Machine>, ask: Ask, through: Through) -> Answer {
    let mut state = machine.lock();
    let id = match through {
        Through::Runtime => find_kernel(&state, ask.function),
        Through::Driver => kernel_of_handle(&state, ask.function),
    }?;
    let stream = stream::resolve(&state, ask.stream)?;
    let kernel = state.kernels[&id].kernel;
    if ask.args.is_null() && !kernel.params().is_empty() {
        return Err(code::INVALID_VALUE);
    }
    let device = stream::device_of(&state, stream);
    let (release, through_runtime) = (state.release, through == Through::Runtime);
    if through_runtime
        && device != context::current_device()
        && !release.launches_on_streams_of_other_devices()
    {
        return Err(code::INVALID_HANDLE);
    }
    let refusal = |refused: LaunchRefused| match (through_runtime, cannot_be(&refused)) {
        (true, true) => release.invalid_configuration(),
        _ => refusal(&refused),
    };
    let Ask { grid, block, dynamic_shared, .. } = ask;
    let spec = LaunchSpec { kernel, grid, block, dynamic_shared, args: ArgBlock::default(), id: 0 };
    spec.check(&machine.limits).map_err(refusal)?;
    if dynamic_shared > state.kernels[&id].dynamic_shared[device] {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller passes a pointer for each parameter.
    let args = unsafe { ArgBlock::copy(&kernel, ask.args.cast_const().cast()) }.map_err(refusal)?;
    let work = Work::Kernel(Box::new(Launch { kernel, grid, block, dynamic_shared, args }));
    stream::enqueue(machine, &mut state, stream, &[], work).map(drop)
}

/// Whether the grid or the block is one that no kernel can have.
fn cannot_be(refused: &LaunchRefused) -> bool {
    matches!(
        refused,
        LaunchRefused::Grid { .. } | LaunchRefused::Block { .. } | LaunchRefused::Threads { .. }
    )
}

fn refusal(refused: &LaunchRefused) -> cudaError_t {
    match refused {
        LaunchRefused::Grid { .. }
        | LaunchRefused::Block { .. }
        | LaunchRefused::Threads { .. }
        | LaunchRefused::LaunchBounds { .. }
        | LaunchRefused::Shared { .. } => code::INVALID_VALUE,
        LaunchRefused::Parameters { .. } => code::OUT_OF_RESOURCES,
    }
}

fn extents(dim: dim3) -> [u32; 3] {
    [dim.x, dim.y, dim.z]
}

pub(crate) unsafe extern "C" fn launch_kernel(
    function: *const c_void,
    grid: dim3,
    block: dim3,
    args: *mut *mut c_void,
    dynamic_shared: usize,
    stream: cudaStream_t,
) -> cudaError_t {
    call("cudaLaunchKernel", |machine| {
        let ask = Ask { function, grid: extents(grid), block: extents(block), dynamic_shared, args, stream };
        // SAFETY: the C contract: an argument for each parameter.
        unsafe { launch(machine, ask, Through::Runtime) }
    })
}

/// `cudaLaunchAttributeIgnore`, `...SynchronizationPolicy`, `...ClusterSchedulingPolicyPreference`, `...Priority`,
/// `...MemSyncDomainMap`, `...MemSyncDomain`, `...PreferredSharedMemoryCarveout`: wishes about speed, which change no result.
const WISHES: [u32; 7] = [0, 3, 5, 8, 9, 10, 14];
/// `cudaLaunchAttributeClusterDimension`: a cluster of one block is no cluster.
const CLUSTER_DIMENSION: u32 = 4;

/// Divergence from hardware: cooperative, programmatic and cluster launches are error 801.
pub(crate) unsafe extern "C" fn launch_kernel_ex(
    config: *const cudaLaunchConfig_t,
    function: *const c_void,
    args: *mut *mut c_void,
) -> cudaError_t {
    call("cudaLaunchKernelExC", |machine| {
        // SAFETY: the C contract: null, or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(code::INVALID_VALUE)?;
        for index in 0..config.numAttrs as usize {
            if config.attrs.is_null() {
                return Err(code::INVALID_VALUE);
            }
            // SAFETY: the C contract: `attrs` has `numAttrs` entries, each with the value of its kind.
            let harmless = unsafe {
                let attribute = &*config.attrs.add(index);
                let cluster = attribute.val.clusterDim;
                WISHES.contains(&attribute.id.0)
                    || attribute.id.0 == CLUSTER_DIMENSION && [cluster.x, cluster.y, cluster.z] == [1; 3]
            };
            if !harmless {
                return Err(code::NOT_SUPPORTED);
            }
        }
        let ask = Ask {
            function,
            grid: extents(config.gridDim),
            block: extents(config.blockDim),
            dynamic_shared: config.dynamicSmemBytes,
            args,
            stream: config.stream,
        };
        // SAFETY: the C contract: an argument for each parameter.
        unsafe { launch(machine, ask, Through::Runtime) }
    })
}

fn occupancy(
    out: *mut c_int,
    function: *const c_void,
    block: c_int,
    shared: usize,
    machine: &Machine,
) -> Answer {
    // SAFETY: the C contract: null, or a place for one number.
    let out = unsafe { Out::new(out) }?;
    find_kernel(&machine.lock(), function)?;
    let threads = u32::try_from(block).ok().filter(|&threads| threads > 0).ok_or(code::INVALID_VALUE)?;
    let limits = &machine.limits;
    let by_threads = limits.threads_per_multiprocessor / threads;
    let by_memory =
        limits.shared_per_block.checked_div(shared).map_or(u32::MAX, |n| n.try_into().unwrap_or(u32::MAX));
    let blocks = if threads > limits.threads_per_block { 0 } else { by_threads.min(by_memory) };
    out.set(blocks.min(limits.blocks_per_multiprocessor) as c_int);
    Ok(())
}

pub(crate) unsafe extern "C" fn max_active_blocks(
    blocks: *mut c_int,
    function: *const c_void,
    block_size: c_int,
    dynamic_shared: usize,
) -> cudaError_t {
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", |machine| {
        occupancy(blocks, function, block_size, dynamic_shared, machine)
    })
}

pub(crate) unsafe extern "C" fn max_active_blocks_with_flags(
    blocks: *mut c_int,
    function: *const c_void,
    block_size: c_int,
    dynamic_shared: usize,
    flags: c_uint,
) -> cudaError_t {
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", |machine| {
        if flags > 1 {
            return Err(code::INVALID_VALUE);
        }
        occupancy(blocks, function, block_size, dynamic_shared, machine)
    })
}
