//! Small copies to a peer and from one, as a device carries them out: the safe calls, and this project's kernel, beside
//! `cudaMemcpyPeerAsync` through the same table, on the same memory, in turns.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use cuda_p2p::{DeviceBuffer, KernelCopy, KernelCopyOptions, PeerAccess, Runtime, Stream, builtin};

use super::report::Report;
use super::turns::{Outcome, Work, compare, timed};

const SIZES: [usize; 7] = [4, 16, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
const TURNS: usize = 60;
/// Copies of one turn, each at a place of its own. Fewer than a stream takes before it makes the host wait.
const COPIES: usize = 200;
/// Bytes from one place to the next, an odd number of cache lines; and in each buffer.
const APART: usize = 17 * 128;
const BYTES: usize = COPIES * APART + (64 << 10);

/// Of one device: what it sends, where something arrives, and a stream.
struct Ends {
    stream: Stream,
    source: DeviceBuffer<u8>,
    destination: DeviceBuffer<u8>,
}

struct Bench<'b> {
    runtime: &'b Runtime,
    there: &'b PeerAccess,
    kernels: builtin::Kernels,
    copier: KernelCopy,
    own: Ends,
    other: Ends,
}

#[derive(Clone, Copy)]
enum By {
    Raw,
    Engine,
    Kernel,
}

pub(crate) fn measure(report: &mut Report, runtime: &Runtime, there: &PeerAccess) -> Outcome {
    let (gpu, peer) = (there.accessor(), there.owner());
    let ends = |device: &cuda_p2p::Device| -> Outcome<Ends> {
        let sent: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8 + 1).collect();
        Ok(Ends {
            stream: device.new_stream()?,
            source: device.alloc_from(&sent)?,
            destination: device.alloc_zeroed(BYTES)?,
        })
    };
    let bench = RefCell::new(Bench {
        runtime,
        there,
        kernels: builtin::Kernels::load(runtime)?,
        copier: KernelCopy::load(runtime)?,
        own: ends(&gpu)?,
        other: ends(&peer)?,
    });
    let bench = &bench;
    for writes in [true, false] {
        for bytes in SIZES {
            let way = |name, by| Work {
                name,
                nanoseconds: Box::new(move |_| bench.borrow_mut().copies(by, writes, bytes)),
            };
            let mut ways = [way("raw", By::Raw), way("engine", By::Engine), way("kernel", By::Kernel)];
            let direction = if writes { "to" } else { "from" };
            report.add(&format!("copy of {bytes} bytes {direction} a peer"), compare(TURNS, &mut ways)?);
        }
    }
    Ok(())
}

impl Bench<'_> {
    /// How long one copy takes.
    fn copies(&mut self, by: By, writes: bool, bytes: usize) -> Outcome<f64> {
        let Self { runtime, there, kernels, copier, own, other } = self;
        let stream = &own.stream;
        let (from, to, receiver) = if writes {
            (&own.source, &mut other.destination, &other.stream)
        } else {
            (&other.source, &mut own.destination, stream)
        };
        receiver.fill_bytes_async(&mut *to, 0)?;
        receiver.synchronize()?;
        let took = timed(kernels, (stream, None), COPIES as u64, || {
            for place in (0..COPIES).map(|index| index * APART..index * APART + bytes) {
                match by {
                    By::Raw => copy_peer(runtime, (&*to, &*from), place, stream),
                    By::Engine if writes => stream.copy_to_peer_async(
                        there.slice_mut(to.slice_mut(place.clone())?)?,
                        from.slice(place)?,
                    )?,
                    By::Engine => {
                        stream.copy_from_peer_async(
                            to.slice_mut(place.clone())?,
                            there.slice(from.slice(place)?)?,
                        )?;
                    }
                    By::Kernel => {
                        let options = KernelCopyOptions::default();
                        if writes {
                            let to = there.slice_mut(to.slice_mut(place.clone())?)?;
                            copier.copy_async(stream, to, from.slice(place)?, options)?;
                        } else {
                            let from = there.slice(from.slice(place.clone())?)?;
                            copier.copy_async(stream, to.slice_mut(place)?, from, options)?;
                        }
                    }
                }
            }
            Ok(())
        })?;
        let (sent, arrived) = (from.to_vec()?, to.to_vec()?);
        let mut places = (0..COPIES).map(|index| index * APART..index * APART + bytes);
        match places.all(|place| sent[place.clone()] == arrived[place]) {
            true => Ok(took / COPIES as f64),
            false => Err(format!("copies of {bytes} bytes did not arrive").into()),
        }
    }
}

fn copy_peer(
    runtime: &Runtime,
    (to, from): (&DeviceBuffer<u8>, &DeviceBuffer<u8>),
    place: std::ops::Range<usize>,
    stream: &Stream,
) {
    let call = runtime.table().cudaMemcpyPeerAsync.expect("the function");
    let ordinal = |buffer: &DeviceBuffer<u8>| buffer.device().ordinal() as c_int;
    let address = |buffer: &DeviceBuffer<u8>| buffer.as_raw().wrapping_add(place.start).cast::<c_void>();
    // SAFETY: both addresses have so many bytes on those devices, and outlive the work.
    let status =
        unsafe { call(address(to), ordinal(to), address(from), ordinal(from), place.len(), stream.as_raw()) };
    assert_eq!(status.0, 0);
}
