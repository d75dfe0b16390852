use cuda_p2p::{DeviceBuffer, PeerAccess};

fn main() {}

fn disable(access: PeerAccess, memory: &DeviceBuffer<f32>) {
    access.disable().unwrap();
    access.slice(memory).unwrap();
}
