//! Uses that nobody notes, because the memory has one stream: what comes in between two looks at the word. A thread is stopped
//! inside a call of the runtime, so that others come just then; what it puts in is late in its stream, so that whoever does not
//! wait for it is early.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::time::Duration;

use cuda_p2p::sys::{CudaRuntime, cudaError_t, cudaGraphExec_t, cudaMemcpyKind, cudaStream_t};
use cuda_p2p::{DeviceBuffer, GraphExec, Runtime, Stream};
use cuda_p2p_model::{Kernels, World, under_seeds};

use crate::stop::{Stop, stopped};
use crate::{ONE, SLOW};

/// Long enough for the other threads to be overtaken by whoever does not wait.
const LATE: u64 = 40 * SLOW;
/// Long enough for a thread that does not wait to be through.
const A_WHILE: Duration = Duration::from_millis(2);

/// The table of the machine, whose functions stay the same from one to the next.
static TABLE: OnceLock<CudaRuntime> = OnceLock::new();

unsafe extern "C" fn copy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaMemcpyAsync).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(to, from, bytes, kind, stream) })
}

unsafe extern "C" fn launch(exec: cudaGraphExec_t, stream: cudaStream_t) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaGraphLaunch).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(exec, stream) })
}

/// A runtime whose copies and launches of graphs can be stopped.
fn with_stops(world: &World) -> (Runtime, Kernels) {
    let table = TABLE.get_or_init(|| *world.runtime.table());
    let mut table = CudaRuntime { cudaMemcpyAsync: Some(copy), cudaGraphLaunch: Some(launch), ..*table };
    // Copies by the driver would go around the stop.
    table.cudaGetDriverEntryPointByVersion = None;
    table.cudaGetDriverEntryPoint = None;
    // SAFETY: the functions are those of the machine, which nothing else of this test uses.
    let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(table))) };
    (runtime, Kernels::load(&runtime).unwrap())
}

/// Memory of zeros that only `stream` has work on, as a writer, and a seven that only `stream` reads.
fn of_one_stream(stream: &Stream, len: usize) -> (DeviceBuffer<u32>, DeviceBuffer<u32>) {
    let mut memory = stream.device().alloc_from(&vec![1u32; len]).unwrap();
    let seven = stream.device().alloc_from(&[7u32]).unwrap();
    stream.copy_async(memory.slice_mut(..1).unwrap(), &seven).unwrap();
    stream.fill_bytes_async(&mut memory, 0).unwrap();
    (memory, seven)
}

/// What a stream writes late is waited for by a third, although another came while it was put in.
#[test]
fn a_write_that_another_stream_came_in_between_is_waited_for() {
    under_seeds("devices=1", |world| {
        let (runtime, kernels) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let [first, second, third] = [(); 3].map(|()| device.new_stream().unwrap());
        let (mut memory, seven) = of_one_stream(&first, 2);
        let stop = Stop::new();
        let (left, mut right) = memory.as_slice_mut().split_at_mut(1).unwrap();
        std::thread::scope(|scope| {
            let (first, seven) = (&first, &seven);
            scope.spawn(move || {
                stop.arm();
                first.copy_async(left, seven).unwrap();
            });
            stop.wait_until_inside();
            kernels.delayed_store(&second, ONE, &mut right, 7, 0).unwrap();
            kernels.delay(first, ONE, LATE).unwrap();
            stop.go();
        });
        let mut found = [0; 2];
        third.copy_to_host(&memory, &mut found).unwrap();
        assert_eq!(found, [7; 2]);
    });
}

/// A stream that read another part in between is ordered behind the write when it comes again.
#[test]
fn a_reader_that_came_in_between_is_ordered_again() {
    under_seeds("devices=1", |world| {
        let (runtime, kernels) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let [first, second] = [(); 2].map(|()| device.new_stream().unwrap());
        let (mut memory, seven) = of_one_stream(&first, 2);
        let mut sink = device.alloc_from(&[9u32]).unwrap();
        let stop = Stop::new();
        let (left, right) = memory.as_slice_mut().split_at_mut(1).unwrap();
        std::thread::scope(|scope| {
            let (first, seven) = (&first, &seven);
            scope.spawn(move || {
                stop.arm();
                first.copy_async(left, seven).unwrap();
            });
            stop.wait_until_inside();
            second.copy_async(&mut sink, &right).unwrap();
            kernels.delay(first, ONE, LATE).unwrap();
            stop.go();
        });
        let mut found = [0];
        second.copy_to_host(memory.slice(..1).unwrap(), &mut found).unwrap();
        assert_eq!(found, [7]);
    });
}

