//! Descriptors on their way: bytes, text and serde, and what was damaged.

mod common;

use common::machine;
use cuda_p2p::{Error, IpcError, IpcEventHandle, IpcMemHandle};

fn handle() -> IpcMemHandle {
    let device = machine("devices=2 quiet").device(1).unwrap();
    let shared = device.alloc_from(&[1u64, 2, 3]).unwrap().share().unwrap();
    shared.give_out_handle()
}

fn event() -> IpcEventHandle {
    let device = machine("devices=2 quiet").device(1).unwrap();
    let shared = device.new_event_interprocess().unwrap().share().unwrap();
    shared.give_out_handle()
}

#[test]
fn they_come_back_as_they_went() {
    let (memory, event) = (handle(), event());
    assert_eq!(IpcMemHandle::from_bytes(&memory.to_bytes()).unwrap(), memory);
    assert_eq!(IpcEventHandle::from_bytes(&event.to_bytes()).unwrap(), event);
    assert_eq!(memory.to_string().parse::<IpcMemHandle>().unwrap(), memory);
    assert_eq!(event.to_string().parse::<IpcEventHandle>().unwrap(), event);
    assert_eq!((memory.len(), memory.size_bytes(), memory.element_name()), (3, 24, "u64"));
    assert_eq!(memory.process_id(), std::process::id());
    let part = memory.slice(1..).unwrap();
    assert_eq!((part.len(), part.offset_bytes()), (2, 8));
    assert_eq!(IpcMemHandle::from_bytes(&part.to_bytes()).unwrap(), part);
}

#[cfg(feature = "serde")]
#[test]
fn serde_carries_them() {
    let (memory, event) = (handle(), event());
    let text = serde_json::to_string(&(&memory, &event)).unwrap();
    let back: (IpcMemHandle, IpcEventHandle) = serde_json::from_str(&text).unwrap();
    assert_eq!(back, (memory, event));
    assert!(serde_json::from_str::<IpcMemHandle>("\"00\"").is_err());
}

#[test]
fn what_was_damaged_is_refused() {
    let bytes = handle().to_bytes();
    let refused = |bytes: &[u8]| {
        matches!(IpcMemHandle::from_bytes(bytes), Err(Error::Ipc(IpcError::Descriptor { .. })))
    };
    for length in 0..bytes.len() {
        assert!(refused(&bytes[..length]), "cut to {length} bytes");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(refused(&changed), "byte {at} changed");
    }
    assert!(refused(&[bytes.as_slice(), &[0]].concat()), "one byte more");
    assert!(refused(&event().to_bytes()), "an event");
    for text in ["", "0", "zz", "0g"] {
        assert!(text.parse::<IpcMemHandle>().is_err(), "{text:?}");
    }
}

#[test]
fn other_elements_must_fit() {
    let memory = handle();
    assert_eq!(memory.cast::<u16>().unwrap().len(), 12);
    let odd = memory.cast::<u8>().unwrap().slice(1..9).unwrap();
    assert!(matches!(odd.cast::<u64>(), Err(Error::BadCast { misalignment: 1, .. })));
    assert!(matches!(memory.cast::<[u64; 2]>(), Err(Error::BadCast { bytes: 24, .. })));
}
