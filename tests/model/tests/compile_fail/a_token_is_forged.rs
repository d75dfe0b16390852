use cuda_p2p::PeerAccess;

fn main() {}

fn forge(real: &PeerAccess) -> PeerAccess {
    PeerAccess { pair: real.pair, generation: 0 }
}
