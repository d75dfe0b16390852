use cuda_p2p::{Device, DeviceBuffer, Result};

fn main() {}

#[derive(Clone, Copy)]
struct Choice(bool);

fn allocate(device: &Device) -> Result<DeviceBuffer<Choice>> {
    device.alloc_zeroed(4)
}
