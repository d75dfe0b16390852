//! Memory of pools that two processes have: on the simulator, and on two GPUs where there are.

#[path = "common/processes.rs"]
mod processes;

use std::time::Duration;

use cuda_p2p::ipc::LeasedMemHandle;
use cuda_p2p::{
    CopyPath, Device, DeviceBuffer, Error, IpcBuffer, IpcError, MemPoolOptions, Runtime, SimulatorPolicy,
};
use processes::{hear, tell, two};

const LIMIT: Duration = Duration::from_secs(20);

fn devices() -> (Runtime, Device, Device) {
    let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open().unwrap();
    (runtime, runtime.device(0).unwrap(), runtime.device(1).unwrap())
}

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
fn both_read_and_write_and_the_maker_takes_it_back() {
    let maker = |socket| {
        let (runtime, device, _) = devices();
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
        let (runtime, owner, accessor) = devices();
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
        let source = accessor.alloc_from(&numbers(7)).unwrap();
        assert_eq!(stream.copy_peer_async(&mut memory, &source).unwrap(), CopyPath::Direct);
        stream.synchronize().unwrap();
        tell(&socket);
        hear(&socket);
        drop(memory);
        accessor.synchronize().unwrap();
        assert_eq!(runtime.deferred_errors(), []);
    };
    two("both_read_and_write_and_the_maker_takes_it_back", maker, opener);
}

#[test]
fn a_part_is_opened_by_its_owner_where_it_begins() {
    let maker = |socket| {
        let shared = of_pool(&devices().1, true).share().unwrap();
        shared.send_slice(&socket, 10..13).unwrap();
        shared.send_slice(&socket, 20..21).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let (_, owner, _) = devices();
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
        let shared = of_pool(&devices().1, true).share().unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        let bare = leased.handle().clone();
        // SAFETY: it is refused before anything is opened.
        let outcome = unsafe { devices().1.open_ipc::<u32>(&bare) };
        assert_eq!(outcome.err(), Some(Error::Ipc(IpcError::PoolMissing)));
    };
    two("without_its_pool_it_is_not_opened", maker, opener);
}

#[test]
fn a_pool_that_was_not_made_for_it_is_not_shared() {
    let body = |_| {
        let (_, device, _) = devices();
        let refused = of_pool(&device, false).share().unwrap_err();
        assert_eq!(refused.error, Error::Ipc(IpcError::NotExportable));
        assert!(refused.error.to_string().contains("shareable: true"), "{}", refused.error);
        assert_eq!(refused.buffer.to_vec().unwrap(), numbers(0));
    };
    two("a_pool_that_was_not_made_for_it_is_not_shared", body, |_| {});
}
