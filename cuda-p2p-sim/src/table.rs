//! The table: each bound function, and what stands for it here.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use cuda_p2p_sys::CudaRuntime;

use crate::release::Release;
use crate::{
    call, capture, device, driver, error, event, graph, graph_update, host, ipc, kernel, launch, library,
    memcpy, memcpy3d, memory, peer, pool, properties, refused, stream,
};

/// Functions that came after 12.0. The other major may lack them, so they are entered by name; their parameters are of types of
/// the same layout that every release has.
fn newer(name: &CStr) -> Option<NonNull<c_void>> {
    let address = match name.to_bytes() {
        b"cudaGetDriverEntryPointByVersion" => driver::get_entry_point_by_version as *mut c_void,
        b"cudaDeviceGetP2PAtomicCapabilities" => peer::get_p2p_atomic_capabilities as *mut c_void,
        b"cudaStreamGetDevice" => stream::stream_get_device as *mut c_void,
        b"cudaLibraryLoadData" => library::library_load_data as *mut c_void,
        b"cudaLibraryUnload" => library::library_unload as *mut c_void,
        b"cudaLibraryGetKernel" => library::library_get_kernel as *mut c_void,
        b"cudaLibraryGetKernelCount" => library::library_get_kernel_count as *mut c_void,
        b"cudaLibraryEnumerateKernels" => library::library_enumerate_kernels as *mut c_void,
        b"cudaKernelSetAttributeForDevice" => kernel::kernel_set_attribute_for_device as *mut c_void,
        b"cudaFuncGetName" => kernel::func_get_name as *mut c_void,
        b"cudaFuncGetParamInfo" => kernel::func_get_param_info as *mut c_void,
        b"cudaLibraryLoadFromFile" => refused::library_load_from_file as *mut c_void,
        _ => return refused::newer(name),
    };
    NonNull::new(address)
}

