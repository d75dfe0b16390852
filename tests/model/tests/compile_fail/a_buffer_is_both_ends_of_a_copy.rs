use cuda_p2p::{DeviceBuffer, Stream};

fn main() {}

fn copy(stream: &Stream, memory: &mut DeviceBuffer<f32>) {
    stream.copy_async(&mut *memory, &*memory).unwrap();
}
