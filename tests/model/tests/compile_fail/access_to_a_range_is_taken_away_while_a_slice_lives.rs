use cuda_p2p::{Device, VirtualRange};

fn main() {}

fn in_use(range: &mut VirtualRange, device: &Device) -> usize {
    let slice = range.slice::<f32>(device, ..).unwrap();
    range.disable_access_from(&[*device]).unwrap();
    slice.len()
}
