//! Memory and events that two processes have, on the simulator.

mod common;
#[path = "common/processes.rs"]
mod processes;

use std::time::Duration;

use common::machine;
use cuda_p2p::builtin::Kernels;
use cuda_p2p::ipc::{LeasedEventHandle, LeasedMemHandle};
use cuda_p2p::{CopyPath, Error, IpcBuffer, IpcError, LaunchConfig};
use processes::{hear, tell, two};

const LIMIT: Duration = Duration::from_secs(20);
const PAIR: &str = "devices=2 quiet";

fn numbers(from: u32) -> Vec<u32> {
    (from..from + 1000).collect()
}

#[test]
fn both_read_and_write_and_the_maker_takes_it_back() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        hear(&socket);
        assert_eq!(shared.to_vec().unwrap(), numbers(7));
        assert_eq!(shared.open_count(), 1);
        let Err(refused) = shared.take_back() else { panic!("it is open over there") };
        assert_eq!(refused.error, Error::Ipc(IpcError::StillOpen { count: 1 }));
        tell(&socket);
        refused.shared.wait_until_closed(LIMIT).unwrap();
        assert_eq!(refused.shared.take_back().unwrap().to_vec().unwrap(), numbers(7));
        assert_eq!(runtime.deferred_errors(), []);
    };
    let opener = |socket| {
        let runtime = machine(PAIR);
        let accessor = runtime.device(1).unwrap();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and waits for word.
        let mut memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased) }.unwrap();
        assert_eq!(
            (memory.len(), memory.accessor(), memory.owner()),
            (1000, accessor, runtime.device(0).ok())
        );
        assert_eq!(memory.to_vec().unwrap(), numbers(0));
        // By a kernel that reads a peer, and by a copy back.
        let mut copy = accessor.alloc_zeroed::<u8>(4000).unwrap();
        let (stream, kernels) = (accessor.new_stream().unwrap(), Kernels::load(&runtime).unwrap());
        let view = memory.peer_slice().unwrap();
        assert_eq!((view.accessor(), view.owner().ordinal()), (accessor, 0));
        let bytes = memory.as_slice().cast::<u8>().unwrap();
        kernels.copy(&stream, LaunchConfig::for_elements(4000), &mut copy, bytes, 4000).unwrap();
        assert_eq!(copy.as_slice().cast::<u32>().unwrap().len(), 1000);
        assert_eq!(cuda_p2p::bytemuck::cast_slice::<u8, u32>(&copy.to_vec().unwrap()), numbers(0));
        let source = accessor.alloc_from(&numbers(7)).unwrap();
        assert_eq!(stream.copy_peer_async(&mut memory, &source).unwrap(), CopyPath::Direct);
        stream.synchronize().unwrap();
        tell(&socket);
        hear(&socket);
        memory.close().unwrap();
    };
    two("both_read_and_write_and_the_maker_takes_it_back", maker, opener);
}

#[test]
fn a_part_is_opened_where_it_begins() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        assert!(matches!(shared.send_slice(&socket, 5..1001), Err(Error::OutOfBounds { .. })));
        shared.send_slice(&socket, 100..103).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let runtime = machine(PAIR);
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        assert_eq!((leased.handle().len(), leased.handle().offset_bytes()), (3, 400));
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { runtime.device(0).unwrap().open_ipc(leased) }.unwrap();
        assert_eq!(memory.to_vec().unwrap(), [100, 101, 102]);
    };
    two("a_part_is_opened_where_it_begins", maker, opener);
}

#[test]
fn dropped_while_it_is_open_it_stays_allocated() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        hear(&socket);
        drop(shared);
        let deferred = runtime.deferred_errors();
        assert_eq!(deferred.len(), 1);
        assert_eq!(deferred[0].error, Error::Ipc(IpcError::StillOpen { count: 1 }));
        assert_eq!(cuda_p2p_sim::counters().allocations, 1);
        tell(&socket);
        hear(&socket);
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { machine(PAIR).device(1).unwrap().open_ipc(leased) }.unwrap();
        tell(&socket);
        hear(&socket);
        assert_eq!(memory.to_vec().unwrap(), numbers(0));
        tell(&socket);
    };
    two("dropped_while_it_is_open_it_stays_allocated", maker, opener);
}

