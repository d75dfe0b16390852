//! Copies between devices are exact at every size and offset, direct and staged, and touch nothing beside the range.
//! Mistakes are typed. Says nothing of speed.

mod common;

use common::pair;
use cuda_p2p::{CopyPath, Device, Error, StagedReason, Stream};

/// The smallest and the largest chunk of a staged copy.
const CHUNK: usize = 256 << 10;
const LARGEST: usize = 4 << 20;
const CANARY: u8 = 0xc3;
/// Bytes on both sides of a range.
const MARGIN: usize = 67;

/// Copies `bytes` bytes from an odd offset to another one, and looks at all of the destination.
fn exact(stream: &Stream, from: Device, to: Device, bytes: usize, expected: CopyPath) {
    let data: Vec<u8> = (0..bytes + 2 * MARGIN).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    let source = from.alloc_from(&data).unwrap();
    let mut destination = to.alloc_from(&vec![CANARY; bytes + 2 * MARGIN]).unwrap();
    let path = stream
        .copy_peer_async(
            destination.slice_mut(MARGIN..MARGIN + bytes).unwrap(),
            source.slice(MARGIN - 2..MARGIN - 2 + bytes).unwrap(),
        )
        .unwrap();
    assert_eq!(path, expected);
    // The source goes away while the copy may still run.
    drop(source);
    let arrived = destination.to_vec().unwrap();
    assert!(arrived[MARGIN..MARGIN + bytes] == data[MARGIN - 2..MARGIN - 2 + bytes], "{bytes} bytes");
    assert!(
        arrived[..MARGIN].iter().chain(&arrived[MARGIN + bytes..]).all(|byte| *byte == CANARY),
        "{bytes} bytes"
    );
}

#[test]
fn staged_and_direct_copies_are_exact() {
    let (runtime, a, b) = pair();
    let streams = [a.new_stream().unwrap(), b.new_stream().unwrap()];
    let staged = CopyPath::Staged { reason: StagedReason::NotEnabled };
    for bytes in [0, 1, 3, 4095, 4097, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7, 5 * LARGEST + 7] {
        exact(&streams[0], a, b, bytes, staged);
        exact(&streams[1], a, b, bytes, staged);
    }
    let access = a.enable_peer_access(&b).unwrap();
    for bytes in [0, 1, 3, 4095, 4097, CHUNK + 1] {
        // One direction of access makes both directions of copies direct.
        exact(&streams[0], a, b, bytes, CopyPath::Direct);
        exact(&streams[0], b, a, bytes, CopyPath::Direct);
    }
    access.disable().unwrap();
    exact(&streams[0], b, a, 4097, staged);
    assert_eq!(runtime.deferred_errors(), []);
}

#[test]
fn two_streams_stage_at_once() {
    let (_, a, b) = pair();
    std::thread::scope(|scope| {
        for device in [a, b] {
            scope.spawn(move || {
                let stream = device.new_stream().unwrap();
                for bytes in [4097, CHUNK + 1, LARGEST, 3 * LARGEST] {
                    let data = vec![bytes as u8; bytes];
                    let source = b.alloc_from(&data).unwrap();
                    let mut destination = a.alloc_zeroed::<u8>(bytes).unwrap();
                    stream.copy_peer_async(&mut destination, &source).unwrap();
                    assert!(destination.to_vec().unwrap() == data);
                }
            });
        }
    });
}

#[test]
fn lengths_and_devices_that_do_not_fit_are_named() {
    let (_, a, b) = pair();
    let stream = a.new_stream().unwrap();
    let mut five = a.alloc_zeroed::<u32>(5).unwrap();
    let four = b.alloc_zeroed::<u32>(4).unwrap();
    let error = stream.copy_peer_async(&mut five, &four).unwrap_err();
    assert_eq!(error, Error::SizeMismatch { destination: 5, source_len: 4 });
    assert!(error.to_string().contains('5') && error.to_string().contains('4'), "{error}");
    let foreign = Error::WrongDevice { what: "the slice", expected: 0, found: 1 };
    assert!(foreign.to_string().contains("copy_peer_async"), "{foreign}");
    assert_eq!(stream.copy_to_host(&four, &mut [0; 4]).unwrap_err(), foreign);
    assert_eq!(stream.copy_async(five.slice_mut(..4).unwrap(), &four).unwrap_err(), foreign);
    assert_eq!(five.slice(2..6).unwrap_err(), Error::OutOfBounds { start: 2, end: 6, len: 5 });
    let error = five.slice(1..).unwrap().cast::<u64>();
    assert!(matches!(error, Err(Error::BadCast { misalignment: 4, .. })), "{error:?}");
    assert!(matches!(a.alloc_zeroed::<u64>(usize::MAX / 4), Err(Error::TooLarge { .. })));
}

#[test]
fn pinned_memory_is_read_after_the_copy_into_it() {
    let (_, a, _) = pair();
    let stream = a.new_stream().unwrap();
    let mut device = a.alloc_zeroed::<u64>(100_000).unwrap();
    let source = a.alloc_pinned_from(&(0..100_000).collect::<Vec<u64>>()).unwrap();
    let mut back = a.alloc_pinned_zeroed::<u64>(100_000).unwrap();
    stream.copy_from_pinned_async(&mut device, &source).unwrap();
    stream.copy_to_pinned_async(&device, &mut back).unwrap();
    assert!(back.read().unwrap() == source.read().unwrap());
    stream.fill_bytes_async(&mut device, 0xff).unwrap();
    stream.copy_to_pinned_async(&device, &mut back).unwrap();
    assert!(back.write().unwrap().iter().all(|element| *element == u64::MAX));
}
