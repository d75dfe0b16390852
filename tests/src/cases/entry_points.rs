//! Functions of the driver by name and version: `cudaGetDriverEntryPointByVersion`. A null name ends the process inside
//! hardware's library, so it is not asked for, nor is a null place for the address.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use cuda_p2p_sys::cudaDriverEntryPointQueryResult as Found;
use cuda_p2p_sys::driver::{
    Entry, KERNEL_GET_PARAM_INFO, LAUNCH_KERNEL, LIBRARY_GET_KERNEL, LIBRARY_LOAD_DATA, LIBRARY_UNLOAD,
};

use crate::case::{Case, case};
use crate::context::{Cx, answers, refuses};
use crate::needs::{Needs, ONE};

pub(super) const CASES: &[Case] = &[
    case!(all_that_launch_kernels_are_there, BY_VERSION),
    case!(an_unknown_name_is_no_error, BY_VERSION),
    case!(a_version_before_the_function, BY_VERSION),
    case!(a_version_that_is_yet_to_come, BY_VERSION),
    case!(an_unknown_name_of_a_version_to_come, BY_VERSION),
    case!(one_name_has_one_address, BY_VERSION),
    case!(the_result_may_be_left_out, BY_VERSION),
    case!(unknown_flags, BY_VERSION),
];

const BY_VERSION: Needs = ONE.since(12, 5);

/// Asks, demands the status, and gives the address and what was found.
fn ask(cx: &Cx, name: &CStr, version: u32, status: u32) -> (*mut c_void, u32) {
    let mut address = std::ptr::dangling_mut::<c_void>();
    let mut found = Found(99);
    let got = answers!(
        cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, version, 0, &mut found),
        status
    );
    cx.value("status", got.0, status);
    cx.last(status);
    (address, found.0)
}

fn all_that_launch_kernels_are_there(cx: &Cx) {
    let entries =
        [LIBRARY_LOAD_DATA, LIBRARY_UNLOAD, LIBRARY_GET_KERNEL, KERNEL_GET_PARAM_INFO, LAUNCH_KERNEL];
    for Entry { name, version } in entries {
        let (address, found) = ask(cx, name, version, 0);
        let shown = name.to_string_lossy();
        cx.value(&format!("{shown} is found"), found, Found::cudaDriverEntryPointSuccess.0);
        cx.holds(&format!("{shown} has an address"), !address.is_null());
    }
}

fn an_unknown_name_is_no_error(cx: &Cx) {
    let (address, found) = ask(cx, c"cuNoSuchFunction", 12_000, 0);
    cx.value("found", found, Found::cudaDriverEntryPointSymbolNotFound.0);
    cx.value("address.is_null()", address.is_null(), true);
}

fn a_version_before_the_function(cx: &Cx) {
    let (address, found) = ask(cx, c"cuLibraryLoadData", 11_000, 0);
    cx.value("found", found, Found::cudaDriverEntryPointVersionNotSufficent.0);
    cx.value("address.is_null()", address.is_null(), true);
}

/// A runtime newer than the driver asks so. The places are left as they were: address 8 and result 99 say nothing.
fn a_version_that_is_yet_to_come(cx: &Cx) {
    let (address, found) = ask(cx, c"cuLibraryLoadData", 99_000, 1);
    cx.value("found", found, 99);
    cx.value("address.is_null()", address.is_null(), false);
}

fn an_unknown_name_of_a_version_to_come(cx: &Cx) {
    let name = c"cuNoSuchFunction";
    let (mut address, mut found) = (null_mut(), Found(99));
    refuses!(cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, 99_000, 0, &mut found), 1);
    cx.value("found", found.0, 99);
    cx.value("address.is_null()", address.is_null(), true);
}

fn one_name_has_one_address(cx: &Cx) {
    let (first, _) = ask(cx, c"cuLibraryLoadData", 12_000, 0);
    let (second, _) = ask(cx, c"cuLibraryLoadData", 12_000, 0);
    let (other, _) = ask(cx, c"cuLibraryUnload", 12_000, 0);
    cx.holds("asked twice, it is the same", first == second);
    cx.holds("another function has another", first != other);
}

fn the_result_may_be_left_out(cx: &Cx) {
    let name = c"cuLibraryLoadData";
    let mut address = null_mut();
    answers!(cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, 12_000, 0, null_mut()), 0);
    cx.value("address.is_null()", address.is_null(), false);
}

fn unknown_flags(cx: &Cx) {
    let name = c"cuLibraryLoadData";
    let (mut address, mut found) = (null_mut(), Found(99));
    refuses!(cx.cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, 12_000, 0xF0, &mut found), 1);
    refuses!(cx.cudaSetDevice(99), 101);
}
