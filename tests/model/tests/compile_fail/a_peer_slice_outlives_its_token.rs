use cuda_p2p::{Device, DeviceBuffer, PeerSliceMut};

fn main() {}

fn view<'a>(accessor: &Device, owner: &Device, memory: &'a mut DeviceBuffer<f32>) -> PeerSliceMut<'a, f32> {
    let access = accessor.enable_peer_access(owner).unwrap();
    access.slice_mut(memory).unwrap()
}
