use cuda_p2p::{Device, PeerAccess, PeerSlice};

fn main() {}

fn view<'a>(access: &'a PeerAccess, owner: &Device) -> PeerSlice<'a, f32> {
    let memory = owner.alloc_zeroed::<f32>(4).unwrap();
    access.slice(&memory).unwrap()
}
