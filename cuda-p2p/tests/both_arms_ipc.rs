//! Memory and events that two processes have: on two GPUs where there are, on the simulator otherwise.

#[path = "common/pair.rs"]
mod pair;
#[path = "common/processes.rs"]
mod processes;

use std::time::Duration;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::ipc::{LeasedEventHandle, LeasedMemHandle};
use cuda_p2p::{
    CaptureError, CopyPath, Device, DeviceBuffer, Error, IpcBuffer, IpcError, LaunchConfig, MemPoolOptions,
};
use processes::{hear, tell, two};

const LIMIT: Duration = Duration::from_secs(20);
const ONE: LaunchConfig = LaunchConfig::new(1, 1);
const MANY: LaunchConfig = LaunchConfig::new(8, 64);

fn numbers(from: u32) -> Vec<u32> {
    (from..from + 1000).collect()
}

fn of_pool(device: &Device, shareable: bool) -> DeviceBuffer<u32> {
    let pool = device.new_mem_pool(MemPoolOptions { shareable, ..MemPoolOptions::default() }).unwrap();
    let stream = device.new_stream().unwrap();
    let buffer = stream.alloc_from(&pool, &numbers(0)).unwrap();
    stream.synchronize().unwrap();
    buffer
}

#[test]
fn a_kernel_reads_and_writes_a_peers_memory_of_another_process() {
    const NAME: &str = "a_kernel_reads_and_writes_a_peers_memory_of_another_process";
    let maker = |socket| {
        let (runtime, device, _) = pair::open();
        let shared = device.alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send_slice(&socket, 500..).unwrap();
        hear(&socket);
        let seen = shared.to_vec().unwrap();
        assert_eq!((&seen[..500], &seen[500..]), (&numbers(0)[..500], &numbers(9)[500..]));
        tell(&socket);
        shared.wait_until_closed(LIMIT).unwrap();
        shared.take_back().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    };
    let opener = |socket| {
        let (runtime, owner, accessor) = pair::open();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and waits for word.
        let mut memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased) }.unwrap();
        assert_eq!((memory.len(), memory.owner()), (500, Some(owner)));
        let (stream, kernels) = (accessor.new_stream().unwrap(), Kernels::load(&runtime).unwrap());
        let bytes = memory.as_slice().cast::<u8>().unwrap();
        let mut copy = accessor.alloc_zeroed::<u8>(2000).unwrap();
        kernels.copy(&stream, MANY, &mut copy, bytes, 2000).unwrap();
        assert_eq!(cuda_p2p::bytemuck::cast_slice::<u8, u32>(&copy.to_vec().unwrap()), &numbers(0)[500..]);
        let source = accessor.alloc_from(&numbers(9)).unwrap();
        let source = source.slice(500..).unwrap();
        let target = memory.as_slice_mut().cast::<u8>().unwrap();
        kernels.copy(&stream, MANY, target, source.cast::<u8>().unwrap(), 2000).unwrap();
        stream.synchronize().unwrap();
        tell(&socket);
        hear(&socket);
        drop(memory);
        accessor.synchronize().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    };
    two(NAME, maker, opener);
}

/// The other's store comes after a delay; nothing but the event orders the copy behind it.
#[test]
fn a_stream_waits_for_the_other_process() {
    let maker = |socket| {
        let (runtime, device, _) = pair::open();
        let kernels = Kernels::load(&runtime).unwrap();
        let mut shared = device.alloc_from(&[0u32]).unwrap().share().unwrap();
        let written = device.new_event_interprocess().unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        written.send(&socket).unwrap();
        hear(&socket);
        let stream = device.new_stream().unwrap();
        kernels.delayed_store(&stream, ONE, &mut shared, 5, 100_000_000).unwrap();
        stream.record(written.event()).unwrap();
        tell(&socket);
        written.wait_until_closed(LIMIT).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let (_, _, accessor) = pair::open();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease; the copy below waits for its store by the event.
        let memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased) }.unwrap();
        let written = accessor.open_ipc_event(LeasedEventHandle::receive(&socket).unwrap()).unwrap();
        let (stream, mut target) = (accessor.new_stream().unwrap(), accessor.alloc_from(&[1u32]).unwrap());
        tell(&socket);
        hear(&socket);
        stream.wait_event(&written).unwrap();
        assert_eq!(stream.copy_peer_async(&mut target, &memory).unwrap(), CopyPath::Direct);
        assert_eq!(target.to_vec().unwrap(), [5]);
    };
    two("a_stream_waits_for_the_other_process", maker, opener);
}

