//! Hands a stream, memory of its device and memory of a peer to a function in C++.
//!
//! Both halves use the one shared runtime of the process: the program is linked against it for the sake of the C++ half, and
//! [`Runtime::load`] takes a runtime that is loaded already before it looks for another.

use cuda_p2p::sys::{cudaError_t, cudaStream_t};
use cuda_p2p::{DeviceBuffer, PeerAccess, Runtime, Stream};

// SAFETY: the signature is that of `cpp/take.h`.
unsafe extern "C" {
    fn take_from_peer(stream: cudaStream_t, ours: *mut f32, theirs: *const f32, count: usize) -> cudaError_t;
}

/// Puts the C++ half's work into `stream`: it fills `ours`, which is memory of the stream's device, with what is in `theirs`.
///
/// Asynchronous. Both addresses are asked for with the stream, so C++'s work waits for what is done with the memory before, and
/// what is done with it later waits for C++'s work.
fn take(
    stream: &Stream,
    access: &PeerAccess,
    ours: &mut DeviceBuffer<f32>,
    theirs: &DeviceBuffer<f32>,
) -> Result<(), Box<dyn std::error::Error>> {
    let count = theirs.len();
    if ours.len() != count {
        return Err(format!("{count} elements do not fit into {}", ours.len()).into());
    }
    let ours = ours.as_slice_mut().as_raw_on(stream)?;
    let theirs = access.slice(theirs)?.as_raw_on(stream)?;
    // SAFETY: both addresses have so many elements, and the stream's device may use both: it owns the one, and is the accessor
    // of the other. The memory is kept until the stream has done the work.
    match unsafe { take_from_peer(stream.as_raw(), ours, theirs, count) } {
        cudaError_t::cudaSuccess => Ok(()),
        status => Err(format!("the C++ half answered {}", status.0).into()),
    }
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::load()?;
    println!("{}", runtime.origin());
    let (accessor, owner) = (runtime.device(0)?, runtime.device(1)?);
    let access = accessor.enable_peer_access(&owner)?;
    let stream = accessor.new_stream()?;

    let numbers: Vec<f32> = (0..1 << 20).map(|i| i as f32).collect();
    let theirs = owner.alloc_from(&numbers)?;
    let mut ours = accessor.alloc_zeroed(numbers.len())?;
    take(&stream, &access, &mut ours, &theirs)?;

    let wrong = ours.to_vec()?.iter().zip(&numbers).filter(|(got, want)| got != want).count();
    println!("{} numbers taken from device {} by C++, {wrong} wrong", numbers.len(), owner.ordinal());
    std::process::exit(i32::from(wrong != 0));
}
