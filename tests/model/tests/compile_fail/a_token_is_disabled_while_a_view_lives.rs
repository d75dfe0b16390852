use cuda_p2p::{DeviceBuffer, PeerAccess};

fn main() {}

fn disable(access: PeerAccess, memory: &DeviceBuffer<f32>) -> usize {
    let view = access.slice(memory).unwrap();
    access.disable().unwrap();
    view.len()
}
