//! What may be sent to and shared between threads: everything that is a handle or memory, because the CUDA runtime's
//! handles may be used from any thread, and order and lifetime are kept by locks of this crate. Slices follow the
//! rules of `&` and `&mut`.

use cuda_p2p::{
    Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, Error, Event, Kernel, PeerAccess, PeerSlice,
    PeerSliceMut, PinnedBuffer, Runtime, Stream, builtin,
};

fn send_and_sync<T: Send + Sync>() {}

fn element<T: cuda_p2p::bytemuck::Pod>() {}

#[test]
fn half_precision_types_are_elements() {
    element::<cuda_p2p::half::f16>();
    element::<cuda_p2p::half::bf16>();
}

#[test]
fn handles_and_memory_may_go_to_any_thread() {
    send_and_sync::<Runtime>();
    send_and_sync::<Device>();
    send_and_sync::<Stream>();
    send_and_sync::<Event>();
    send_and_sync::<PeerAccess>();
    send_and_sync::<DeviceBuffer<f32>>();
    send_and_sync::<DeviceSlice<'_, f32>>();
    send_and_sync::<DeviceSliceMut<'_, f32>>();
    send_and_sync::<PeerSlice<'_, f32>>();
    send_and_sync::<PeerSliceMut<'_, f32>>();
    send_and_sync::<PinnedBuffer<f32>>();
    send_and_sync::<Kernel>();
    send_and_sync::<builtin::Kernels>();
    send_and_sync::<Error>();
}
