//! What is shared with another process: kept as long as that has it open, and opened as what it is. Each test is two processes.

use std::time::Duration;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::ipc::{LeasedEventHandle, LeasedMemHandle};
use cuda_p2p::{
    CaptureError, Device, Error, IpcBuffer, IpcError, LaunchConfig, MemPoolOptions, Runtime, SharedBuffer,
};

use crate::processes::{hear, tell, two};
use crate::{ONE, PAIR};

const LIMIT: Duration = Duration::from_secs(20);

fn devices() -> (Runtime, Device, Device) {
    let runtime = Runtime::simulated(PAIR.parse().unwrap()).unwrap();
    (runtime, runtime.device(0).unwrap(), runtime.device(1).unwrap())
}

fn share(device: &Device) -> SharedBuffer<u32> {
    device.alloc_from(&[1, 2, 3, 4]).unwrap().share().unwrap()
}

fn opened(device: &Device, leased: LeasedMemHandle) -> IpcBuffer<u32> {
    // SAFETY: the maker keeps it by the lease; neither writes while the other reads, as the two take turns.
    unsafe { device.open_ipc(leased) }.unwrap()
}

#[test]
fn dropped_memory_stays_for_those_who_have_it_open() {
    two(
        "ipc::dropped_memory_stays_for_those_who_have_it_open",
        |socket| {
            let (runtime, device, _) = devices();
            let shared = share(&device);
            shared.send(&socket).unwrap();
            hear(&socket);
            drop(shared);
            tell(&socket);
            hear(&socket);
            assert_eq!(runtime.deferred_errors().len(), 1);
        },
        |socket| {
            let memory = opened(&devices().2, LeasedMemHandle::receive(&socket).unwrap());
            tell(&socket);
            hear(&socket);
            assert_eq!(memory.to_vec().unwrap(), [1, 2, 3, 4]);
            tell(&socket);
        },
    );
}

#[test]
fn memory_is_not_taken_back_while_it_is_open() {
    two(
        "ipc::memory_is_not_taken_back_while_it_is_open",
        |socket| {
            let shared = share(&devices().1);
            shared.send(&socket).unwrap();
            hear(&socket);
            let refused = shared.take_back().expect_err("it is open");
            assert_eq!(refused.error, Error::Ipc(IpcError::StillOpen { count: 1 }));
            tell(&socket);
            refused.shared.wait_until_closed(LIMIT).unwrap();
            refused.shared.take_back().unwrap();
        },
        |socket| {
            let memory = opened(&devices().2, LeasedMemHandle::receive(&socket).unwrap());
            tell(&socket);
            hear(&socket);
            assert_eq!(memory.to_vec().unwrap(), [1, 2, 3, 4]);
        },
    );
}

#[test]
fn what_was_opened_is_closed_after_its_work() {
    is_closed_after_its_work("ipc::what_was_opened_is_closed_after_its_work", share);
}

#[test]
fn what_was_opened_of_a_pool_is_closed_after_its_work() {
    is_closed_after_its_work("ipc::what_was_opened_of_a_pool_is_closed_after_its_work", share_of_pool);
}

fn share_of_pool(device: &Device) -> SharedBuffer<u32> {
    let options = MemPoolOptions { shareable: true, ..MemPoolOptions::default() };
    let (pool, stream) = (device.new_mem_pool(options).unwrap(), device.new_stream().unwrap());
    let buffer = stream.alloc_from(&pool, &[1, 2, 3, 4]).unwrap();
    stream.synchronize().unwrap();
    buffer.share().unwrap()
}

#[test]
fn another_processs_memory_goes_into_no_graph() {
    is_for_no_graph("ipc::another_processs_memory_goes_into_no_graph", share);
}

#[test]
fn another_processs_pool_goes_into_no_graph() {
    is_for_no_graph("ipc::another_processs_pool_goes_into_no_graph", share_of_pool);
}

/// The maker would wait for a graph that holds it, for as long as that may be launched.
fn is_for_no_graph(name: &str, share: impl FnOnce(&Device) -> SharedBuffer<u32>) {
    two(
        name,
        |socket| {
            let shared = share(&devices().1);
            shared.send(&socket).unwrap();
            hear(&socket);
            shared.wait_until_closed(LIMIT).unwrap();
        },
        |socket| {
            let (_, _, device) = devices();
            let memory = opened(&device, LeasedMemHandle::receive(&socket).unwrap());
            let (stream, mut target) = (device.new_stream().unwrap(), device.alloc_zeroed::<u32>(4).unwrap());
            let refused =
                stream.capture(|_| stream.copy_peer_async(&mut target, &memory).map(drop)).unwrap_err();
            assert!(matches!(refused, Error::Capture(CaptureError::Refused { .. })), "{refused}");
            drop(memory);
            device.synchronize().unwrap();
            tell(&socket);
        },
    );
}

