//! Every kind of call says what it does with its memory, so that others wait for the right things.

use cuda_p2p::{Device, DeviceBuffer, Stream};
use cuda_p2p_model::{World, under_seeds};

use crate::{ONE, PAIR, SLOW};

/// `write` writes [7, 7, 7, 7] to the memory; a read and a write by other streams come in the right order with it.
fn a_write_is_a_write(write: impl Fn(&World, Device, &Stream, &mut DeviceBuffer<u8>)) {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 3].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[1u8; 4]).unwrap();
        let mut seen = [(); 2].map(|()| device.alloc_zeroed::<u8>(4).unwrap());
        world.kernels.delay(&streams[0], ONE, 10 * SLOW).unwrap();
        streams[0].copy_async(&mut seen[0], &memory).unwrap();
        world.kernels.delay(&streams[1], ONE, SLOW).unwrap();
        write(world, device, &streams[1], &mut memory);
        streams[2].copy_async(&mut seen[1], &memory).unwrap();
        assert_eq!(seen.map(|it| it.to_vec().unwrap()), [[1; 4], [7; 4]]);
    });
}

/// `read` copies the memory, which is [1, 1, 1, 1], to a new buffer; a write by another stream comes after it, and before it.
fn a_read_is_a_read(read: impl Fn(&World, Device, &Stream, &DeviceBuffer<u8>) -> DeviceBuffer<u8>) {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 3].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u8>(4).unwrap();
        world.kernels.delay(&streams[0], ONE, SLOW).unwrap();
        streams[0].fill_bytes_async(&mut memory, 1).unwrap();
        world.kernels.delay(&streams[1], ONE, SLOW).unwrap();
        let seen = read(world, device, &streams[1], &memory);
        streams[2].fill_bytes_async(&mut memory, 2).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [1; 4]);
    });
}

#[test]
fn a_fill_writes() {
    a_write_is_a_write(|_, _, stream, memory| stream.fill_bytes_async(memory, 7).unwrap());
}

#[test]
fn a_copy_writes_its_destination() {
    a_write_is_a_write(|_, device, stream, memory| {
        let source = device.alloc_from(&[7u8; 4]).unwrap();
        stream.copy_async(memory, &source).unwrap();
    });
}

#[test]
fn a_copy_reads_its_source() {
    a_read_is_a_read(|_, device, stream, memory| {
        let mut seen = device.alloc_zeroed::<u8>(4).unwrap();
        stream.copy_async(&mut seen, memory).unwrap();
        seen
    });
}

#[test]
fn an_upload_writes() {
    a_write_is_a_write(|_, _, stream, memory| stream.copy_from_host(memory, &[7; 4]).unwrap());
}

#[test]
fn a_download_reads() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let streams = [(); 2].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_zeroed::<u8>(4).unwrap();
        world.kernels.delay(&streams[0], ONE, SLOW).unwrap();
        streams[0].fill_bytes_async(&mut memory, 1).unwrap();
        let mut seen = [0; 4];
        streams[1].copy_to_host(&memory, &mut seen).unwrap();
        assert_eq!(seen, [1; 4]);
    });
}

#[test]
fn a_copy_from_pinned_memory_writes() {
    a_write_is_a_write(|_, device, stream, memory| {
        let source = device.alloc_pinned_from(&[7u8; 4]).unwrap();
        stream.copy_from_pinned_async(memory, &source).unwrap();
    });
}

#[test]
fn a_kernel_writes_what_it_may_write() {
    a_write_is_a_write(|world, _, stream, memory| {
        let words = memory.as_slice_mut().cast::<u32>().unwrap();
        world.kernels.delayed_store(stream, ONE, words, 0x0707_0707, SLOW).unwrap();
    });
}

#[test]
fn a_kernel_reads_what_it_may_read() {
    a_read_is_a_read(|world, device, stream, memory| {
        let mut seen = device.alloc_zeroed::<u8>(4).unwrap();
        world.kernels.copy(stream, ONE, &mut seen, memory, 4).unwrap();
        seen
    });
}

/// The peer of the device whose memory it is, and a stream there.
fn peer(world: &World) -> (Device, Stream) {
    let peer = world.runtime.device(1).unwrap();
    let stream = peer.new_stream().unwrap();
    world.kernels.delay(&stream, ONE, SLOW).unwrap();
    (peer, stream)
}

#[test]
fn a_kernel_writes_a_peers_memory() {
    a_write_is_a_write(|world, device, _, memory| {
        let (peer, stream) = peer(world);
        let access = peer.enable_peer_access(&device).unwrap();
        let words = memory.as_slice_mut().cast::<u32>().unwrap();
        let view = access.slice_mut(words).unwrap();
        world.kernels.delayed_store(&stream, ONE, view, 0x0707_0707, SLOW).unwrap();
    });
}

#[test]
fn a_kernel_reads_a_peers_memory() {
    a_read_is_a_read(|world, device, _, memory| {
        let (peer, stream) = peer(world);
        let access = peer.enable_peer_access(&device).unwrap();
        let mut seen = peer.alloc_zeroed::<u8>(4).unwrap();
        world.kernels.fetch(&stream, ONE, &mut seen, access.slice(memory).unwrap(), 4).unwrap();
        seen
    });
}

#[test]
fn a_kernel_that_counts_in_a_peers_memory_writes() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let (peer, stream) = peer(world);
        let access = peer.enable_peer_access(&device).unwrap();
        let reader = device.new_stream().unwrap();
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let mut seen = device.alloc_zeroed::<u32>(1).unwrap();
        world.counting.count(&stream, ONE, access.slice_atomic(&mut memory).unwrap(), 6).unwrap();
        reader.copy_async(&mut seen, &memory).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7]);
    });
}
