//! Memory of pools in graphs: freed behind the launches, and reached by grants that stay.

use std::ffi::{c_int, c_ulonglong};
use std::sync::OnceLock;
use std::time::Duration;

use cuda_p2p::sys::{CudaRuntime, cudaError_t, cudaGraph_t, cudaGraphExec_t};
use cuda_p2p::{
    CaptureError, CopyPath, Device, DeviceBuffer, Error, Graph, GraphChange, GraphError, GraphExec, MemPool,
    MemPoolOptions, PeerAccess, Runtime, Stream,
};
use cuda_p2p_model::{World, under_seeds};

use crate::stop::{Stop, stopped};
use crate::{ONE, PAIR, SLOW};

const IN_USE: Error = Error::GrantInUse { accessor: 0, owner: 1 };

/// The pool is the second device's.
fn pair(world: &World) -> (Device, Device, MemPool) {
    let (a, b) = (world.runtime.device(0).unwrap(), world.runtime.device(1).unwrap());
    (a, b, b.new_mem_pool(MemPoolOptions::default()).unwrap())
}

fn graph(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> Graph {
    stream.capture(|_| work()).unwrap()
}

fn exec(stream: &Stream, work: impl FnOnce() -> cuda_p2p::Result<()>) -> GraphExec {
    graph(stream, work).instantiate().unwrap()
}

/// A kernel of device 0 that stores 7 in memory of the pool, slowly; the pool is opened for it. The memory is given too: to free it, the
/// owner would wait for the launch.
fn storing(
    world: &World,
    pool: &MemPool,
    stream: &Stream,
    access: &PeerAccess,
) -> (GraphExec, DeviceBuffer<u32>) {
    pool.enable_access_from(&[stream.device()]).unwrap();
    let owners = pool.device().new_stream().unwrap();
    let mut word = owners.alloc_from(pool, &[1u32]).unwrap();
    let store = || world.kernels.delayed_store(stream, ONE, access.slice_mut(&mut word)?, 7, SLOW);
    (exec(stream, store), word)
}

#[test]
fn memory_is_freed_behind_the_launch() {
    under_seeds(PAIR, |world| {
        let (_, b, pool) = pair(world);
        let (stream, other) = (b.new_stream().unwrap(), b.new_stream().unwrap());
        let mut seen = b.alloc_zeroed::<u8>(64).unwrap();
        let source = stream.alloc_from(&pool, &[7u8; 64]).unwrap();
        let exec = exec(&stream, || {
            world.kernels.delay(&stream, ONE, SLOW)?;
            stream.copy_async(&mut seen, &source)
        });
        exec.launch(&other).unwrap();
        drop((exec, source));
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn a_grant_is_held_by_what_a_kernel_of_a_graph_was_given() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let (stream, access) = (a.new_stream().unwrap(), a.enable_peer_access(&b).unwrap());
        let (exec, _word) = storing(world, &pool, &stream, &access);
        assert_eq!(pool.disable_access_from(&[a]), Err(IN_USE));
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(exec);
        pool.disable_access_from(&[a]).unwrap();
    });
}

/// The stream is the owner's, which needs no grant of its own.
#[test]
fn a_grant_is_held_by_a_graph_whose_copy_is_direct() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        pool.enable_access_from(&[a]).unwrap();
        let stream = b.new_stream().unwrap();
        let source = stream.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut seen = a.alloc_zeroed::<u8>(64).unwrap();
        let graph = graph(&stream, || {
            assert_eq!(stream.copy_peer_async(&mut seen, &source)?, CopyPath::Direct);
            Ok(())
        });
        assert_eq!(pool.disable_access_from(&[a]), Err(IN_USE));
        graph.instantiate().unwrap().launch(&stream).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

/// A copy from memory of device 0 to memory of the pool, by the owner's access to that, recorded before the pool was opened. Whoever has
/// the bytes pushes them, if it can when the graph is instantiated.
fn pulled(runtime: &Runtime, pool: &MemPool, stream: &Stream) -> Graph {
    let source = runtime.device(0).unwrap().alloc_from(&[7u8; 64]).unwrap();
    let mut to = stream.alloc_zeroed_async::<u8>(pool, 64).unwrap();
    graph(stream, || {
        assert_eq!(stream.copy_peer_async(&mut to, &source)?, CopyPath::Direct);
        Ok(())
    })
}

#[test]
fn a_grant_is_held_by_what_was_instantiated_with_it() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let (stream, _access) = (b.new_stream().unwrap(), b.enable_peer_access(&a).unwrap());
        let graph = pulled(&world.runtime, &pool, &stream);
        pool.enable_access_from(&[a]).unwrap();
        let exec = graph.instantiate().unwrap();
        assert_eq!(pool.disable_access_from(&[a]), Err(IN_USE));
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        drop(exec);
        // The graph itself goes by the other way.
        pool.disable_access_from(&[a]).unwrap();
        graph.instantiate().unwrap().launch(&stream).unwrap();
        stream.synchronize().unwrap();
    });
}

