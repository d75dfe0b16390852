//! Launches: what is refused, and that kernels of several devices and streams really run side by side.

#[macro_use]
mod common;

use std::ptr;

use common::kernels::{MODULE, arg};
use common::{LEGACY, Session, pair, session};
use cuda_p2p_sim::MachineConfig;
use cuda_p2p_sys::{cudaFuncAttribute, dim3};

/// In order, and under some seeds.
fn on_every_schedule(test: impl Fn(&Session)) {
    test(&pair());
    for seed in 0..12 {
        test(&session(MachineConfig::pair().seed(seed)));
    }
}

#[test]
fn a_kernel_reads_a_peer() {
    on_every_schedule(a_kernel_reads_a_peer_on);
}

fn a_kernel_reads_a_peer_on(s: &Session) {
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    let (y, x) = (s.malloc(0, 4000), s.malloc(1, 4000));
    let words = |f: fn(u32) -> u32| (0..1000).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
    s.write(y, &words(|i| i));
    s.write(x, &words(|i| i * 1000));
    assert_eq!(s.launch(s.kernel(c"add"), (4, 256), LEGACY, &[arg(&y), arg(&x), arg(&1000_u32)]), 0);
    assert_eq!(s.read(y, 4000), words(|i| i * 1001));
}

#[test]
fn kernels_of_two_devices_wait_for_each_other() {
    on_every_schedule(kernels_of_two_devices_wait_for_each_other_on);
}

fn kernels_of_two_devices_wait_for_each_other_on(s: &Session) {
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(1, 0)), 0);
    s.set_device(1);
    assert_eq!(cuda!(s, cudaDeviceEnablePeerAccess(0, 0)), 0);
    let (d0, d1) = (s.malloc(0, 4), s.malloc(1, 4));
    for place in [d0, d1] {
        assert_eq!(cuda!(s, cudaMemset(place, 0, 4)), 0);
    }
    s.synchronize();
    let (kernel, other) = (s.kernel(c"ping"), s.stream(1, 1));
    let rounds = 100_u32;
    let args = [arg(&d0), arg(&d1), arg(&rounds), arg(&1_u32)];
    assert_eq!(s.launch(kernel, (1, 1), LEGACY, &args), 0);
    let args = [arg(&d1), arg(&d0), arg(&rounds), arg(&0_u32)];
    assert_eq!(s.launch(kernel, (1, 1), other, &args), 0, "a stream of a device that is not current");
    s.synchronize();
    assert_eq!((s.read(d0, 4), s.read(d1, 4)), (vec![100, 0, 0, 0], vec![100, 0, 0, 0]));
}

#[test]
fn a_kernel_that_spins_lets_other_streams_of_its_device_go_on() {
    on_every_schedule(a_kernel_that_spins_lets_other_streams_of_its_device_go_on_on);
}

fn a_kernel_that_spins_lets_other_streams_of_its_device_go_on_on(s: &Session) {
    let flag = s.malloc(0, 4);
    assert_eq!(cuda!(s, cudaMemset(flag, 0, 4)), 0);
    let (a, b) = (s.stream(0, 1), s.stream(0, 1));
    assert_eq!(cuda!(s, cudaDeviceSynchronize()), 0);
    assert_eq!(s.launch(s.kernel(c"spin"), (1, 1), a, &[arg(&flag)]), 0);
    assert_eq!(cuda!(s, cudaStreamQuery(a)), 600);
    assert_eq!(s.launch(s.kernel(c"store"), (1, 1), b, &[arg(&flag), arg(&1_u32)]), 0);
    assert_eq!(cuda!(s, cudaStreamSynchronize(a)), 0);
}

#[test]
fn libraries_and_kernels() {
    let s = pair();
    let (mut library, mut kernel, mut count) = (ptr::null_mut(), ptr::null_mut(), 0);
    let fatbin = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0_u8];
    let mut load = |code: *const std::ffi::c_void| {
        let null = ptr::null_mut();
        cuda!(
            s,
            cudaLibraryLoadData(
                &mut library,
                code,
                ptr::null_mut(),
                null,
                0,
                ptr::null_mut(),
                ptr::null_mut(),
                0
            )
        )
    };
    assert_eq!(load(ptr::null()), 1);
    assert_eq!(load(fatbin.as_ptr().cast()), 0, "lazily, as on hardware");
    assert_eq!(cuda!(s, cudaLibraryGetKernel(&mut kernel, library, c"store".as_ptr())), 209);
    let mut load = |code: *const std::ffi::c_void| {
        let null = ptr::null_mut();
        cuda!(
            s,
            cudaLibraryLoadData(
                &mut library,
                code,
                ptr::null_mut(),
                null,
                0,
                ptr::null_mut(),
                ptr::null_mut(),
                0
            )
        )
    };
    assert_eq!(load(ptr::from_ref(&MODULE).cast()), 0);
    assert_eq!(cuda!(s, cudaLibraryGetKernelCount(&mut count, library)), 0);
    assert_eq!(count, 7);
    assert_eq!(cuda!(s, cudaLibraryGetKernel(&mut kernel, library, c"no such".as_ptr())), 500);
    assert_eq!(cuda!(s, cudaLibraryGetKernel(&mut kernel, library, c"add".as_ptr())), 0);
    let (mut offset, mut size) = (0, 0);
    let place = kernel.cast_const().cast();
    assert_eq!(cuda!(s, cudaFuncGetParamInfo(place, 2, &mut offset, &mut size)), 0);
    assert_eq!((offset, size), (16, 4));
    assert_eq!(cuda!(s, cudaFuncGetParamInfo(place, 3, &mut offset, &mut size)), 1);
    assert_eq!(cuda!(s, cudaLibraryUnload(library)), 0);
    assert_eq!(cuda!(s, cudaFuncGetParamInfo(place, 2, ptr::null_mut(), &mut size)), 1);
    assert_eq!(cuda!(s, cudaFuncGetParamInfo(place, 2, &mut offset, &mut size)), 400);
    assert_eq!(s.launch(place, (1, 1), LEGACY, &[]), 400);
}

