//! What is asked about a device: attributes, properties, bus ids, limits, flags, versions, names of errors.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_p2p_sys::{cudaDeviceAttr, cudaDeviceProp, cudaError, cudaLimit};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};

pub(super) const CASES: &[Case] = &[
    case!(devices_are_counted, ONE),
    case!(the_place_is_looked_at_before_the_attribute, ONE),
    case!(a_warp_has_32_threads, ONE),
    case!(attributes_and_properties_agree, ONE),
    case!(properties_of_an_unknown_device, ONE),
    case!(properties_without_a_place, ONE),
    case!(every_device_has_its_own_uuid, TWO),
    case!(a_bus_id_names_its_device, ONE),
    case!(a_bus_id_without_room, ONE),
    case!(a_bus_id_of_an_unknown_device, ONE),
    case!(what_is_no_bus_id, ONE),
    case!(a_bus_id_without_a_place, ONE),
    case!(versions_without_places, ONE),
    case!(the_driver_is_as_new_as_it_must_be, ONE),
    case!(the_stack_is_limited, ONE),
    case!(an_unknown_limit, ONE),
    case!(a_limit_without_a_place, ONE),
    case!(flags_of_a_device, ONE),
    case!(unknown_flags_of_a_device, ONE),
    case!(a_device_is_initialised, ONE),
    case!(an_unknown_device_is_not_initialised, ONE),
    case!(errors_have_names_and_texts, ONE),
];

fn devices_are_counted(cx: &Cx) {
    let mut count = -1;
    answers!(cx.cudaGetDeviceCount(&mut count), 0);
    cx.holds("there is one at least", count >= 1);
    refuses!(cx.cudaSetDevice(count), 101);
    answers!(cx.cudaSetDevice(0), 0);
}

fn the_place_is_looked_at_before_the_attribute(cx: &Cx) {
    refuses!(cx.cudaDeviceGetAttribute(null_mut(), cudaDeviceAttr(9999), 99), 1);
    refuses!(cx.cudaDeviceGetAttribute(null_mut(), cudaDeviceAttr::cudaDevAttrWarpSize, 0), 1);
}

fn a_warp_has_32_threads(cx: &Cx) {
    let mut value = -1;
    answers!(cx.cudaDeviceGetAttribute(&mut value, cudaDeviceAttr::cudaDevAttrWarpSize, 0), 0);
    cx.value("value", value, 32);
    refuses!(cx.cudaDeviceGetAttribute(&mut value, cudaDeviceAttr::cudaDevAttrWarpSize, 99), 101);
}

fn properties(cx: &Cx, device: c_int) -> cudaDeviceProp {
    let mut properties = MaybeUninit::<cudaDeviceProp>::zeroed();
    answers!(cx.cudaGetDeviceProperties(properties.as_mut_ptr(), device), 0);
    // SAFETY: integers, floats and arrays of them: zeroes are a value, and the call wrote another.
    unsafe { properties.assume_init() }
}

fn attributes_and_properties_agree(cx: &Cx) {
    let properties = properties(cx, 0);
    for (name, attribute, want) in [
        ("multiprocessors", cudaDeviceAttr::cudaDevAttrMultiProcessorCount, properties.multiProcessorCount),
        ("major", cudaDeviceAttr::cudaDevAttrComputeCapabilityMajor, properties.major),
        ("minor", cudaDeviceAttr::cudaDevAttrComputeCapabilityMinor, properties.minor),
        ("bus", cudaDeviceAttr::cudaDevAttrPciBusId, properties.pciBusID),
        ("unified addressing", cudaDeviceAttr::cudaDevAttrUnifiedAddressing, properties.unifiedAddressing),
        ("threads of a block", cudaDeviceAttr::cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock),
    ] {
        let mut value = -1;
        answers!(cx.cudaDeviceGetAttribute(&mut value, attribute, 0), 0);
        cx.holds(&format!("{name}: both say the same"), value == want);
    }
}

fn properties_of_an_unknown_device(cx: &Cx) {
    let mut properties = MaybeUninit::<cudaDeviceProp>::zeroed();
    refuses!(cx.cudaGetDeviceProperties(properties.as_mut_ptr(), 99), 101);
}

fn properties_without_a_place(cx: &Cx) {
    refuses!(cx.cudaGetDeviceProperties(null_mut(), 0), 1);
}

fn every_device_has_its_own_uuid(cx: &Cx) {
    let (first, second) = (properties(cx, 0), properties(cx, 1));
    cx.holds("they differ", first.uuid.bytes != second.uuid.bytes);
    // The bus alone may be the same: machines give each device a domain of its own.
    let place = |of: &cudaDeviceProp| (of.pciDomainID, of.pciBusID, of.pciDeviceID);
    cx.holds("so do their places", place(&first) != place(&second));
}