#[test]
fn a_process_that_ends_has_nothing_open() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        hear(&socket);
        shared.wait_until_closed(LIMIT).unwrap();
        shared.take_back().unwrap();
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { machine(PAIR).device(1).unwrap().open_ipc(leased) }.unwrap();
        std::mem::forget(memory);
        tell(&socket);
    };
    two("a_process_that_ends_has_nothing_open", maker, opener);
}

#[test]
fn a_bare_handle_keeps_the_buffer() {
    let runtime = machine(PAIR);
    let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
    let handle = shared.give_out_handle();
    assert_eq!(shared.wait_until_closed(LIMIT), Err(Error::Ipc(IpcError::HandleGivenOut)));
    // SAFETY: it is refused before anything is opened.
    let opened = unsafe { runtime.device(1).unwrap().open_ipc::<u32>(&handle) };
    let process = std::process::id();
    assert_eq!(opened.err(), Some(Error::Ipc(IpcError::SameProcess { process })));
    let refused = shared.take_back().expect_err("nobody learns when it is closed");
    assert_eq!(refused.error, Error::Ipc(IpcError::HandleGivenOut));
    // SAFETY: nobody opened it.
    drop(unsafe { refused.shared.take_back_unchecked() });
    assert_eq!(cuda_p2p_sim::counters().allocations, 0);
}

#[test]
fn a_hidden_device_is_named_by_its_uuid() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let runtime = machine("devices=2 visible=1 quiet");
        let accessor = runtime.device(0).unwrap();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        let uuid = leased.handle().uuid();
        // SAFETY: it is refused before anything is opened.
        let error = unsafe { accessor.open_ipc::<u32>(leased) }.unwrap_err();
        assert_eq!(error, Error::Ipc(IpcError::HiddenDevice { uuid, visible: 1 }));
        assert!(error.to_string().contains(&uuid.to_string()), "{error}");
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased.even_if_hidden()) }.unwrap();
        assert_eq!((memory.owner(), memory.uuid()), (None, uuid));
        assert_eq!(memory.to_vec().unwrap(), numbers(0));
        assert!(matches!(memory.peer_slice(), Err(Error::Ipc(IpcError::HiddenDevice { .. }))));
    };
    two("a_hidden_device_is_named_by_its_uuid", maker, opener);
}

#[test]
fn ordinals_are_the_process_own() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let runtime = machine("devices=2 visible=1,0 quiet");
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { runtime.device(0).unwrap().open_ipc(leased) }.unwrap();
        assert_eq!(memory.owner(), runtime.device(1).ok());
        assert_eq!(memory.to_vec().unwrap(), numbers(0));
    };
    two("ordinals_are_the_process_own", maker, opener);
}

#[test]
fn devices_that_are_no_peers_are_refused() {
    const STRANGERS: &str = "devices=2 peers=none quiet";
    let maker = |socket| {
        let runtime = machine(STRANGERS);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: it is refused before anything is opened.
        let opened = unsafe { machine(STRANGERS).device(1).unwrap().open_ipc::<u32>(leased) };
        assert_eq!(opened.err(), Some(Error::PeerUnreachable { accessor: 1, owner: 0 }));
    };
    two("devices_that_are_no_peers_are_refused", maker, opener);
}

#[test]
fn elements_are_those_of_the_maker() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let runtime = machine(PAIR);
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        let cast = leased.handle().cast::<u16>().unwrap();
        // SAFETY: it is refused before anything is opened.
        let error = unsafe { runtime.device(0).unwrap().open_ipc::<f32>(leased) }.unwrap_err();
        assert!(error.to_string().contains("u32") && error.to_string().contains("f32"), "{error}");
        // SAFETY: the maker waits for the other lease, and only reads.
        let memory: IpcBuffer<u16> = unsafe { runtime.device(0).unwrap().open_ipc(&cast) }.unwrap();
        assert_eq!(memory.to_vec().unwrap()[..4], [0, 0, 1, 0]);
        drop(memory);
        drop(LeasedMemHandle::receive(&socket).unwrap());
    };
    two("elements_are_those_of_the_maker", maker, opener);
}

