//! How fast a kernel reads memory of another process, against the same kernel on the same link within one process.

use std::os::unix::net::UnixStream;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Device, DeviceBuffer, LaunchConfig, PeerSlice, Stream};

use crate::options::Options;
use crate::rank::{open, share, word};

const BYTES: usize = 1 << 30;
const ROUNDS: usize = 11;

/// On GPUs, where both are visible: rank 0 measures, rank 1 lends the memory.
pub(crate) fn run(
    options: &Options,
    rank: usize,
    device: &Device,
    socket: &UnixStream,
) -> Result<(), Box<dyn std::error::Error>> {
    if options.only_own || device.runtime().is_simulated() {
        return Ok(());
    }
    if rank == 1 {
        let lent = share(device, &vec![1u8; BYTES])?;
        lent.send(socket)?;
        word(socket)?;
        lent.wait_until_closed(std::time::Duration::from_secs(60))?;
        return Ok(());
    }
    let theirs = open::<u8>(device, socket)?;
    let owner = theirs.owner().ok_or("the owner is visible")?;
    let access = device.enable_peer_access(&owner)?;
    let ours = owner.alloc_from(&vec![2u8; BYTES])?;
    let (kernels, stream) = (Kernels::load(device.runtime())?, device.new_stream()?);
    let mut target = device.alloc_zeroed::<u8>(BYTES)?;
    let (mut ipc, mut own) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ipc.push(seconds(&kernels, &stream, &mut target, theirs.peer_slice()?)?);
        own.push(seconds(&kernels, &stream, &mut target, access.slice(&ours)?)?);
    }
    drop(theirs);
    word(socket)?;
    let (ipc, own) = (median(ipc), median(own));
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    println!(
        "kernel reads 1 GiB of the peer: {:.1} GB/s of another process, {:.1} GB/s of its own, ratio {:.4}",
        rate(ipc),
        rate(own),
        own / ipc
    );
    Ok(())
}

fn seconds(
    kernels: &Kernels,
    stream: &Stream,
    target: &mut DeviceBuffer<u8>,
    source: PeerSlice<'_, u8>,
) -> cuda_p2p::Result<f64> {
    let (start, end) = (stream.device().new_event()?, stream.device().new_event()?);
    stream.record(&start)?;
    kernels.copy(stream, LaunchConfig::new(1056, 512), target, source, BYTES as u64)?;
    stream.record(&end)?;
    end.synchronize()?;
    Ok(end.elapsed_since(&start)?.as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