#[test]
fn closing_waits_for_launches_in_streams_of_other_devices() {
    under_seeds("devices=3", |world| {
        let (a, b, pool) = pair(world);
        let elsewhere = world.runtime.device(2).unwrap().new_stream().unwrap();
        let (stream, access) = (a.new_stream().unwrap(), a.enable_peer_access(&b).unwrap());
        let (exec, _word) = storing(world, &pool, &stream, &access);
        exec.launch(&elsewhere).unwrap();
        drop(exec);
        pool.disable_access_from(&[a]).unwrap();
        elsewhere.synchronize().unwrap();
    });
}

/// What is instantiated, launched and dropped while another thread closes the pool, and waits for the launch of a graph before.
#[test]
fn a_graph_that_comes_and_goes_while_a_pool_is_closed_is_waited_for() {
    under_seeds("devices=3", |world| {
        let (a, b, pool) = pair(world);
        let third = world.runtime.device(2).unwrap();
        let (before, elsewhere) = (third.new_stream().unwrap(), third.new_stream().unwrap());
        let (there, back) = PeerAccess::enable_both(&a, &b).unwrap();
        let (ours, stream) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let graph = pulled(&world.runtime, &pool, &stream);
        let (first, _word) = storing(world, &pool, &ours, &there);
        world.kernels.delay(&before, ONE, 60 * SLOW).unwrap();
        first.launch(&before).unwrap();
        drop((first, back));
        std::thread::scope(|scope| {
            scope.spawn(|| match pool.disable_access_from(&[a]) {
                Ok(()) | Err(Error::GrantInUse { .. }) => {}
                Err(error) => panic!("{error}"),
            });
            // Long enough for the other thread to begin to wait, most of the time.
            std::thread::sleep(Duration::from_micros(500));
            let exec = graph.instantiate().unwrap();
            world.kernels.delay(&elsewhere, ONE, 120 * SLOW).unwrap();
            exec.launch(&elsewhere).unwrap();
        });
        elsewhere.synchronize().unwrap();
    });
}

/// The runtime takes addresses of pools that the current device has access to.
#[test]
fn a_copy_needs_a_stream_whose_device_sees_the_pool() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let (ours, theirs) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let _access = b.enable_peer_access(&a).unwrap();
        let source = theirs.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut seen = a.alloc_zeroed::<u8>(64).unwrap();
        let outcome = ours.capture(|_| ours.copy_peer_async(&mut seen, &source).map(drop));
        assert_eq!(outcome.unwrap_err(), Error::PoolNotGranted { accessor: 0, owner: 1 });
        let exec = exec(&theirs, || theirs.copy_peer_async(&mut seen, &source).map(drop));
        exec.launch(&theirs).unwrap();
        assert_eq!(seen.to_vec().unwrap(), [7; 64]);
    });
}

