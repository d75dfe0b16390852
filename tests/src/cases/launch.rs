//! What a launch refuses. What can be asked about a kernel is in `kernel_questions`; that kernels do what they should, in
//! `execution`.

use std::ffi::c_void;
use std::ptr::{from_mut, null, null_mut};

use cuda_p2p_sys::{cudaFuncAttribute, cudaKernel_t, cudaLaunchConfig_t, cudaStreamNonBlocking, dim3};

use crate::case::{Case, case};
use crate::context::{Cx, answers, must, refuses};
use crate::needs::{ONE, TWO};
use crate::setup::NULL_STREAM;
use crate::test_kernels::{parameters, row};

pub(super) const CASES: &[Case] = &[
    case!(empty_blocks, ONE.kernel_handles()),
    case!(grids_out_of_range, ONE.kernel_handles()),
    case!(blocks_out_of_range, ONE.kernel_handles()),
    case!(blocks_larger_than_the_kernel_allows, ONE.kernel_handles()),
    case!(no_kernel, ONE),
    case!(something_that_is_no_kernel, ONE.since(12, 8)),
    case!(no_kernel_and_an_empty_grid, ONE),
    case!(shared_memory_within_the_limit, ONE.kernel_handles()),
    case!(shared_memory_past_the_limit, ONE.kernel_handles()),
    case!(more_shared_memory_when_asked_for, ONE.kernel_handles()),
    case!(a_refused_launch_leaves_the_stream_as_it_was, ONE.kernel_handles()),
    case!(a_launch_is_refused_while_earlier_work_runs, ONE.kernel_handles()),
    case!(a_kernel_on_another_devices_stream, TWO.kernels()),
    case!(no_host_function, ONE),
    case!(a_launch_by_configuration, ONE.kernel_handles()),
];

/// The kernel that writes one word, and its parameters.
struct Store {
    kernel: cudaKernel_t,
    place: *mut c_void,
    value: u32,
}

impl Store {
    fn new(cx: &Cx) -> Self {
        Self { kernel: cx.test_kernel(c"test_store"), place: cx.word(0, 1), value: 2 }
    }

    fn function(&self) -> *const c_void {
        self.kernel.cast()
    }

    fn arguments(&mut self) -> [*mut c_void; 2] {
        let Self { place, value, .. } = self;
        [from_mut(place).cast(), from_mut(value).cast()]
    }

    fn stored(&self, cx: &Cx, want: u32) {
        cx.value("the word", cx.read_word(0, self.place), want);
    }
}

const NONE: dim3 = dim3 { x: 0, y: 1, z: 1 };

fn empty_blocks(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    refuses!(
        cx.cudaLaunchKernel(f, NONE, row(1), a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    refuses!(
        cx.cudaLaunchKernel(f, row(1), NONE, a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    store.stored(cx, 1);
}

fn grids_out_of_range(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    let high = dim3 { x: 1, y: 65_536, z: 1 };
    let wide = row(0x8000_0000);
    refuses!(
        cx.cudaLaunchKernel(f, high, row(1), a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    refuses!(
        cx.cudaLaunchKernel(f, wide, row(1), a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    store.stored(cx, 1);
}

fn blocks_out_of_range(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    let many = dim3 { x: 32, y: 32, z: 2 };
    let deep = dim3 { x: 1, y: 1, z: 65 };
    refuses!(
        cx.cudaLaunchKernel(f, row(1), row(1025), a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    refuses!(
        cx.cudaLaunchKernel(f, row(1), many, a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    refuses!(
        cx.cudaLaunchKernel(f, row(1), deep, a.as_mut_ptr(), 0, NULL_STREAM),
        cx.invalid_configuration()
    );
    store.stored(cx, 1);
}

/// The kernel says `__launch_bounds__(64)`.
fn blocks_larger_than_the_kernel_allows(cx: &Cx) {
    let mut words = cx.filled(0, &[0; 512]);
    let kernel = cx.test_kernel(c"test_reverse_block");
    let mut a = parameters![words];
    refuses!(cx.cudaLaunchKernel(kernel.cast(), row(1), row(65), a.as_mut_ptr(), 0, NULL_STREAM), 1);
    answers!(cx.cudaLaunchKernel(kernel.cast(), row(1), row(64), a.as_mut_ptr(), 0, NULL_STREAM), 0);
    answers!(cx.cudaDeviceSynchronize(), 0);
}

fn no_kernel(cx: &Cx) {
    let mut a = [null_mut::<c_void>()];
    refuses!(cx.cudaLaunchKernel(null(), row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM), 98);
}

fn something_that_is_no_kernel(cx: &Cx) {
    let mut a = [null_mut::<c_void>()];
    let mut word = 0_u64;
    let other = from_mut(&mut word).cast::<c_void>();
    refuses!(cx.cudaLaunchKernel(other, row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM), 400);
}

fn no_kernel_and_an_empty_grid(cx: &Cx) {
    let mut a = [null_mut::<c_void>()];
    let status = answers!(cx.cudaLaunchKernel(null(), NONE, row(1), a.as_mut_ptr(), 0, NULL_STREAM), 98);
    cx.holds("it is one of the two errors", [1, 98].contains(&status.0));
    cx.last(98);
}

const DEFAULT_SHARED: usize = 48 << 10;

fn shared_memory_within_the_limit(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    answers!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), DEFAULT_SHARED, NULL_STREAM), 0);
    store.stored(cx, 2);
}

fn shared_memory_past_the_limit(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    refuses!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), DEFAULT_SHARED + 1, NULL_STREAM), 1);
    refuses!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), 1 << 20, NULL_STREAM), 1);
    store.stored(cx, 1);
}

/// Up to 227 KiB of a block on this architecture, once the kernel's attribute says so.
fn more_shared_memory_when_asked_for(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    let most = cudaFuncAttribute::cudaFuncAttributeMaxDynamicSharedMemorySize;
    answers!(cx.cudaFuncSetAttribute(f, most, 227 << 10), 0);
    refuses!(cx.cudaFuncSetAttribute(f, most, 229 << 10), 1);
    answers!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), 227 << 10, NULL_STREAM), 0);
    store.stored(cx, 2);
}

