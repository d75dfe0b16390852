//! Machines that go by a script: calls that fail at one of their uses, devices that are reset or lost. Bad links are in `defects.rs`.

#[macro_use]
mod common;

use std::ptr;

use common::{LEGACY, machine, session};
use cuda_p2p_sim::{Defect, MachineConfig, Means, last_fault};

#[test]
fn enabling_answers_what_the_script_says() {
    let s = machine("devices=2 enable=0>1:205,1>0:802");
    let mut can = 0;
    assert_eq!(cuda!(s, cudaDeviceCanAccessPeer(&mut can, 0, 1)), 0);
    assert_eq!(can, 1, "no question tells of it");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 1)), 1, "arguments first");
    assert_eq!([0; 2].map(|flags| cuda!(s, cudaDeviceEnablePeerAccess(1, flags))), [205; 2]);
    assert_eq!([s.last(), s.last()], [205, 0]);
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 705, "it was not enabled");
    s.set_device(1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 802);
}

#[test]
fn a_call_fails_at_its_use() {
    let config = MachineConfig::pair()
        .defect(Defect::CallFails { call: "cudaMalloc".to_owned(), nth: 3, code: 2 })
        .defect(Defect::CallFails { call: "cudaStreamSynchronize".to_owned(), nth: 1, code: 700 });
    let s = session(config);
    let mut place = ptr::null_mut();
    let answers: Vec<u32> = (0..4).map(|_| cuda!(s, cudaMalloc(&mut place, 16))).collect();
    assert_eq!(answers, [0, 0, 2, 0]);
    assert_eq!([s.last(), s.last()], [2, 0]);
    let answers: Vec<u32> = (0..2).map(|_| cuda!(s, cudaStreamSynchronize(LEGACY))).collect();
    assert_eq!(answers, [700, 0], "told once, and nothing is poisoned");
    assert_eq!(last_fault(), None);
}

#[test]
fn a_device_is_reset_by_somebody_else() {
    let s = machine("devices=2 reset=1:cudaMemcpyPeer:2");
    s.enable_both();
    let (mine, theirs, stream) = (s.malloc(0, 4), s.malloc(1, 4), s.stream(1, 1));
    s.write(mine, &[1; 4]);
    assert_eq!(cuda!(s, cudaMemcpyPeer(theirs, 1, mine, 0, 4)), 0);
    assert_eq!(cuda!(s, cudaMemcpyPeer(theirs, 1, mine, 0, 4)), 1, "its memory is gone");
    assert_eq!(cuda!(s, cudaStreamQuery(stream)), 400, "and its streams");
    assert_eq!(cuda!(s, cudaDeviceDisablePeerAccess(1)), 705, "and access to it");
    assert_eq!(s.read(mine, 4), [1; 4], "device 0 has what it had");
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
}

#[test]
fn a_device_is_lost_at_its_operation() {
    for seed in ["", " seed=5"] {
        let s = machine(&format!("devices=2 lost=1:2{seed}"));
        let place = s.malloc(1, 4);
        s.set_device(1);
        assert_eq!(cuda!(s, cudaMemset(place, 1, 4)), 0);
        assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
        assert_eq!(cuda!(s, cudaMemset(place, 2, 4)), 0);
        assert_eq!(cuda!(s, cudaDeviceSynchronize()), 719);
        let fault = last_fault().expect("a fault");
        assert_eq!((fault.code(), fault.device()), (719, 1));
        assert_eq!(cuda!(s, cudaMemset(place, 2, 4)), 719);
    }
}

#[test]
fn defects_in_code_are_those_of_the_text() {
    let config = MachineConfig::devices(3)
        .defect(Defect::DroppedWrites { accessor: 0, owner: 1, by: Means::Any })
        .defect(Defect::PrivateMirror { accessor: 1, owner: 0, by: Means::Kernel })
        .defect(Defect::BitFlips { accessor: 2, owner: 0, by: Means::Copy, every: 4 })
        .defect(Defect::Hang { accessor: 0, owner: 2, by: Means::Any })
        .defect(Defect::EnableFails { accessor: 1, owner: 2, code: 802 })
        .defect(Defect::CallFails { call: "cudaFree".to_owned(), nth: 1, code: 1 })
        .defect(Defect::Reset { device: 2, call: "cudaFree".to_owned(), nth: 2 })
        .defect(Defect::Lost { device: 1, nth: 9 });
    let text = "devices=3 drop=0>1 mirror=1>0:kernel flip=2>0:copy:4 hang=0>2 enable=1>2:802 \
                fail=cudaFree:1:1 reset=2:cudaFree:2 lost=1:9";
    assert_eq!(config.to_string(), text);
    assert_eq!(text.parse(), Ok(config));
}
