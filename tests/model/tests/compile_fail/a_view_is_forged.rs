use cuda_p2p::{DeviceSlice, PeerAccess, PeerAtomicSlice, PeerSlice, PeerSliceMut};

fn main() {}

fn peer<'a>(access: &'a PeerAccess, memory: DeviceSlice<'a, f32>) -> PeerSlice<'a, f32> {
    PeerSlice::new(access, memory)
}

fn atomic<'a>(view: PeerSliceMut<'a, u32>) -> PeerAtomicSlice<'a, u32> {
    PeerAtomicSlice(view)
}