/// A stream that is known as a reader alone does not write without a note.
#[test]
fn a_write_after_a_read_is_noted() {
    under_seeds("devices=1", |world| {
        let (device, kernels) = (world.runtime.device(0).unwrap(), &world.kernels);
        let [first, second] = [(); 2].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[0u32]).unwrap();
        let mut sink = device.alloc_from(&[9u32]).unwrap();
        first.copy_async(&mut sink, &memory).unwrap();
        kernels.delayed_store(&first, ONE, &mut memory, 7, LATE).unwrap();
        let mut found = [0];
        second.copy_to_host(&memory, &mut found).unwrap();
        assert_eq!(found, [7]);
    });
}

/// The stream that came last alone is on the list: what the first has there later is noted.
#[test]
fn a_stream_that_lost_the_memory_notes_its_next_use() {
    under_seeds("devices=1", |world| {
        let (device, kernels) = (world.runtime.device(0).unwrap(), &world.kernels);
        let [first, second, third] = [(); 3].map(|()| device.new_stream().unwrap());
        let mut memory = device.alloc_from(&[0u32]).unwrap();
        for round in 0..4 {
            kernels.delayed_store(&first, ONE, &mut memory, 5, 0).unwrap();
            kernels.delayed_store(&second, ONE, &mut memory, 6, LATE).unwrap();
            kernels.delayed_store(&first, ONE, &mut memory, 7 + round, LATE).unwrap();
            let mut found = [0];
            third.copy_to_host(&memory, &mut found).unwrap();
            assert_eq!(found, [7 + round]);
        }
    });
}

/// No capture begins while a call is under way that notes nothing.
#[test]
fn a_capture_begins_after_a_call_that_is_under_way() {
    under_seeds("devices=1", |world| {
        let (runtime, _) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let (mut memory, seven) = of_one_stream(&stream, 1);
        let stop = Stop::new();
        std::thread::scope(|scope| {
            let (stream, seven, memory) = (&stream, &seven, &mut memory);
            scope.spawn(move || {
                stop.arm();
                stream.copy_async(memory, seven).unwrap();
            });
            stop.wait_until_inside();
            let capture = scope.spawn(move || {
                let graph = stream.capture(|_| Ok(()));
                assert!(stop.is_over(), "a capture began in the midst of a call");
                graph.map(drop)
            });
            std::thread::sleep(A_WHILE);
            stop.go();
            capture.join().unwrap().unwrap();
        });
        assert_eq!(memory.to_vec().unwrap(), [7]);
    });
}

fn filling(stream: &Stream, memory: &mut DeviceBuffer<u32>) -> GraphExec {
    stream.capture(|_| stream.fill_bytes_async(memory, 1)).unwrap().instantiate().unwrap()
}

/// A launch has no borrow of the memory: it is put in after the work on it that is under way.
#[test]
fn a_launch_waits_until_work_on_its_memory_is_put_in() {
    under_seeds("devices=1", |world| {
        let (runtime, _) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let [first, second] = [(); 2].map(|()| device.new_stream().unwrap());
        let (mut memory, seven) = of_one_stream(&first, 1);
        let exec = filling(&second, &mut memory);
        first.copy_async(&mut memory, &seven).unwrap();
        let stop = Stop::new();
        std::thread::scope(|scope| {
            let (first, second, seven, memory) = (&first, &second, &seven, &mut memory);
            scope.spawn(move || {
                stop.arm();
                first.copy_async(memory, seven).unwrap();
            });
            stop.wait_until_inside();
            let launch = scope.spawn(move || {
                exec.launch(second).unwrap();
                assert!(stop.is_over(), "the launch is in no order with the copy");
            });
            std::thread::sleep(A_WHILE);
            stop.go();
            launch.join().unwrap();
        });
        assert_eq!(memory.to_vec().unwrap(), [0x0101_0101]);
    });
}

