use cuda_p2p::{PeerSliceMut, DeviceSliceMut};

fn main() {}

fn device<'a>(view: DeviceSliceMut<'a, u32>) -> [DeviceSliceMut<'a, u32>; 2] {
    [view, view]
}

fn peer<'a>(view: PeerSliceMut<'a, u32>) -> [PeerSliceMut<'a, u32>; 2] {
    [view.clone(), view]
}
