//! Abilities that the simulator does not have, each by one right use: hardware carries it out, the simulator answers 801 and
//! does nothing (`divergences` lists them). When the simulator learns one, its case here says so.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

use cuda_p2p_sys::cudaMemAttachGlobal;

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, record};
use crate::needs::ONE;
use crate::setup::NULL_STREAM;
use crate::test_kernels::{parameters, row};

pub(super) const CASES: &[Case] = &[
    case!(managed_memory_is_allocated, ONE),
    case!(a_graph_is_made_by_hand, ONE),
    case!(a_cooperative_launch, ONE.kernel_handles()),
    case!(a_device_is_chosen_by_its_properties, ONE),
    case!(devices_are_listed_in_the_order_of_choice, ONE),
    case!(a_global_of_a_library, ONE.kernel_handles()),
];

fn managed_memory_is_allocated(cx: &Cx) {
    let mut pointer = null_mut();
    answers!(cx.cudaMallocManaged(&mut pointer, 64, cudaMemAttachGlobal), 0);
    cx.last(0);
}

fn a_graph_is_made_by_hand(cx: &Cx) {
    let mut graph = null_mut();
    answers!(cx.cudaGraphCreate(&mut graph, 0), 0);
    cx.last(0);
}

fn a_cooperative_launch(cx: &Cx) {
    let kernel = cx.test_kernel(c"test_store");
    let (mut place, mut value) = (cx.word(0, 1), 2_u32);
    let mut a = parameters![place, value];
    let f = kernel.cast::<c_void>().cast_const();
    answers!(cx.cudaLaunchCooperativeKernel(f, row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM), 0);
    cx.last(0);
    cx.value("what was stored", cx.read_word(0, place), 2);
}

fn a_device_is_chosen_by_its_properties(cx: &Cx) {
    let mut properties = MaybeUninit::zeroed();
    let mut device = -1;
    must!(cx.cudaGetDeviceProperties(properties.as_mut_ptr(), 0));
    answers!(cx.cudaChooseDevice(&mut device, properties.as_ptr()), 0);
    cx.last(0);
}

fn devices_are_listed_in_the_order_of_choice(cx: &Cx) {
    let mut devices: [c_int; 1] = [0];
    record!(cx.cudaSetValidDevices(devices.as_mut_ptr(), 1));
    cx.clear_last();
    answers!(cx.cudaDeviceSynchronize(), 0);
}

/// There is none of that name.
fn a_global_of_a_library(cx: &Cx) {
    cx.test_kernel(c"test_store");
    let name = c"no_such_variable";
    let (mut address, mut bytes) = (null_mut(), 0);
    let library = cx.test_library.get().map_or(null_mut(), |library| library.0);
    record!(cx.cudaLibraryGetGlobal(&mut address, &mut bytes, library, name.as_ptr()));
    cx.clear_last();
    answers!(cx.cudaDeviceSynchronize(), 0);
}
