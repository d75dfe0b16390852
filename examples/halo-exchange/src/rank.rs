//! One of the two processes.
//!
//! Each has two fields, the one before a step and the one after it, which take turns; the other process has both open. A step:
//! - wait, on the GPU, until the other rank has made the field before this step (its event *made*);
//! - pull its two edges over the link into the cells at the ends of the own field, and say so (event *pulled*);
//! - wait until the other has pulled from the field that is about to be overwritten, then make the field after.
//!
//! A wait means the last record that there was when it was put in. So each rank sends word over the socket when it has recorded: the hosts
//! take turns, and no host waits for a GPU.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use cuda_p2p::ipc::{LeasedEventHandle, LeasedMemHandle};
use cuda_p2p::{
    Device, DeviceSlice, DeviceSliceMut, Event, IpcBuffer, LaunchConfig, Runtime, SharedBuffer, SharedEvent,
};

use crate::options::Options;
use crate::{field, measure};

cuda_p2p::kernels! {
    /// The kernel of `kernels/relax.cu`.
    pub struct Kernels = cuda_p2p::include_module!("relax");
    // SAFETY: the signature is that of the .cu file; the kernel touches `cells + 2` elements, and the conditions keep those in both fields.
    unsafe extern "CUDA" {
        /// One step of `cells` cells.
        safe fn relax<'a>(after: DeviceSliceMut<'a, u32>, before: DeviceSlice<'a, u32>, cells: u64)
        where cells + 2 <= after.len() as u64, cells + 2 <= before.len() as u64;
    }
}

/// How long one rank waits for the other's host.
const PATIENCE: Duration = Duration::from_secs(60);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Plays it. Whether the result is exact.
pub(crate) fn run(options: &Options, rank: usize) -> Outcome<bool> {
    let socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    socket.set_read_timeout(Some(PATIENCE))?;
    let runtime = Runtime::builder().open()?;
    let device = runtime.device(0)?;
    let kernels = Kernels::load(&runtime)?;
    let stream = device.new_stream()?;
    let cells = options.cells;

    let own = &field::start(cells)[rank * cells..][..cells];
    let mut first = vec![0; cells + 2];
    first[1..=cells].copy_from_slice(own);
    let mut fields = [share(&device, &first)?, share(&device, &vec![0; cells + 2])?];
    let (made, pulled) = (event(&device)?, event(&device)?);
    for field in &fields {
        field.send(&socket)?;
    }
    made.send(&socket)?;
    pulled.send(&socket)?;
    let theirs = [open(&device, &socket)?, open(&device, &socket)?];
    let their_made = open_event(&device, &socket)?;
    let their_pulled = open_event(&device, &socket)?;

    stream.record(made.event())?;
    word(&socket)?;
    for step in 0..options.steps {
        let before = step % 2;
        stream.wait_event(&their_made)?;
        let edges = theirs[before].as_slice();
        let mut target = fields[before].as_slice_mut();
        stream.copy_peer_async(target.slice_mut(..1)?, edges.slice(cells..=cells)?)?;
        stream.copy_peer_async(target.slice_mut(cells + 1..)?, edges.slice(1..=1)?)?;
        stream.record(pulled.event())?;
        word(&socket)?;
        stream.wait_event(&their_pulled)?;
        let [one, two] = &mut fields;
        let (old, new) = if before == 0 { (one, two) } else { (two, one) };
        kernels.relax(&stream, LaunchConfig::for_elements(cells), new, &*old, cells as u64)?;
        stream.record(made.event())?;
        word(&socket)?;
    }
    stream.synchronize()?;

    let result = fields[options.steps % 2].to_vec()?;
    let wanted = &field::after(options.steps, cells)[rank * cells..][..cells];
    let wrong = result[1..=cells].iter().zip(wanted).filter(|(got, want)| got != want).count();
    let owner = theirs[0].uuid();
    println!(
        "rank {rank} on {}, edges from {owner}: {} steps of {cells} cells, {wrong} wrong",
        device.uuid()?,
        options.steps
    );

    measure::run(options, rank, &device, &socket)?;

    // Closed here, the other rank gets its fields back; and this one its own.
    drop((theirs, their_made, their_pulled));
    for field in fields {
        field.wait_until_closed(PATIENCE)?;
        drop(field.take_back()?);
    }
    made.wait_until_closed(PATIENCE)?;
    pulled.wait_until_closed(PATIENCE)?;
    Ok(wrong == 0)
}

pub(crate) fn share<T: cuda_p2p::bytemuck::Pod>(
    device: &Device,
    elements: &[T],
) -> cuda_p2p::Result<SharedBuffer<T>> {
    Ok(device.alloc_from(elements)?.share()?)
}

pub(crate) fn open<T: cuda_p2p::bytemuck::Pod>(
    device: &Device,
    socket: &UnixStream,
) -> cuda_p2p::Result<IpcBuffer<T>> {
    let leased = LeasedMemHandle::receive(socket)?;
    // SAFETY: the other rank keeps its memory until this value is dropped, and its process until both have said that they are done; what the
    // two do with it is ordered by the two events, and by turns.
    unsafe { device.open_ipc(leased.even_if_hidden()) }
}

fn event(device: &Device) -> cuda_p2p::Result<SharedEvent> {
    device.new_event_interprocess()?.share()
}

fn open_event(device: &Device, socket: &UnixStream) -> cuda_p2p::Result<Event> {
    device.open_ipc_event(LeasedEventHandle::receive(socket)?)
}

/// Says that this rank has come here, and waits until the other has.
pub(crate) fn word(mut socket: &UnixStream) -> std::io::Result<()> {
    socket.write_all(&[1])?;
    socket.read_exact(&mut [0])
}
