use cuda_p2p::DeviceBuffer;

fn main() {}

fn moved(memory: DeviceBuffer<f32>) -> usize {
    let slice = memory.as_slice();
    let elsewhere = memory;
    slice.len() + elsewhere.len()
}
