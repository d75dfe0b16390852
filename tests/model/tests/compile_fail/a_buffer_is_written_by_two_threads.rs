use cuda_p2p::{DeviceBuffer, Stream};

fn main() {}

fn race(streams: [Stream; 2], memory: &mut DeviceBuffer<u8>) {
    std::thread::scope(|scope| {
        scope.spawn(|| streams[0].fill_bytes_async(&mut *memory, 1).unwrap());
        scope.spawn(|| streams[1].fill_bytes_async(&mut *memory, 2).unwrap());
    });
}
