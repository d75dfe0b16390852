//! What a kernel or a copy engine may not touch is refused before it is asked to. A refusal that is missing shows as error
//! 700, or as something that was done after all.

use cuda_p2p::{Error, PeerAccess};
use cuda_p2p_model::under_seeds;

use crate::{ONE, PAIR, SLOW, STRANGERS};

#[test]
fn a_peer_slice_of_another_accessor() {
    under_seeds("devices=3", |world| {
        let devices = world.runtime.devices().unwrap();
        let access = devices[0].enable_peer_access(&devices[1]).unwrap();
        let stream = devices[2].new_stream().unwrap();
        let mut theirs = devices[1].alloc_zeroed::<u32>(1).unwrap();
        let view = access.slice_mut(&mut theirs).unwrap();
        let error = world.kernels.delayed_store(&stream, ONE, view, 7, SLOW).unwrap_err();
        let expected = Error::WrongDevice { what: "the peer slice's accessor", expected: 2, found: 0 };
        assert_eq!(error, expected);
        assert_eq!(theirs.to_vec().unwrap(), [0]);
    });
}

#[test]
fn a_peer_slice_of_memory_that_is_not_the_owners() {
    under_seeds("devices=3", |world| {
        let devices = world.runtime.devices().unwrap();
        let access = devices[0].enable_peer_access(&devices[1]).unwrap();
        let memory = devices[2].alloc_zeroed::<u32>(1).unwrap();
        let error = access.slice(&memory).map(drop).unwrap_err();
        assert_eq!(error, Error::WrongDevice { what: "the memory to view", expected: 1, found: 2 });
    });
}

#[test]
fn a_slice_of_another_device() {
    under_seeds(PAIR, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let stream = a.new_stream().unwrap();
        let mut theirs = b.alloc_zeroed::<u32>(1).unwrap();
        let expected = Error::WrongDevice { what: "the slice", expected: 0, found: 1 };
        let error = world.kernels.delayed_store(&stream, ONE, &mut theirs, 7, SLOW).unwrap_err();
        assert_eq!(error, expected);
        assert_eq!(stream.fill_bytes_async(&mut theirs, 7).unwrap_err(), expected);
        assert_eq!(theirs.to_vec().unwrap(), [0]);
    });
}

#[test]
fn more_elements_than_there_are() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_zeroed::<u8>(16).unwrap();
        let error = world.kernels.fill(&stream, ONE, &mut memory, 17, 1).unwrap_err();
        assert!(matches!(error, Error::Precondition { kernel: "fill", .. }), "{error}");
        assert_eq!(memory.to_vec().unwrap(), [0; 16]);
    });
}

#[test]
fn lengths_that_differ() {
    under_seeds(PAIR, |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut five = device.alloc_zeroed::<u8>(5).unwrap();
        let four = device.alloc_from(&[1u8; 4]).unwrap();
        let expected = Error::SizeMismatch { destination: 5, source_len: 4 };
        assert_eq!(stream.copy_async(&mut five, &four).unwrap_err(), expected);
        assert_eq!(stream.copy_from_host(&mut five, &[1; 4]).unwrap_err(), expected);
        assert_eq!(five.to_vec().unwrap(), [0; 5]);
    });
}

#[test]
fn atomics_where_the_pair_has_none() {
    under_seeds("devices=2 atomics=off", |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let access = a.enable_peer_access(&b).unwrap();
        let mut memory = b.alloc_zeroed::<u32>(1).unwrap();
        let error = access.slice_atomic(&mut memory).map(drop).unwrap_err();
        assert_eq!(error, Error::NoNativeAtomics { accessor: 0, owner: 1 });
    });
}

#[test]
fn access_of_a_device_to_itself_and_of_strangers() {
    under_seeds(STRANGERS, |world| {
        let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
        let error = a.enable_peer_access(&a).map(drop).unwrap_err();
        assert_eq!(error, Error::SameDevice { device: 0 });
        let error = PeerAccess::enable_both(&a, &b).map(drop).unwrap_err();
        assert_eq!(error, Error::PeerUnreachable { accessor: 0, owner: 1 });
    });
}
