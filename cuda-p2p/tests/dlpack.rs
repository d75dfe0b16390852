//! Tensors that come by DLPack, where they are used: on GPUs if there are two, on a simulated pair otherwise.

mod common;
#[path = "common/pair.rs"]
mod pair;

use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use common::raw;
use common::tensor::{RELEASED, Tensor};
use cuda_p2p::{DlpackElement, DlpackTensor, Error, ForeignError, LaunchConfig, Stream, TensorError, half};
use pair::{Pair, pair};

const FLOAT: (u8, u8) = (2, 32);
const CUDA: i32 = 2;

/// A pair, and what a producer of tensors lends: 12 floats of the second device, 0, 1, 2, ...
struct Lender {
    pair: Pair,
    data: *mut f32,
}

impl Deref for Lender {
    type Target = Pair;

    fn deref(&self) -> &Pair {
        &self.pair
    }
}

fn lender() -> Lender {
    let pair = pair();
    let data =
        pair.b.alloc_from(&std::array::from_fn::<f32, 12, _>(|i| i as f32)).expect("memory").into_raw();
    RELEASED.store(0, Ordering::SeqCst);
    Lender { pair, data }
}

impl Lender {
    fn tensor<'t>(&self, shape: &'t [i64], strides: Option<&'t [i64]>) -> Tensor<'t> {
        Tensor { data: self.data, place: (CUDA, 1), element: FLOAT, shape, strides, byte_offset: 0 }
    }

    fn end(self) {
        self.b.synchronize().unwrap();
        assert_eq!(raw::free(&self.b, self.data), 0, "it was not freed here");
        assert_eq!(self.runtime.deferred_errors(), []);
    }
}

fn import<T: DlpackElement>(stream: &Stream, tensor: &Tensor<'_>) -> Result<DlpackTensor<T>, Error> {
    // SAFETY: what it describes lives until the test ends, and nobody else uses it, or it is refused.
    unsafe { DlpackTensor::from_raw(stream, tensor.legacy()) }
}

fn problem<T: std::fmt::Debug>(outcome: Result<T, Error>) -> TensorError {
    match outcome {
        Err(Error::Foreign(ForeignError::Tensor(problem))) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tensor_of_the_peer_is_read_and_released_when_that_is_done() {
    let pair = lender();
    let access = pair.a.enable_peer_access(&pair.b).unwrap();
    let (ready, stream) = (pair.b.new_stream().unwrap(), pair.a.new_stream().unwrap());
    let tensor = import::<f32>(&ready, &pair.tensor(&[3, 4], None)).unwrap();
    assert_eq!((tensor.device(), tensor.shape(), tensor.strides()), (pair.b, &[3, 4][..], &[4, 1][..]));
    assert!(tensor.is_contiguous() && !tensor.is_read_only() && tensor.len() == 12 && tensor.first() == 0);
    let mut y = pair.a.alloc_from(&[0.5f32; 12]).unwrap();
    let mut word = pair.a.alloc_zeroed::<u32>(1).unwrap();
    // The read stands behind something slow.
    pair.kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut word, 1, 200_000_000).unwrap();
    let view = access.slice(tensor.as_slice().unwrap()).unwrap();
    pair.kernels.add_f32(&stream, LaunchConfig::for_elements(12), &mut y, view, 12).unwrap();
    drop(tensor);
    assert!(!stream.is_done().unwrap(), "the drop waited");
    assert_eq!(RELEASED.load(Ordering::SeqCst), 0, "the kernel is still to read it");
    assert_eq!(y.to_vec().unwrap(), std::array::from_fn::<f32, 12, _>(|i| i as f32 + 0.5));
    pair.a.synchronize().unwrap();
    assert_eq!(RELEASED.load(Ordering::SeqCst), 1);
    pair.end();
}

/// Work that the producer has in its stream is waited for by every other stream.
#[test]
fn it_is_ready_when_the_given_stream_is() {
    let pair = lender();
    let ready = pair.b.new_stream().unwrap();
    {
        // SAFETY: the producer's own view; it puts its work into `ready`.
        let mut theirs =
            unsafe { cuda_p2p::DeviceBuffer::borrow_raw(&pair.b, pair.data.cast::<u32>(), 12) }.unwrap();
        let late = &mut theirs;
        pair.kernels
            .delayed_store(&ready, LaunchConfig::new(1, 1), late, 7.0f32.to_bits(), 100_000_000)
            .unwrap();
    }
    let tensor = import::<f32>(&ready, &pair.tensor(&[12], None)).unwrap();
    let mut y = pair.b.alloc_zeroed::<f32>(12).unwrap();
    pair.b.new_stream().unwrap().copy_async(&mut y, tensor.as_slice().unwrap()).unwrap();
    assert_eq!(y.to_vec().unwrap()[..2], [7.0, 1.0]);
    drop(tensor);
    pair.end();
}

#[test]
fn a_versioned_tensor_says_whether_it_may_be_written() {
    let pair = lender();
    let stream = pair.b.new_stream().unwrap();
    let described = pair.tensor(&[12], Some(&[1]));
    for (flags, writable) in [(0, true), (1, false), (2, true)] {
        // SAFETY: as for `import`.
        let mut tensor =
            unsafe { DlpackTensor::<f32>::from_raw_versioned(&stream, described.versioned([1, 1], flags)) }
                .unwrap();
        assert_eq!(tensor.is_read_only(), !writable);
        match tensor.as_slice_mut() {
            Ok(slice) => assert!(writable && slice.len() == 12),
            Err(error) => assert_eq!((error, writable), (TensorError::ReadOnly.into(), false)),
        }
        assert_eq!(tensor.as_slice().unwrap().len(), 12);
    }
    pair.b.synchronize().unwrap();
    assert_eq!(RELEASED.load(Ordering::SeqCst), 3);
    // Its fields may be others: it is released, and not looked at.
    // SAFETY: as for `import`.
    let newer = unsafe { DlpackTensor::<f32>::from_raw_versioned(&stream, described.versioned([2, 0], 0)) };
    assert!(matches!(problem(newer), TensorError::Descriptor { .. }));
    assert_eq!(RELEASED.load(Ordering::SeqCst), 4);
    pair.end();
}

/// A transposed, a reversed, a broadcast and a sliced one.
#[test]
fn strides_and_offsets_are_kept() {
    let pair = lender();
    let stream = pair.b.new_stream().unwrap();
    let transposed = import::<f32>(&stream, &pair.tensor(&[4, 3], Some(&[1, 4]))).unwrap();
    assert!(!transposed.is_contiguous());
    assert_eq!(transposed.as_slice().unwrap_err(), TensorError::NotContiguous.into());
    assert_eq!((transposed.strides(), transposed.storage().len(), transposed.first()), (&[1, 4][..], 12, 0));

    // SAFETY: within the memory.
    let last = unsafe { pair.data.add(11) };
    let reversed = Tensor { data: last, ..pair.tensor(&[12], Some(&[-1])) };
    let reversed = import::<f32>(&stream, &reversed).unwrap();
    assert_eq!((reversed.storage().len(), reversed.first(), reversed.is_contiguous()), (12, 11, false));
    assert_eq!(reversed.storage().as_raw(), pair.data.cast_const());

    let broadcast = import::<f32>(&stream, &pair.tensor(&[1000, 3], Some(&[0, 1]))).unwrap();
    assert_eq!((broadcast.len(), broadcast.storage().len(), broadcast.is_contiguous()), (3000, 3, false));

    let sliced = Tensor { byte_offset: 20, ..pair.tensor(&[1, 3], Some(&[99, 1])) };
    let sliced = import::<f32>(&stream, &sliced).unwrap();
    assert!(sliced.is_contiguous(), "the stride of a single row says nothing");
    let mut y = pair.b.alloc_zeroed::<f32>(3).unwrap();
    stream.copy_async(&mut y, sliced.as_slice().unwrap()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5.0, 6.0, 7.0]);

    let empty = Tensor { data: null_mut(), ..pair.tensor(&[0, 5], None) };
    let empty = import::<f32>(&stream, &empty).unwrap();
    assert!(empty.is_empty() && empty.as_slice().unwrap().is_empty());
    assert_eq!(RELEASED.load(Ordering::SeqCst), 1, "there is nothing to keep");
    drop((transposed, reversed, broadcast, sliced, empty));
    pair.b.synchronize().unwrap();
    assert_eq!(RELEASED.load(Ordering::SeqCst), 5);
    pair.end();
}

