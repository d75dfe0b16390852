use cuda_p2p::{Device, VirtualRange};

fn main() {}

fn moved(range: VirtualRange, device: &Device) -> usize {
    let slice = range.slice::<f32>(device, ..).unwrap();
    drop(range);
    slice.len()
}
