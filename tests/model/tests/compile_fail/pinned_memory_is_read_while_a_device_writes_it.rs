use cuda_p2p::{DeviceBuffer, PinnedBuffer, Stream};

fn main() {}

fn race(stream: &Stream, memory: &DeviceBuffer<u8>, pinned: &mut PinnedBuffer<u8>) -> u8 {
    let bytes = pinned.read().unwrap();
    stream.copy_to_pinned_async(memory, pinned).unwrap();
    bytes[0]
}