fn is_closed_after_its_work(name: &str, share: impl FnOnce(&Device) -> SharedBuffer<u32>) {
    two(
        name,
        |socket| {
            let shared = share(&devices().1);
            shared.send(&socket).unwrap();
            hear(&socket);
            // The other process has dropped it, and its kernel is still to read it.
            assert_eq!(shared.open_count(), 1);
            tell(&socket);
            shared.wait_until_closed(LIMIT).unwrap();
        },
        |socket| {
            let (runtime, _, device) = devices();
            let memory = opened(&device, LeasedMemHandle::receive(&socket).unwrap());
            let kernels = Kernels::load(&runtime).unwrap();
            let (stream, mut target) = (device.new_stream().unwrap(), device.alloc_zeroed::<u32>(4).unwrap());
            kernels.delay(&stream, ONE, 500_000_000).unwrap();
            stream.copy_peer_async(&mut target, &memory).unwrap();
            drop(memory);
            assert_eq!(stream.is_done(), Ok(false), "dropping does not wait");
            tell(&socket);
            hear(&socket);
            assert_eq!(target.to_vec().unwrap(), [1, 2, 3, 4]);
            device.synchronize().unwrap();
            runtime.device(0).unwrap().synchronize().unwrap();
        },
    );
}

#[test]
fn a_bare_handle_keeps_its_memory() {
    two(
        "ipc::a_bare_handle_keeps_its_memory",
        |_| {
            let shared = share(&devices().1);
            let handle = shared.give_out_handle();
            assert_eq!(handle.len(), 4);
            let refused = shared.take_back().expect_err("nobody learns when it is closed");
            assert_eq!(refused.error, Error::Ipc(IpcError::HandleGivenOut));
        },
        |_| {},
    );
}

#[test]
fn a_part_is_opened_where_it_begins() {
    two(
        "ipc::a_part_is_opened_where_it_begins",
        |socket| {
            let shared = share(&devices().1);
            shared.send_slice(&socket, 1..3).unwrap();
            shared.wait_until_closed(LIMIT).unwrap();
        },
        |socket| {
            let memory = opened(&devices().2, LeasedMemHandle::receive(&socket).unwrap());
            assert_eq!(memory.to_vec().unwrap(), [2, 3]);
        },
    );
}

#[test]
fn other_elements_are_refused() {
    two(
        "ipc::other_elements_are_refused",
        |socket| {
            let shared = share(&devices().1);
            shared.send(&socket).unwrap();
            shared.wait_until_closed(LIMIT).unwrap();
        },
        |socket| {
            let leased = LeasedMemHandle::receive(&socket).unwrap();
            // SAFETY: it is refused before anything is opened.
            let outcome = unsafe { devices().2.open_ipc::<u64>(leased) };
            assert!(matches!(outcome, Err(Error::Ipc(IpcError::ElementType { .. }))));
        },
    );
}

#[test]
fn what_a_device_opened_is_its_alone() {
    cuda_p2p::kernels! {
        /// One kernel, declared so that it takes memory of its own.
        struct Own = *cuda_p2p::sys::kernels();
        // SAFETY: the signature is that of the .cu file.
        unsafe extern "CUDA" {
            /// Writes one word.
            safe fn store<'a>(destination: cuda_p2p::DeviceSliceMut<'a, u32>, value: u32, ns: u64)
                = "cuda_p2p_delayed_store" where !destination.is_empty();
        }
    }
    two(
        "ipc::what_a_device_opened_is_its_alone",
        |socket| {
            let shared = share(&devices().1);
            shared.send(&socket).unwrap();
            shared.wait_until_closed(LIMIT).unwrap();
        },
        |socket| {
            let (runtime, owner, device) = devices();
            let mut memory = opened(&device, LeasedMemHandle::receive(&socket).unwrap());
            let access = owner.enable_peer_access(&device).unwrap();
            let refused = IpcError::OpenedForOneDevice { opened_on: 1, accessor: 0 };
            assert_eq!(access.slice(&memory).err(), Some(Error::Ipc(refused)));
            let (own, stream) = (Own::load(&runtime).unwrap(), device.new_stream().unwrap());
            let outcome = own.store(&stream, LaunchConfig::new(1, 1), memory.as_slice_mut(), 9, 0);
            assert_eq!(outcome, Err(Error::Ipc(IpcError::RemoteMemory)));
        },
    );
}

#[test]
fn a_shared_event_is_waited_for_on_its_device() {
    two(
        "ipc::a_shared_event_is_waited_for_on_its_device",
        |_| {
            let (_, device, other) = devices();
            let event = device.new_event_interprocess().unwrap();
            let stream = other.new_stream().unwrap();
            let refused = IpcError::EventOfOtherDevice { event: 0, stream: 1 };
            assert_eq!(stream.wait_event(&event), Err(Error::Ipc(refused)));
        },
        |_| {},
    );
}

#[test]
fn a_dropped_event_stays_for_those_who_have_it_open() {
    two(
        "ipc::a_dropped_event_stays_for_those_who_have_it_open",
        |socket| {
            let (_runtime, device, _) = devices();
            let shared = device.new_event_interprocess().unwrap().share().unwrap();
            shared.send(&socket).unwrap();
            hear(&socket);
            drop(shared);
            assert_eq!(cuda_p2p_sim::counters().events, 1);
            tell(&socket);
        },
        |socket| {
            let event = devices().2.open_ipc_event(LeasedEventHandle::receive(&socket).unwrap()).unwrap();
            tell(&socket);
            hear(&socket);
            event.synchronize().unwrap();
        },
    );
}