/// The other way round.
#[test]
fn work_waits_until_a_launch_on_its_memory_is_put_in() {
    under_seeds("devices=1", |world| {
        let (runtime, _) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let [first, second] = [(); 2].map(|()| device.new_stream().unwrap());
        let (mut memory, seven) = of_one_stream(&first, 1);
        let exec = filling(&second, &mut memory);
        let stop = Stop::new();
        std::thread::scope(|scope| {
            let (first, second, seven, memory) = (&first, &second, &seven, &mut memory);
            scope.spawn(move || {
                stop.arm();
                exec.launch(second).unwrap();
            });
            stop.wait_until_inside();
            let copy = scope.spawn(move || {
                first.copy_async(memory, seven).unwrap();
                assert!(stop.is_over(), "the copy is in no order with the launch");
            });
            std::thread::sleep(A_WHILE);
            stop.go();
            copy.join().unwrap();
        });
        assert_eq!(memory.to_vec().unwrap(), [7]);
    });
}

/// Launches and copies of the same two pieces of memory, taken in either order, by two threads: nobody waits for ever.
#[test]
fn launches_and_other_work_do_not_wait_for_each_other_in_a_circle() {
    under_seeds("devices=1", |world| {
        let device = world.runtime.device(0).unwrap();
        let [first, second, third] = [(); 3].map(|()| device.new_stream().unwrap());
        let (mut one, mut other) =
            (device.alloc_from(&[1u32; 4]).unwrap(), device.alloc_from(&[2u32; 4]).unwrap());
        let execs = [&first, &second].map(|stream| {
            let graph = stream.capture(|_| {
                stream.copy_async(&mut one, &other)?;
                stream.copy_async(&mut other, &one)
            });
            (stream, graph.unwrap().instantiate().unwrap())
        });
        std::thread::scope(|scope| {
            for (stream, exec) in &execs {
                scope.spawn(move || (0..8).for_each(|_| exec.launch(stream).unwrap()));
            }
            scope.spawn(|| {
                for _ in 0..8 {
                    third.copy_async(&mut one, &other).unwrap();
                    third.copy_async(&mut other, &one).unwrap();
                }
            });
        });
        assert_eq!(one.to_vec().unwrap(), other.to_vec().unwrap());
    });
}

/// What a stream had alone before is kept by the graph all the same.
#[test]
fn a_captured_use_of_memory_that_the_stream_has_alone_is_the_graphs() {
    under_seeds("devices=1", |world| {
        let device = world.runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let (mut memory, seven) = of_one_stream(&stream, 1);
        stream.copy_async(&mut memory, &seven).unwrap();
        let graph = stream.capture(|_| stream.copy_async(&mut memory, &seven)).unwrap();
        let exec = graph.instantiate().unwrap();
        drop((memory, seven));
        // Frees what nobody keeps.
        device.synchronize().unwrap();
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
    });
}

/// Memory is not given away while a launch with it is being made.
#[test]
fn memory_is_given_away_after_a_launch_that_is_under_way() {
    under_seeds("devices=1", |world| {
        let (runtime, _) = with_stops(world);
        let device = runtime.device(0).unwrap();
        let stream = device.new_stream().unwrap();
        let mut memory = device.alloc_from(&[1u32]).unwrap();
        let exec = filling(&stream, &mut memory);
        let stop = Stop::new();
        let address = std::thread::scope(|scope| {
            let (exec, stream) = (&exec, &stream);
            scope.spawn(move || {
                stop.arm();
                exec.launch(stream).unwrap();
            });
            stop.wait_until_inside();
            let given = scope.spawn(move || {
                let address = memory.into_raw();
                assert!(stop.is_over(), "a launch is still being made");
                address.expose_provenance()
            });
            std::thread::sleep(A_WHILE);
            stop.go();
            given.join().unwrap()
        });
        exec.launch(&stream).unwrap_err();
        let address = std::ptr::with_exposed_provenance_mut(address);
        // By a runtime that can ask the driver what it is.
        let device = world.runtime.device(0).unwrap();
        stream.synchronize().unwrap();
        // SAFETY: it was given away above, and nobody else has it.
        let memory = unsafe { DeviceBuffer::<u32>::from_raw(&device, address, 1) }.unwrap();
        assert_eq!(memory.to_vec().unwrap(), [0x0101_0101]);
    });
}
