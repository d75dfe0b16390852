use cuda_p2p::{Device, VirtualRange};

fn main() {}

fn both(range: &mut VirtualRange, a: &Device, b: &Device) -> usize {
    let ours = range.slice_mut::<f32>(a, ..10).unwrap();
    let theirs = range.slice_mut::<f32>(b, ..10).unwrap();
    ours.len() + theirs.len()
}
