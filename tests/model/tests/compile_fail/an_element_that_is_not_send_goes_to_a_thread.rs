use std::rc::Rc;

use cuda_p2p::{DeviceBuffer, PinnedBuffer};

fn main() {
    send::<DeviceBuffer<Rc<u8>>>();
    send::<PinnedBuffer<Rc<u8>>>();
}

fn send<T: Send>() {}
