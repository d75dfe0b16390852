use cuda_p2p::PinnedBuffer;

fn main() {}

fn early(pinned: PinnedBuffer<u8>) -> u8 {
    let bytes = pinned.read().unwrap();
    drop(pinned);
    bytes[0]
}
