use cuda_p2p::{PhysicalMemory, VirtualRange};

fn main() {}

fn twice(range: &mut VirtualRange, memory: PhysicalMemory) {
    range.map(0, memory).unwrap();
    range.map(2 << 20, memory).unwrap();
}
