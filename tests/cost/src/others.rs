//! The safe calls that are made less often, each beside the C calls that do the same, through the same table.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::hint::black_box;

use cuda_p2p::sys::{
    CudaRuntime, cudaDeviceAttr, cudaGraph_t, cudaGraphExec_t, cudaMemcpyKind, cudaStream_t,
    cudaStreamCaptureMode,
};
use cuda_p2p::{Device, LaunchConfig, MemPoolOptions, PeerAccess, Runtime, Shape, builtin};

use super::ELEMENTS;
use super::measure::{Way, compare, compare_briefly};
use super::raw::Raw;
use super::report::Report;

const BYTES: usize = size_of::<f32>() * ELEMENTS;
/// Rows of a box.
const ROWS: usize = 4;

/// Makes a call of the table, which must succeed.
macro_rules! raw {
    ($table:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let call = $table.$name.expect("the function");
        // SAFETY: addresses are of memory of that size, handles are live, places are valid; all outlive the work.
        assert_eq!(unsafe { call($($argument),*) }.0, 0);
    }};
}

/// Adds a group for each call of a device, a stream, an event, of memory, a pool and a graph.
pub(crate) fn measure(report: &mut Report, runtime: &Runtime, there: &PeerAccess) -> cuda_p2p::Result<()> {
    streams_and_events(report, runtime, &there.accessor())?;
    memory(report, runtime, there)?;
    graphs(report, runtime, &there.accessor())?;
    questions(report, runtime, there)
}

fn streams_and_events(report: &mut Report, runtime: &Runtime, gpu: &Device) -> cuda_p2p::Result<()> {
    let table = runtime.table();
    let (stream, other) = (gpu.new_stream()?, gpu.new_stream()?);
    let event = gpu.new_event_untimed()?;
    other.record(&event)?;
    let (queue, marker) = (stream.as_raw(), event.as_raw());
    let settle = || stream.synchronize().expect("an idle stream");
    let mut ways = [
        Way::new("raw", || raw!(table, cudaStreamWaitEvent(queue, marker, 0))),
        Way::new("safe", || stream.wait_event(&event).expect("a wait")),
    ];
    report.add("wait for an event", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw!(table, cudaEventQuery(marker))),
        Way::new("safe", || assert!(event.is_done().expect("an answer"))),
    ];
    report.add("event query", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw!(table, cudaStreamQuery(queue))),
        Way::new("safe", || assert!(stream.is_done().expect("an answer"))),
    ];
    report.add("stream query", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw!(table, cudaStreamSynchronize(queue))),
        Way::new("safe", || stream.synchronize().expect("a wait")),
    ];
    report.add("wait for an idle stream", compare(&mut ways, settle));
    Ok(())
}

fn memory(report: &mut Report, runtime: &Runtime, there: &PeerAccess) -> cuda_p2p::Result<()> {
    let (table, gpu) = (runtime.table(), there.accessor());
    let stream = gpu.new_stream()?;
    let queue = stream.as_raw();
    let settle = || stream.synchronize().expect("an idle stream");
    let own = RefCell::new(gpu.alloc_zeroed::<f32>(ELEMENTS)?);
    let address: *mut c_void = own.borrow().as_raw().cast();
    let mut ways = [
        Way::new("raw", || raw!(table, cudaMemsetAsync(address, 0, BYTES, queue))),
        Way::new("safe", || stream.fill_bytes_async(&mut *own.borrow_mut(), 0).expect("a fill")),
    ];
    report.add("fill", compare(&mut ways, settle));

    let pinned = RefCell::new(gpu.alloc_pinned_zeroed::<f32>(ELEMENTS)?);
    let host: *mut c_void = pinned.borrow_mut().write()?.as_mut_ptr().cast();
    let (up, down) = (cudaMemcpyKind::cudaMemcpyHostToDevice, cudaMemcpyKind::cudaMemcpyDeviceToHost);
    let mut ways = [
        Way::new("raw", || raw!(table, cudaMemcpyAsync(address, host, BYTES, up, queue))),
        Way::new("safe", || {
            stream.copy_from_pinned_async(&mut *own.borrow_mut(), &*pinned.borrow()).expect("a copy");
        }),
    ];
    report.add("copy from pinned memory", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw!(table, cudaMemcpyAsync(host, address, BYTES, down, queue))),
        Way::new("safe", || {
            stream.copy_to_pinned_async(&*own.borrow(), &mut pinned.borrow_mut()).expect("a copy");
        }),
    ];
    report.add("copy to pinned memory", compare(&mut ways, settle));

    let shape = Shape::new_2d(ELEMENTS / ROWS, ROWS);
    let (row, inside) = (BYTES / ROWS, cudaMemcpyKind::cudaMemcpyDeviceToDevice);
    let source = gpu.alloc_zeroed::<f32>(ELEMENTS)?;
    let from: *mut c_void = source.as_raw().cast();
    let mut ways = [
        Way::new("raw", || raw!(table, cudaMemcpy2DAsync(address, row, from, row, row, ROWS, inside, queue))),
        Way::new("safe", || {
            let mut own = own.borrow_mut();
            let to = own.pitched_mut(shape).expect("a box");
            stream.copy_pitched_async(to, source.pitched(shape).expect("a box")).expect("a copy");
        }),
    ];
    report.add("copy of a box", compare(&mut ways, settle));

    let mut ways = [
        Way::new("raw", || {
            let mut address = std::ptr::null_mut();
            raw!(table, cudaMalloc(&mut address, BYTES));
            raw!(table, cudaMemsetAsync(address, 0, BYTES, queue));
            raw!(table, cudaStreamSynchronize(queue));
            raw!(table, cudaFree(address));
        }),
        Way::new("safe", || drop(gpu.alloc_zeroed::<f32>(ELEMENTS).expect("memory"))),
    ];
    report.add("memory, zeroed and given back", compare_briefly(&mut ways, settle));
    let pool = gpu.new_mem_pool(MemPoolOptions::default())?;
    let handle = pool.as_raw();
    let mut ways = [
        Way::new("raw", || {
            let mut address = std::ptr::null_mut();
            raw!(table, cudaMallocFromPoolAsync(&mut address, BYTES, handle, queue));
            raw!(table, cudaMemsetAsync(address, 0, BYTES, queue));
            raw!(table, cudaFreeAsync(address, queue));
        }),
        Way::new("safe", || drop(stream.alloc_zeroed_async::<f32>(&pool, ELEMENTS).expect("memory"))),
    ];
    report.add("memory of a pool, zeroed and given back", compare_briefly(&mut ways, settle));
    Ok(())
}