#[test]
fn memory_of_a_pool_is_read_and_written_and_taken_back() {
    let maker = |socket| {
        let (runtime, device, _) = pair::open();
        let shared = of_pool(&device, true).share().unwrap();
        shared.send(&socket).unwrap();
        hear(&socket);
        assert_eq!(shared.to_vec().unwrap(), numbers(7));
        let Err(refused) = shared.take_back() else { panic!("it is open over there") };
        assert_eq!(refused.error, Error::Ipc(IpcError::StillOpen { count: 1 }));
        tell(&socket);
        refused.shared.wait_until_closed(LIMIT).unwrap();
        assert_eq!(refused.shared.take_back().unwrap().to_vec().unwrap(), numbers(7));
        assert_eq!(runtime.deferred_errors(), []);
    };
    let opener = |socket| {
        let (runtime, owner, accessor) = pair::open();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        assert!(leased.handle().is_pooled());
        // SAFETY: the maker keeps it by the lease, and waits for word.
        let mut memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased) }.unwrap();
        assert_eq!((memory.len(), memory.accessor(), memory.owner()), (1000, accessor, Some(owner)));
        let view = memory.peer_slice().unwrap();
        assert_eq!((view.accessor(), view.owner()), (accessor, owner));
        let stream = accessor.new_stream().unwrap();
        let mut copy = accessor.alloc_zeroed::<u32>(1000).unwrap();
        assert_eq!(stream.copy_peer_async(&mut copy, &memory).unwrap(), CopyPath::Direct);
        assert_eq!(copy.to_vec().unwrap(), numbers(0));
        // A graph cannot keep what the other process may take back.
        let refused = stream.capture(|_| stream.copy_peer_async(&mut copy, &memory).map(drop)).unwrap_err();
        let what = "the use of another process's memory";
        assert_eq!(refused, Error::Capture(CaptureError::Refused { what }));
        let source = accessor.alloc_from(&numbers(7)).unwrap();
        assert_eq!(stream.copy_peer_async(&mut memory, &source).unwrap(), CopyPath::Direct);
        stream.synchronize().unwrap();
        tell(&socket);
        hear(&socket);
        drop(memory);
        accessor.synchronize().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    };
    two("memory_of_a_pool_is_read_and_written_and_taken_back", maker, opener);
}

#[test]
fn a_part_is_opened_by_its_owner_where_it_begins() {
    let maker = |socket| {
        let shared = of_pool(&pair::open().1, true).share().unwrap();
        shared.send_slice(&socket, 10..13).unwrap();
        shared.send_slice(&socket, 20..21).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let (_, owner, _) = pair::open();
        let leased = [(), ()].map(|()| LeasedMemHandle::receive(&socket).unwrap());
        // SAFETY: the maker keeps it by the leases, and only reads.
        let parts = leased.map(|leased| unsafe { owner.open_ipc::<u32>(leased) }.unwrap());
        assert_eq!(parts.each_ref().map(|part| part.to_vec().unwrap()), [vec![10, 11, 12], vec![20]]);
        let [first, second] = parts;
        first.close().unwrap();
        assert_eq!(second.to_vec().unwrap(), [20]);
    };
    two("a_part_is_opened_by_its_owner_where_it_begins", maker, opener);
}

#[test]
fn without_its_pool_it_is_not_opened() {
    let maker = |socket| {
        let shared = of_pool(&pair::open().1, true).share().unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        let bare = leased.handle().clone();
        // SAFETY: it is refused before anything is opened.
        let outcome = unsafe { pair::open().1.open_ipc::<u32>(&bare) };
        assert_eq!(outcome.err(), Some(Error::Ipc(IpcError::PoolMissing)));
    };
    two("without_its_pool_it_is_not_opened", maker, opener);
}

#[test]
fn a_pool_that_was_not_made_for_it_is_not_shared() {
    let body = |_| {
        let (_, device, _) = pair::open();
        let refused = of_pool(&device, false).share().unwrap_err();
        assert_eq!(refused.error, Error::Ipc(IpcError::NotExportable));
        assert!(refused.error.to_string().contains("shareable: true"), "{}", refused.error);
        assert_eq!(refused.buffer.to_vec().unwrap(), numbers(0));
    };
    two("a_pool_that_was_not_made_for_it_is_not_shared", body, |_| {});
}