#[test]
fn launches_are_checked() {
    let s = pair();
    let (place, store, add) = (s.malloc(0, 4), s.kernel(c"store"), s.kernel(c"add"));
    let value = 1_u32;
    let mut args = [arg(&place).cast_mut(), arg(&value).cast_mut()];
    let mut launch = |kernel, grid: [u32; 3], block: [u32; 3], shared| {
        let dim = |[x, y, z]: [u32; 3]| dim3 { x, y, z };
        cuda!(s, cudaLaunchKernel(kernel, dim(grid), dim(block), args.as_mut_ptr(), shared, LEGACY))
    };
    assert_eq!(launch(ptr::null(), [1; 3], [1; 3], 0), 98);
    assert_eq!(launch(store, [0, 1, 1], [1; 3], 0), 1);
    assert_eq!(launch(store, [1; 3], [1, 0, 1], 0), 1);
    assert_eq!(launch(store, [1; 3], [1025, 1, 1], 0), 1);
    assert_eq!(launch(store, [1; 3], [1, 1, 65], 0), 1);
    assert_eq!(launch(store, [1, 65_536, 1], [1; 3], 0), 1);
    assert_eq!(launch(add, [1; 3], [257, 1, 1], 0), 1, "its __launch_bounds__ say 256");
    assert_eq!(launch(store, [1; 3], [1; 3], 49_153), 1);
    let attribute = cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize;
    assert_eq!(cuda!(s, cudaFuncSetAttribute(store, attribute, 300_000)), 1);
    assert_eq!(cuda!(s, cudaFuncSetAttribute(store, attribute, 100_000)), 0);
    assert_eq!(launch(store, [1; 3], [1; 3], 100_000), 0);
    assert_eq!(launch(store, [1; 3], [1; 3], 100_001), 1);
    s.synchronize();
    assert_eq!(s.read(place, 4), [1, 0, 0, 0]);
}

#[test]
fn driver_functions_act_on_the_same_objects() {
    use cuda_p2p_sys::cudaDriverEntryPointQueryResult as Found;
    use cuda_p2p_sys::driver::{CuKernel, KERNEL_GET_PARAM_INFO, KernelGetParamInfo, LIBRARY_LOAD_DATA};
    let s = pair();
    let ask = |name: &std::ffi::CStr, version| {
        let (mut address, mut found) = (ptr::null_mut(), Found(9));
        let status =
            cuda!(s, cudaGetDriverEntryPointByVersion(name.as_ptr(), &mut address, version, 0, &mut found));
        (status, found.0, address)
    };
    let entry = KERNEL_GET_PARAM_INFO;
    let (status, found, address) = ask(entry.name, entry.version);
    assert_eq!((status, found), (0, 0));
    // SAFETY: the runtime says that this is the function of that name.
    let get_param_info: KernelGetParamInfo = unsafe { std::mem::transmute(address) };
    let (kernel, mut offset, mut size) = (CuKernel(s.kernel(c"store").cast_mut()), 0, 0);
    // SAFETY: a kernel of this machine, and places for two numbers.
    let mut ask_all =
        || [0, 1, 2].map(|index| unsafe { get_param_info(kernel, index, &mut offset, &mut size) }.0);
    assert_eq!(ask_all(), [201; 3], "no call has made a context current on this thread");
    s.set_device(0);
    let statuses = ask_all();
    assert_eq!((statuses, offset, size), ([0, 0, 1], 8, 4));
    assert_eq!(ask(entry.name, entry.version - 10), (0, 2, ptr::null_mut()), "older than the function");
    assert_eq!(ask(c"cuNoSuchThing", 12_000), (0, 1, ptr::null_mut()));
    assert_eq!(ask(LIBRARY_LOAD_DATA.name, 99_000).0, 1, "newer than the driver");
}
