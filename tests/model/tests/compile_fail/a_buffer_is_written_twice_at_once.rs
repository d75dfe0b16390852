use cuda_p2p::{DeviceBuffer, Stream};

fn main() {}

fn overlap(stream: &Stream, memory: &mut DeviceBuffer<f32>) {
    let first = memory.slice_mut(..8).unwrap();
    let second = memory.slice_mut(4..).unwrap();
    stream.fill_bytes_async(first, 1).unwrap();
    stream.fill_bytes_async(second, 2).unwrap();
}