/// `domain:bus:device.function`, in hexadecimal, as `nvidia-smi` writes it too.
fn a_bus_id_names_its_device(cx: &Cx) {
    let mut text = [0 as c_char; 64];
    let mut device = -1;
    answers!(cx.cudaDeviceGetPCIBusId(text.as_mut_ptr(), 64, 0), 0);
    // SAFETY: the array ends with a zero that the call did not reach.
    let shown = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
    let shape: String =
        shown.chars().map(|digit| if digit.is_ascii_hexdigit() { 'x' } else { digit }).collect();
    cx.value("its shape", shape, "xxxx:xx:xx.x".to_owned());
    answers!(cx.cudaDeviceGetByPCIBusId(&mut device, text.as_ptr()), 0);
    cx.value("device", device, 0);
}

fn a_bus_id_without_room(cx: &Cx) {
    let mut text = [7 as c_char; 64];
    refuses!(cx.cudaDeviceGetPCIBusId(text.as_mut_ptr(), 5, 0), 1);
    cx.holds("nothing was written past the room", text[5..].iter().all(|byte| *byte == 7));
}

fn a_bus_id_of_an_unknown_device(cx: &Cx) {
    let mut text = [0 as c_char; 64];
    refuses!(cx.cudaDeviceGetPCIBusId(text.as_mut_ptr(), 64, 99), 101);
}

/// What does not read as one is a wrong value; one that no device has is a wrong device.
fn what_is_no_bus_id(cx: &Cx) {
    let (junk, nobody) = (c"junk", c"0000:00:00.0");
    let mut device = -1;
    refuses!(cx.cudaDeviceGetByPCIBusId(&mut device, junk.as_ptr()), 1);
    refuses!(cx.cudaDeviceGetByPCIBusId(&mut device, nobody.as_ptr()), 101);
    cx.value("device", device, -1);
}

fn a_bus_id_without_a_place(cx: &Cx) {
    refuses!(cx.cudaDeviceGetPCIBusId(null_mut(), 64, 0), 1);
}

fn versions_without_places(cx: &Cx) {
    refuses!(cx.cudaRuntimeGetVersion(null_mut()), 1);
    refuses!(cx.cudaDriverGetVersion(null_mut()), 1);
}

fn the_driver_is_as_new_as_it_must_be(cx: &Cx) {
    let (mut runtime, mut driver) = (0, 0);
    answers!(cx.cudaRuntimeGetVersion(&mut runtime), 0);
    answers!(cx.cudaDriverGetVersion(&mut driver), 0);
    // Within a major release, an older driver serves a newer runtime.
    cx.holds("its major is not older than the runtime's", driver / 1000 >= runtime / 1000);
}

fn the_stack_is_limited(cx: &Cx) {
    let mut bytes = 0;
    answers!(cx.cudaDeviceGetLimit(&mut bytes, cudaLimit::cudaLimitStackSize), 0);
    cx.value("bytes", bytes, 1024);
    answers!(cx.cudaDeviceSetLimit(cudaLimit::cudaLimitStackSize, 2048), 0);
    answers!(cx.cudaDeviceGetLimit(&mut bytes, cudaLimit::cudaLimitStackSize), 0);
    cx.holds("as many bytes as were asked for, at least", bytes >= 2048);
}

fn an_unknown_limit(cx: &Cx) {
    let mut bytes = 7;
    refuses!(cx.cudaDeviceGetLimit(&mut bytes, cudaLimit(99)), 1);
    refuses!(cx.cudaDeviceSetLimit(cudaLimit(99), 1), 1);
}

fn a_limit_without_a_place(cx: &Cx) {
    refuses!(cx.cudaDeviceGetLimit(null_mut(), cudaLimit::cudaLimitStackSize), 1);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

/// Host memory can be mapped, and the runtime waits as it likes.
fn flags_of_a_device(cx: &Cx) {
    let mut flags = 99;
    must!(cx.cudaFree(null_mut()));
    answers!(cx.cudaGetDeviceFlags(&mut flags), 0);
    cx.value("flags", flags, cuda_p2p_sys::cudaDeviceMapHost);
}

fn unknown_flags_of_a_device(cx: &Cx) {
    refuses!(cx.cudaSetDeviceFlags(0xFFFF), 1);
}

fn a_device_is_initialised(cx: &Cx) {
    answers!(cx.cudaInitDevice(0, 0, 0), 0);
    let mut device = -1;
    answers!(cx.cudaGetDevice(&mut device), 0);
    cx.value("device", device, 0);
}

fn an_unknown_device_is_not_initialised(cx: &Cx) {
    refuses!(cx.cudaInitDevice(99, 0, 0), 101);
    must!(cx.cudaDeviceSynchronize());
}

fn errors_have_names_and_texts(cx: &Cx) {
    let texts_of = |code: u32| {
        let (name, text) = (cx.table.cudaGetErrorName?, cx.table.cudaGetErrorString?);
        // SAFETY: both functions take any value and give a NUL-terminated constant.
        let both = unsafe { [CStr::from_ptr(name(cudaError(code))), CStr::from_ptr(text(cudaError(code)))] };
        Some(both.map(|text| text.to_string_lossy().into_owned()))
    };
    let unknown = "unrecognized error code";
    for (code, want) in [
        (704, ["cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"]),
        (12_345, [unknown, unknown]),
    ] {
        cx.value(&format!("name and text of {code}"), texts_of(code), Some(want.map(str::to_owned)));
    }
}