#[test]
fn what_is_freed_over_there_is_not_opened() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        hear(&socket);
        // SAFETY: not true, as the test has it.
        drop(unsafe { shared.take_back_unchecked() });
        tell(&socket);
        hear(&socket);
    };
    let opener = |socket| {
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        let process = leased.handle().process_id();
        tell(&socket);
        hear(&socket);
        // SAFETY: it is refused: the simulator knows that it is gone.
        let error = unsafe { machine(PAIR).device(0).unwrap().open_ipc::<u32>(leased) }.unwrap_err();
        assert!(matches!(error, Error::Ipc(IpcError::NotOpened { code: 1, process: p, .. }) if p == process));
        tell(&socket);
    };
    two("what_is_freed_over_there_is_not_opened", maker, opener);
}

#[test]
fn an_accessor_alone_reaches_what_it_opened() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let shared = runtime.device(0).unwrap().alloc_from(&numbers(0)).unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
    };
    let opener = |socket| {
        let runtime = machine(PAIR);
        let (owner, accessor) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease, and only reads.
        let memory: IpcBuffer<u32> = unsafe { accessor.open_ipc(leased) }.unwrap();
        let access = owner.enable_peer_access(&accessor).unwrap();
        let error = access.slice(&memory).unwrap_err();
        assert_eq!(error, Error::Ipc(IpcError::OpenedForOneDevice { opened_on: 1, accessor: 0 }));
    };
    two("an_accessor_alone_reaches_what_it_opened", maker, opener);
}

#[test]
fn events_order_the_work_of_two_processes() {
    let maker = |socket| {
        let runtime = machine(PAIR);
        let (device, kernels) = (runtime.device(0).unwrap(), Kernels::load(&runtime).unwrap());
        let mut shared = device.alloc_from(&[0u32]).unwrap().share().unwrap();
        let written = device.new_event_interprocess().unwrap().share().unwrap();
        shared.send(&socket).unwrap();
        written.send(&socket).unwrap();
        hear(&socket);
        let stream = device.new_stream().unwrap();
        kernels.delayed_store(&stream, LaunchConfig::new(1, 1), &mut shared, 5, 30_000_000).unwrap();
        stream.record(written.event()).unwrap();
        tell(&socket);
        written.wait_until_closed(LIMIT).unwrap();
        shared.wait_until_closed(LIMIT).unwrap();
        drop((written, shared));
        assert_eq!(runtime.deferred_errors(), []);
    };
    let opener = |socket| {
        let runtime = machine(PAIR);
        let device = runtime.device(1).unwrap();
        let leased = LeasedMemHandle::receive(&socket).unwrap();
        // SAFETY: the maker keeps it by the lease; the copy below waits for its store by the event.
        let memory: IpcBuffer<u32> = unsafe { device.open_ipc(leased) }.unwrap();
        let written = device.open_ipc_event(LeasedEventHandle::receive(&socket).unwrap()).unwrap();
        assert_eq!(written.share().err(), Some(Error::Ipc(IpcError::EventNotShareable)));
        let other = runtime.device(0).unwrap().new_stream().unwrap();
        let refused = Error::Ipc(IpcError::EventOfOtherDevice { event: 1, stream: 0 });
        assert_eq!(other.wait_event(&written), Err(refused));
        let (stream, mut target) = (device.new_stream().unwrap(), device.alloc_from(&[1u32]).unwrap());
        tell(&socket);
        hear(&socket);
        stream.wait_event(&written).unwrap();
        stream.copy_peer_async(&mut target, &memory).unwrap();
        assert_eq!(target.to_vec().unwrap(), [5]);
    };
    two("events_order_the_work_of_two_processes", maker, opener);
}

#[test]
fn only_events_for_others_are_shared() {
    let device = machine(PAIR).device(0).unwrap();
    let plain = device.new_event_untimed().unwrap();
    assert_eq!(plain.share().err(), Some(Error::Ipc(IpcError::EventNotShareable)));
    let empty = device.alloc_zeroed::<u8>(0).unwrap().share().unwrap_err();
    assert_eq!(empty.error, Error::Ipc(IpcError::Empty));
    assert!(empty.buffer.is_empty());
}