/// Makes the table of a release.
pub(crate) fn build(release: Release) -> CudaRuntime {
    let lookup = |name: &CStr| newer(name).filter(|_| name.to_str().is_ok_and(|name| release.has(name)));
    // SAFETY: each address is that of a function of this program with the parameters that the headers declare, up to the names
    // of handles and enumerations.
    let mut table = unsafe { CudaRuntime::from_lookup(lookup) };
    refused::fill(&mut table);
    table.cudaDeviceCanAccessPeer = Some(peer::can_access_peer);
    table.cudaDeviceDisablePeerAccess = Some(peer::disable_peer_access);
    table.cudaDeviceEnablePeerAccess = Some(peer::enable_peer_access);
    table.cudaDeviceGetAttribute = Some(properties::get_attribute);
    table.cudaDeviceGetByPCIBusId = Some(properties::get_by_pci_bus_id);
    table.cudaDeviceGetDefaultMemPool = Some(pool::get_default_pool);
    table.cudaDeviceGetLimit = Some(device::get_limit);
    table.cudaDeviceGetMemPool = Some(pool::get_pool);
    table.cudaDeviceGetP2PAttribute = Some(peer::get_p2p_attribute);
    table.cudaDeviceGetPCIBusId = Some(properties::get_pci_bus_id);
    table.cudaDeviceGetStreamPriorityRange = Some(stream::priority_range);
    table.cudaDeviceGraphMemTrim = Some(device::graph_mem_trim);
    table.cudaDeviceReset = Some(device::device_reset);
    table.cudaDeviceSetLimit = Some(device::set_limit);
    table.cudaDeviceSetMemPool = Some(pool::set_pool);
    table.cudaDeviceSynchronize = Some(device::device_synchronize);
    table.cudaDriverGetVersion = Some(device::driver_get_version);
    table.cudaEventCreate = Some(event::event_create);
    table.cudaEventCreateWithFlags = Some(event::event_create_with_flags);
    table.cudaEventDestroy = Some(event::event_destroy);
    table.cudaEventElapsedTime = Some(event::event_elapsed_time);
    table.cudaEventQuery = Some(event::event_query);
    table.cudaEventRecord = Some(event::event_record);
    table.cudaEventRecordWithFlags = Some(event::event_record_with_flags);
    table.cudaEventSynchronize = Some(event::event_synchronize);
    table.cudaFree = Some(memory::free);
    table.cudaFreeAsync = Some(pool::alloc::free_async);
    table.cudaFreeHost = Some(host::free_host);
    table.cudaFuncGetAttributes = Some(kernel::func_get_attributes);
    table.cudaFuncSetAttribute = Some(kernel::func_set_attribute);
    table.cudaGetDevice = Some(device::get_device);
    table.cudaGetDeviceCount = Some(device::get_device_count);
    table.cudaGetDeviceFlags = Some(device::get_device_flags);
    table.cudaGetDeviceProperties = Some(properties::get_properties);
    table.cudaGetDriverEntryPoint = Some(driver::get_entry_point);
    table.cudaGetErrorName = Some(error::get_error_name);
    table.cudaGetErrorString = Some(error::get_error_string);
    table.cudaGetLastError = Some(call::get_last_error);
    table.cudaPeekAtLastError = Some(call::peek_at_last_error);
    table.cudaGraphClone = Some(graph::graph_clone);
    table.cudaGraphDestroy = Some(graph::graph_destroy);
    table.cudaGraphExecDestroy = Some(graph::graph_exec_destroy);
    table.cudaGraphExecUpdate = Some(graph_update::graph_exec_update);
    table.cudaGraphGetNodes = Some(graph::graph_get_nodes);
    table.cudaGraphInstantiateWithFlags = Some(graph::graph_instantiate);
    table.cudaGraphLaunch = Some(graph::graph_launch);
    table.cudaGraphNodeGetType = Some(graph::graph_node_get_type);
    table.cudaGraphUpload = Some(graph::graph_upload);
    table.cudaHostAlloc = Some(host::host_alloc);
    table.cudaHostGetDevicePointer = Some(host::host_get_device_pointer);
    table.cudaHostGetFlags = Some(host::host_get_flags);
    table.cudaHostRegister = Some(host::host_register);
    table.cudaHostUnregister = Some(host::host_unregister);
    table.cudaInitDevice = Some(device::init_device);
    table.cudaIpcCloseMemHandle = Some(ipc::memory::close_mem_handle);
    table.cudaIpcGetEventHandle = Some(ipc::event::get_event_handle);
    table.cudaIpcGetMemHandle = Some(ipc::memory::get_mem_handle);
    table.cudaIpcOpenEventHandle = Some(ipc::event::open_event_handle);
    table.cudaIpcOpenMemHandle = Some(ipc::memory::open_mem_handle);
    table.cudaLaunchHostFunc = Some(stream::launch_host_func);
    table.cudaLaunchKernel = Some(launch::launch_kernel);
    table.cudaLaunchKernelExC = Some(launch::launch_kernel_ex);
    table.cudaMalloc = Some(memory::malloc);
    table.cudaMalloc3D = Some(memory::malloc_3d);
    table.cudaMallocAsync = Some(pool::alloc::malloc_async);
    table.cudaMallocFromPoolAsync = Some(pool::alloc::malloc_from_pool_async);
    table.cudaMallocHost = Some(host::malloc_host);
    table.cudaMallocPitch = Some(memory::malloc_pitch);
    table.cudaMemGetInfo = Some(memory::mem_get_info);
    table.cudaMemPoolCreate = Some(pool::pool_create);
    table.cudaMemPoolExportPointer = Some(ipc::pool::export_pointer);
    table.cudaMemPoolExportToShareableHandle = Some(ipc::pool::export_pool);
    table.cudaMemPoolImportFromShareableHandle = Some(ipc::pool::import_pool);
    table.cudaMemPoolImportPointer = Some(ipc::pool::import_pointer);
    table.cudaMemPoolDestroy = Some(pool::pool_destroy);
    table.cudaMemPoolGetAccess = Some(pool::access::pool_get_access);
    table.cudaMemPoolGetAttribute = Some(pool::attributes::pool_get_attribute);
    table.cudaMemPoolSetAccess = Some(pool::access::pool_set_access);
    table.cudaMemPoolSetAttribute = Some(pool::attributes::pool_set_attribute);
    table.cudaMemPoolTrimTo = Some(pool::attributes::pool_trim_to);
    table.cudaMemcpy = Some(memcpy::memcpy);
    table.cudaMemcpy2D = Some(memcpy3d::memcpy_2d);
    table.cudaMemcpy2DAsync = Some(memcpy3d::memcpy_2d_async);
    table.cudaMemcpy3D = Some(memcpy3d::memcpy_3d);
    table.cudaMemcpy3DAsync = Some(memcpy3d::memcpy_3d_async);
    table.cudaMemcpy3DPeer = Some(memcpy3d::memcpy_3d_peer);
    table.cudaMemcpy3DPeerAsync = Some(memcpy3d::memcpy_3d_peer_async);
    table.cudaMemcpyAsync = Some(memcpy::memcpy_async);
    table.cudaMemcpyPeer = Some(memcpy::memcpy_peer);
    table.cudaMemcpyPeerAsync = Some(memcpy::memcpy_peer_async);
    table.cudaMemset = Some(memcpy::memset);
    table.cudaMemset2D = Some(memcpy3d::memset_2d);
    table.cudaMemset2DAsync = Some(memcpy3d::memset_2d_async);
    table.cudaMemset3D = Some(memcpy3d::memset_3d);
    table.cudaMemset3DAsync = Some(memcpy3d::memset_3d_async);
    table.cudaMemsetAsync = Some(memcpy::memset_async);
    table.cudaOccupancyMaxActiveBlocksPerMultiprocessor = Some(launch::max_active_blocks);
    table.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags = Some(launch::max_active_blocks_with_flags);
    table.cudaPointerGetAttributes = Some(host::pointer_get_attributes);
    table.cudaRuntimeGetVersion = Some(device::runtime_get_version);
    table.cudaSetDevice = Some(device::set_device);
    table.cudaSetDeviceFlags = Some(device::set_device_flags);
    table.cudaStreamBeginCapture = Some(capture::stream_begin_capture);
    table.cudaStreamCreate = Some(stream::stream_create);
    table.cudaStreamCreateWithFlags = Some(stream::stream_create_with_flags);
    table.cudaStreamCreateWithPriority = Some(stream::stream_create_with_priority);
    table.cudaStreamDestroy = Some(stream::stream_destroy);
    table.cudaStreamEndCapture = Some(capture::stream_end_capture);
    table.cudaStreamGetFlags = Some(stream::stream_get_flags);
    table.cudaStreamGetId = Some(stream::stream_get_id);
    table.cudaStreamGetPriority = Some(stream::stream_get_priority);
    table.cudaStreamIsCapturing = Some(capture::stream_is_capturing);
    table.cudaStreamQuery = Some(stream::stream_query);
    table.cudaStreamSynchronize = Some(stream::stream_synchronize);
    table.cudaStreamWaitEvent = Some(event::stream_wait_event);
    table.cudaThreadExchangeStreamCaptureMode = Some(capture::thread_exchange_mode);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::NEWEST;

    #[test]
    fn what_a_release_has_is_there_and_nothing_else() {
        let older = [(12, 0), (12, 4), (12, 8)].map(|(major, minor)| Release::unchecked(major, minor));
        for release in older.into_iter().filter(|it| *it <= NEWEST).chain([NEWEST]) {
            let table = build(release);
            for (name, present) in CudaRuntime::ENTRIES {
                assert_eq!(present(&table), release.has(name), "{name} in {release}");
            }
        }
    }
}
