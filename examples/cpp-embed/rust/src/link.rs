//! One direction between two devices, and the calls on the program's own objects.

use std::ffi::c_uint;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::sys::{cudaEvent_t, cudaStream_t};
use cuda_p2p::{DeviceBuffer, Error, Event, LaunchConfig, PeerAccess, Runtime, Stream};

use crate::status::{PeerStatus, Problem, status};

/// Access of one device to the memory of another. While it is open, nobody in the program can disable that access through
/// `cuda-p2p`.
pub struct PeerLink {
    runtime: Runtime,
    access: PeerAccess,
}

/// Opens the process's CUDA runtime and enables the access of device `accessor` to the memory of `owner`.
///
/// The runtime is the shared library that the program is linked against, if it is; otherwise one is loaded, beside the
/// static one inside the program. Both then act on the devices' primary contexts, so handles and addresses of the one are
/// good in the other.
///
/// # Safety
/// `link` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_link_open(
    accessor: c_uint,
    owner: c_uint,
    link: *mut *mut PeerLink,
) -> PeerStatus {
    status(|| {
        if link.is_null() {
            return Err(Problem::null("link"));
        }
        let opened = Box::new(PeerLink::open(accessor, owner)?);
        // SAFETY: not null, and so a place for a pointer.
        unsafe { link.write(Box::into_raw(opened)) };
        Ok(())
    })
}

/// Copies `bytes` bytes of the program's memory on the accessor to the program's memory on the owner, by the copy engine,
/// in the program's stream. Asynchronous.
///
/// # Safety
/// - `link` is null or came from [`peer_link_open`] and was not closed.
/// - `stream` is a live stream of the accessor.
/// - `source` and `destination` are memory of the accessor and of the owner, of so many bytes, until the copy is done.
/// - Other work on them is ordered by the stream, or by events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_link_send(
    link: *mut PeerLink,
    stream: cudaStream_t,
    destination: *mut u8,
    source: *const u8,
    bytes: usize,
) -> PeerStatus {
    status(|| {
        // SAFETY: null, or a live link.
        let link = unsafe { link.as_ref() }.ok_or_else(|| Problem::null("link"))?;
        let (accessor, owner) = (link.access.accessor(), link.access.owner());
        // SAFETY: by the contract, it is such a stream, and outlives this call.
        let stream = unsafe { Stream::borrow_raw(&accessor, stream) }?;
        // SAFETY: by the contract, so many bytes are there, until the copy is done, and the caller orders it.
        let source = unsafe { DeviceBuffer::borrow_raw(&accessor, source.cast_mut(), bytes) }?;
        // SAFETY: as above.
        let mut destination = unsafe { DeviceBuffer::borrow_raw(&owner, destination, bytes) }?;
        stream.copy_peer_async(&mut destination, &source)?;
        Ok(())
    })
}

/// Lets a kernel of the accessor write `count` numbers into the program's memory on the owner: number `i` is
/// `i * 2654435761 + seed`, modulo 2^32. In the program's stream, behind its event `ready`; then its event `done` is
/// recorded. Asynchronous.
///
/// # Safety
/// - `link` is null or came from [`peer_link_open`] and was not closed.
/// - `stream` is a live stream of the accessor, `ready` a live event of the owner, `done` one of the accessor.
/// - `destination` is memory of the owner for so many numbers, by `cudaMalloc`, until `done` is reached.
/// - Other work on it is done when `ready` is reached, or begins after `done`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_link_write(
    link: *mut PeerLink,
    stream: cudaStream_t,
    ready: cudaEvent_t,
    done: cudaEvent_t,
    destination: *mut u32,
    count: usize,
    seed: u32,
) -> PeerStatus {
    status(|| {
        // SAFETY: null, or a live link.
        let link = unsafe { link.as_ref() }.ok_or_else(|| Problem::null("link"))?;
        let (accessor, owner) = (link.access.accessor(), link.access.owner());
        let kernels = Kernels::load(&link.runtime)?;
        // SAFETY: by the contract, it is such a stream, and outlives this call.
        let stream = unsafe { Stream::borrow_raw(&accessor, stream) }?;
        // SAFETY: by the contract, these are such events, and outlive this call.
        let (ready, done) =
            unsafe { (Event::borrow_raw(&owner, ready)?, Event::borrow_raw(&accessor, done)?) };
        // SAFETY: by the contract, so many numbers are there until `done` is reached, and the events order other work.
        let mut destination = unsafe { DeviceBuffer::borrow_raw(&owner, destination, count) }?;

        let numbers: Vec<u32> =
            (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).wrapping_add(seed)).collect();
        // The library's own memory: dropped below, and freed when the kernel has read it.
        let numbers = accessor.alloc_from(&numbers)?;
        let (source, bytes) = (numbers.as_slice().cast::<u8>()?, numbers.size_bytes());
        let destination = link.access.slice_mut(destination.as_slice_mut().cast::<u8>()?)?;
        stream.wait_event(&ready)?;
        kernels.copy(&stream, LaunchConfig::for_elements(bytes), destination, source, bytes as u64)?;
        Ok(stream.record(&done)?)
    })
}

/// Closes the link. Null is nothing to close. The access stays enabled, for the kernels of the program that use it.
///
/// # Safety
/// `link` is null or came from [`peer_link_open`] and was not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn peer_link_close(link: *mut PeerLink) -> PeerStatus {
    status(|| {
        if !link.is_null() {
            // SAFETY: by the contract, the link is alive, and this is the end of it.
            drop(unsafe { Box::from_raw(link) });
        }
        Ok(())
    })
}

impl PeerLink {
    fn open(accessor: u32, owner: u32) -> Result<Self, Error> {
        let runtime = Runtime::load()?;
        let access = runtime.device(accessor)?.enable_peer_access(&runtime.device(owner)?)?;
        Ok(Self { runtime, access })
    }
}