#[test]
fn what_cannot_be_taken_is_refused_and_released() {
    let pair = lender();
    let stream = pair.b.new_stream().unwrap();
    let good = || pair.tensor(&[12], None);
    let mut refused = 0;
    let mut was_released = || {
        refused += 1;
        assert_eq!(RELEASED.load(Ordering::SeqCst), refused);
    };
    for device_type in [1, 3, 10, 13] {
        let tensor = Tensor { place: (device_type, 1), ..good() };
        assert_eq!(
            problem(import::<f32>(&stream, &tensor)),
            TensorError::NotOnDevice { device_type: device_type as u32 }
        );
        was_released();
    }
    assert!(matches!(
        problem(import::<i32>(&stream, &good())),
        TensorError::ElementType { wanted: "i32", .. }
    ));
    was_released();
    assert!(matches!(problem(import::<half::f16>(&stream, &good())), TensorError::ElementType { .. }));
    was_released();
    let complex = Tensor { element: (5, 64), ..good() };
    assert!(matches!(problem(import::<f64>(&stream, &complex)), TensorError::ElementType { .. }));
    was_released();
    for (shape, strides) in
        [(&[-1i64][..], None), (&[i64::MAX, 4], None), (&[2], Some(&[i64::MAX][..])), (&[2], Some(&[-99]))]
    {
        let outcome = import::<f32>(&stream, &pair.tensor(shape, strides));
        match outcome {
            // Below the allocation is some other address, or none.
            Err(Error::Foreign(_)) => {}
            other => panic!("{shape:?} {strides:?}: {other:?}"),
        }
        was_released();
    }
    let elsewhere = Tensor { place: (CUDA, 0), ..good() };
    let error = import::<f32>(&stream, &elsewhere).unwrap_err();
    assert_eq!(error, Error::WrongDevice { what: "the memory", expected: 0, found: 1 });
    was_released();
    let nowhere = Tensor { place: (CUDA, 99), ..good() };
    assert!(matches!(import::<f32>(&stream, &nowhere).unwrap_err(), Error::NoSuchDevice { ordinal: 99, .. }));
    was_released();
    let odd = Tensor { byte_offset: 1, ..pair.tensor(&[2], None) };
    let error = import::<f32>(&stream, &odd).unwrap_err();
    assert_eq!(error, Error::Foreign(ForeignError::Misaligned { misalignment: 1, align: 4 }));
    was_released();
    let null = Tensor { data: null_mut(), ..good() };
    assert!(matches!(
        import::<f32>(&stream, &null).unwrap_err(),
        Error::Foreign(ForeignError::Handle { .. })
    ));
    was_released();
    // SAFETY: null is refused.
    let nothing = unsafe { DlpackTensor::<f32>::from_raw(&stream, null_mut()) };
    assert!(matches!(problem(nothing), TensorError::Descriptor { .. }));
    pair.end();
}