fn a_refused_launch_leaves_the_stream_as_it_was(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    let stream = cx.stream(0, cudaStreamNonBlocking);
    refuses!(cx.cudaLaunchKernel(f, NONE, row(1), a.as_mut_ptr(), 0, stream), cx.invalid_configuration());
    answers!(cx.cudaStreamQuery(stream), 0);
    answers!(cx.cudaLaunchKernel(f, row(1), row(1), a.as_mut_ptr(), 0, stream), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    store.stored(cx, 2);
}

/// The work is a kernel that waits until the refusal is here.
fn a_launch_is_refused_while_earlier_work_runs(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, place, mut a) = (store.function(), store.place, store.arguments());
    let stream = cx.stream(0, cudaStreamNonBlocking);
    let mut pinned = null_mut();
    must!(cx.cudaMallocHost(&mut pinned, 12));
    // A kernel that is launched for the first time is loaded, which waits for the device.
    cx.store_word(stream, place, 1);
    must!(cx.cudaStreamSynchronize(stream));
    let (flag, data) = (pinned.cast::<u32>(), pinned.wrapping_byte_add(4));
    // SAFETY: pinned memory of three words, which no kernel has yet.
    unsafe { flag.cast::<[u32; 3]>().write_volatile([0, 7, 0]) };
    cx.wait_for_flag(stream, pinned, 1, data, data.wrapping_byte_add(4));
    refuses!(cx.cudaLaunchKernel(f, NONE, row(1), a.as_mut_ptr(), 0, stream), cx.invalid_configuration());
    answers!(cx.cudaStreamQuery(stream), 600);
    // SAFETY: as above; the kernel reads the word with a volatile load, at any time.
    unsafe { flag.write_volatile(1) };
    answers!(cx.cudaStreamSynchronize(stream), 0);
    // SAFETY: as above; the kernel that wrote it has ended.
    cx.value("what the kernel saw after the flag", unsafe { flag.wrapping_add(2).read_volatile() }, 7);
    store.stored(cx, 1);
}

fn a_kernel_on_another_devices_stream(cx: &Cx) {
    let theirs = cx.word(1, 1);
    let stream_of_1 = cx.stream(1, cudaStreamNonBlocking);
    if cx.refuses_streams_of_other_devices() {
        let kernel = cx.test_kernel(c"test_store").cast::<c_void>().cast_const();
        let (mut place, mut value) = (theirs, 2_u32);
        let mut a = parameters![place, value];
        refuses!(cx.cudaLaunchKernel(kernel, row(1), row(1), a.as_mut_ptr(), 0, stream_of_1), 400);
        cx.value("what was stored", cx.read_word(1, theirs), 1);
        return;
    }
    cx.store_word(stream_of_1, theirs, 2);
    answers!(cx.cudaStreamSynchronize(stream_of_1), 0);
    cx.value("what was stored", cx.read_word(1, theirs), 2);
}

fn no_host_function(cx: &Cx) {
    refuses!(cx.cudaLaunchHostFunc(NULL_STREAM, None, null_mut()), 1);
}

fn a_launch_by_configuration(cx: &Cx) {
    let mut store = Store::new(cx);
    let (f, mut a) = (store.function(), store.arguments());
    let stream = cx.stream(0, cudaStreamNonBlocking);
    // SAFETY: integers and pointers: zeroes say that there are no attributes.
    let mut config: cudaLaunchConfig_t = unsafe { std::mem::zeroed() };
    (config.gridDim, config.blockDim, config.stream) = (row(1), row(1), stream);
    answers!(cx.cudaLaunchKernelExC(&config, f, a.as_mut_ptr()), 0);
    answers!(cx.cudaStreamSynchronize(stream), 0);
    store.stored(cx, 2);
    config.gridDim = NONE;
    let status = answers!(cx.cudaLaunchKernelExC(&config, f, a.as_mut_ptr()), cx.invalid_configuration());
    cx.holds("an empty grid is an error", status.0 != 0);
    cx.last(cx.invalid_configuration());
}