/// A graph of one launch.
fn graphs(report: &mut Report, runtime: &Runtime, gpu: &Device) -> cuda_p2p::Result<()> {
    let table = runtime.table();
    let kernels = builtin::Kernels::load(runtime)?;
    let (stream, event) = (gpu.new_stream()?, gpu.new_event_untimed()?);
    let x = gpu.alloc_zeroed::<f32>(ELEMENTS)?;
    let mut y = gpu.alloc_zeroed::<f32>(ELEMENTS)?;
    let raw = Raw::new(runtime, &stream, &kernels, &event);
    let raw_exec = captured(table, stream.as_raw(), || raw.launch(y.as_raw(), x.as_raw()));
    let graph = stream
        .capture(|_| kernels.add_f32(&stream, LaunchConfig::new(1, 32), &mut y, &x, ELEMENTS as u64))?;
    let exec = graph.instantiate()?;
    let queue = stream.as_raw();
    let settle = || stream.synchronize().expect("an idle stream");
    let mut ways = [
        Way::new("raw", || raw!(table, cudaGraphLaunch(raw_exec, queue))),
        Way::new("safe", || exec.launch(&stream).expect("a launch")),
    ];
    report.add("launch of a graph", compare_briefly(&mut ways, settle));
    raw!(table, cudaGraphExecDestroy(raw_exec));
    Ok(())
}

/// What `record` puts into a stream, as an executable graph. The safe layer does not look at the stream meanwhile.
fn captured(table: &CudaRuntime, stream: cudaStream_t, record: impl FnOnce()) -> cudaGraphExec_t {
    let mut graph: cudaGraph_t = std::ptr::null_mut();
    let mut exec: cudaGraphExec_t = std::ptr::null_mut();
    raw!(table, cudaStreamBeginCapture(stream, cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed));
    record();
    raw!(table, cudaStreamEndCapture(stream, &mut graph));
    raw!(table, cudaGraphInstantiateWithFlags(&mut exec, graph, 0));
    raw!(table, cudaGraphDestroy(graph));
    exec
}

/// What asks and changes nothing, or nothing any more.
fn questions(report: &mut Report, runtime: &Runtime, there: &PeerAccess) -> cuda_p2p::Result<()> {
    let table = runtime.table();
    let (gpu, peer) = (there.accessor(), there.owner());
    let (number, other) = (gpu.ordinal() as c_int, peer.ordinal() as c_int);
    let theirs = peer.alloc_zeroed::<f32>(ELEMENTS)?;
    let settle = || ();
    let mut ways = [
        Way::new("raw", || {
            let mut can = 0;
            raw!(table, cudaDeviceCanAccessPeer(&mut can, number, other));
            assert_eq!(can, 1);
        }),
        Way::new("safe", || assert!(gpu.can_access_peer(&peer).expect("an answer"))),
    ];
    report.add("can a device access its peer", compare_briefly(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || {
            let call = table.cudaDeviceEnablePeerAccess.expect("the function");
            // SAFETY: the call takes numbers.
            assert_eq!(unsafe { call(other, 0) }.0, 704);
            let clear = table.cudaGetLastError.expect("the function");
            // SAFETY: the call takes nothing.
            unsafe { clear() };
        }),
        Way::new("safe", || drop(gpu.enable_peer_access(&peer).expect("access"))),
    ];
    report.add("enable access that is enabled", compare_briefly(&mut ways, settle));
    let attribute = cudaDeviceAttr::cudaDevAttrMultiProcessorCount;
    let mut ways = [
        Way::new("raw", || {
            let mut value = 0;
            raw!(table, cudaDeviceGetAttribute(&mut value, attribute, number));
            black_box(value);
        }),
        Way::new("safe", || {
            black_box(gpu.attribute(attribute).expect("an answer"));
        }),
    ];
    report.add("attribute of a device", compare(&mut ways, settle));
    let mut ways = [
        Way::new("raw", || raw!(table, cudaSetDevice(number))),
        Way::new("safe", || gpu.set_current().expect("a device")),
    ];
    report.add("make a device current", compare(&mut ways, settle));
    let address = theirs.as_raw();
    let mut ways = [
        Way::new("raw", || {
            black_box(black_box(address).wrapping_add(black_box(4)));
        }),
        Way::new("safe", || {
            let part = black_box(&theirs).slice(black_box(4..20)).expect("a slice");
            black_box(there.slice(part).expect("a view"));
        }),
    ];
    report.add("view of a peer's memory", compare(&mut ways, settle));
    Ok(())
}
