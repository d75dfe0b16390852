use cuda_p2p::{DeviceBuffer, PinnedBuffer, Stream};

fn main() {}

fn race(stream: &Stream, memory: &mut DeviceBuffer<u8>, pinned: &mut PinnedBuffer<u8>) {
    let mut bytes = pinned.write().unwrap();
    stream.copy_from_pinned_async(memory, pinned).unwrap();
    bytes[0] = 1;
}
