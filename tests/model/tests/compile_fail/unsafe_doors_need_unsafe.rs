use cuda_p2p::{Device, DeviceSlice, PeerSliceMut, Stream};

fn main() {}

fn doors(device: &Device, slice: DeviceSlice<'_, u8>, view: PeerSliceMut<'_, u8>) {
    device.reset().unwrap();
    device.alloc_uninit::<u8>(4).unwrap();
    slice.unordered();
    view.unordered();
    Stream::borrow_raw(device, std::ptr::null_mut()).unwrap();
}