#[test]
fn a_copy_that_is_not_direct_goes_into_no_graph() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let stream = b.new_stream().unwrap();
        let source = stream.alloc_from(&pool, &[7u8; 64]).unwrap();
        let mut seen = a.alloc_zeroed::<u8>(64).unwrap();
        let outcome = stream.capture(|_| stream.copy_peer_async(&mut seen, &source).map(drop));
        assert!(matches!(outcome, Err(Error::Capture(CaptureError::Refused { .. }))), "{outcome:?}");
    });
}

/// The way of a copy stays with it, and other memory may not be reached that way.
#[test]
fn no_update_changes_what_a_copy_of_a_pools_memory_goes_by() {
    under_seeds(PAIR, |world| {
        let (a, b, pool) = pair(world);
        let access = a.enable_peer_access(&b).unwrap();
        let _back = b.enable_peer_access(&a).unwrap();
        let stream = b.new_stream().unwrap();
        let source = a.alloc_from(&[7u8; 64]).unwrap();
        let mut plain = b.alloc_zeroed::<u8>(64).unwrap();
        let mut pooled = stream.alloc_zeroed_async::<u8>(&pool, 64).unwrap();
        let exec = exec(&stream, || stream.copy_peer_async(&mut plain, &source).map(drop));
        let other = graph(&stream, || stream.copy_peer_async(&mut pooled, &source).map(drop));
        let changed = exec.update(&other);
        exec.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(changed, Err(GraphError::NotUpdated { change: GraphChange::Way }.into()));
        drop((exec, other));
        access.disable().unwrap();
    });
}

/// The table of the machine, whose functions stay the same from one to the next.
static TABLE: OnceLock<CudaRuntime> = OnceLock::new();

unsafe extern "C" fn instantiate(
    exec: *mut cudaGraphExec_t,
    graph: cudaGraph_t,
    flags: c_ulonglong,
) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaGraphInstantiateWithFlags).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(exec, graph, flags) })
}

unsafe extern "C" fn can_access(answer: *mut c_int, accessor: c_int, owner: c_int) -> cudaError_t {
    let function = TABLE.get().and_then(|table| table.cudaDeviceCanAccessPeer).expect("the function");
    // SAFETY: what the caller gave.
    stopped(|| unsafe { function(answer, accessor, owner) })
}

/// A grant that came while the driver chooses the ways of a graph's copies would be relied on by a copy, and held by nobody.
#[test]
fn a_pool_is_opened_before_a_graph_is_instantiated_or_afterwards() {
    under_seeds(PAIR, |world| {
        let table = TABLE.get_or_init(|| *world.runtime.table());
        let table = CudaRuntime {
            cudaGraphInstantiateWithFlags: Some(instantiate),
            cudaDeviceCanAccessPeer: Some(can_access),
            ..*table
        };
        // SAFETY: the functions are those of the machine, which nothing else of this test uses.
        let runtime = unsafe { Runtime::from_table(Box::leak(Box::new(table))) };
        let (a, b) = (runtime.device(0).unwrap(), runtime.device(1).unwrap());
        let pool = b.new_mem_pool(MemPoolOptions::default()).unwrap();
        let (stream, _access) = (b.new_stream().unwrap(), b.enable_peer_access(&a).unwrap());
        let graph = pulled(&runtime, &pool, &stream);
        let (instantiating, opening) = (Stop::new(), Stop::new());
        std::thread::scope(|scope| {
            let (graph, pool) = (&graph, &pool);
            scope.spawn(move || {
                instantiating.arm();
                graph.instantiate().map(drop).unwrap();
            });
            instantiating.wait_until_inside();
            let opener = scope.spawn(move || {
                opening.arm();
                pool.enable_access_from(&[a]).unwrap();
                assert!(instantiating.is_over(), "the grant came while the ways were chosen");
            });
            opening.wait_until_inside();
            opening.go();
            // Long enough for it to open the pool, if nothing keeps it from that.
            std::thread::sleep(Duration::from_millis(2));
            instantiating.go();
            opener.join().unwrap();
        });
        pool.disable_access_from(&[a]).unwrap();
    });
}
