//! What an executable graph is never asked to become, on the simulator.

mod common;

use std::sync::atomic::{AtomicU32, Ordering};

use common::raw::changed_table;
use common::{isolated, machine};
use cuda_p2p::sys::{cudaError, cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResultInfo};
use cuda_p2p::{Error, GraphChange, GraphError};

/// How often the runtime was asked for an update.
static ASKED: AtomicU32 = AtomicU32::new(0);

/// A runtime that says yes to everything, and does nothing.
unsafe extern "C" fn update(
    _: cudaGraphExec_t,
    _: cudaGraph_t,
    _: *mut cudaGraphExecUpdateResultInfo,
) -> cudaError {
    ASKED.fetch_add(1, Ordering::SeqCst);
    cudaError::cudaSuccess
}

/// The way of a copy is settled when it is instantiated, and what is mapped elsewhere may not be reached by it.
#[test]
fn no_update_changes_a_copy_of_virtual_memory() {
    isolated("no_update_changes_a_copy_of_virtual_memory", &[], || {
        let runtime = changed_table(&machine("devices=1 quiet"), |table| {
            table.cudaGraphExecUpdate = Some(update);
        });
        let a = runtime.device(0).unwrap();
        let (stream, part) = (a.new_stream().unwrap(), a.virtual_memory_granularity().unwrap());
        let (mut buffer, source) = (a.alloc_zeroed::<u8>(64).unwrap(), a.alloc_zeroed::<u8>(64).unwrap());
        let mut range = runtime.reserve_virtual_range(part).unwrap();
        range.map(0, a.alloc_physical_zeroed(part).unwrap()).unwrap();
        range.enable_access_from(&[a]).unwrap();
        let plain = stream.capture(|_| stream.copy_async(&mut buffer, &source)).unwrap();
        let mapped = stream.capture(|_| stream.copy_async(&mut buffer, range.slice(&a, ..64)?)).unwrap();
        let filled =
            stream.capture(|_| stream.fill_bytes_async(range.slice_mut::<u8>(&a, ..64)?, 1)).unwrap();
        let refused = Err(Error::Graph(GraphError::NotUpdated { change: GraphChange::Way }));
        assert_eq!(plain.instantiate().unwrap().update(&mapped), refused);
        assert_eq!(mapped.instantiate().unwrap().update(&plain), refused);
        assert_eq!(ASKED.load(Ordering::SeqCst), 0);
        // A fill is done by its own device, whose access to the range stays.
        filled.instantiate().unwrap().update(&filled).unwrap();
        assert_eq!(ASKED.load(Ordering::SeqCst), 1);
    });
}
