//! The one machine of the process.

use std::collections::BTreeMap;
use std::process;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use cuda_p2p_sys::CudaRuntime;
use thiserror::Error;

use crate::fault::Fault;
use crate::machine::Machine;
use crate::release::Release;
use crate::space::SpaceError;
use crate::{ConfigError, MachineConfig, table};

static MACHINE: RwLock<Option<Arc<Machine>>> = RwLock::new(None);
/// Number of the process that made the machine; 0 before. Read before any lock: in a forked child those may be held
/// by threads that do not exist there.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Number of devices of the machine, for children that were forked.
static DEVICES: AtomicUsize = AtomicUsize::new(0);
/// What `cudaRuntimeGetVersion` answers, for children that were forked.
static VERSION: AtomicI32 = AtomicI32::new(0);
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Why no machine was started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The configuration describes no machine.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The process has another machine already.
    #[error(
        "this process already simulates `{running}`, so `{asked}` cannot be started; use one configuration per process"
    )]
    AlreadyStarted {
        /// The machine that runs.
        running: Box<MachineConfig>,
        /// The one that was asked for.
        asked: Box<MachineConfig>,
    },
    /// [`restart`] while operations are in flight.
    #[error(
        "the simulated machine still has {operations} operations in flight; synchronize its devices first"
    )]
    Busy {
        /// How many.
        operations: usize,
    },
    /// The process was forked from one that has a machine.
    #[error(
        "this process was forked from one with a simulated machine, whose threads it lacks; start it with exec"
    )]
    Forked,
    /// No room for the machine's addresses.
    #[error("no room for the simulated machine: {0}")]
    NoRoom(String),
}

impl From<SpaceError> for StartError {
    fn from(error: SpaceError) -> Self {
        StartError::NoRoom(error.to_string())
    }
}

/// Starts the simulated machine of this process and gives the table of its runtime.
///
/// A process has one machine. Starting the same one again gives the same table.
///
/// # Errors
/// [`StartError`] if the configuration is none, another machine runs already, or there is no room.
pub fn start(config: MachineConfig) -> Result<&'static CudaRuntime, StartError> {
    config.validate()?;
    refuse_fork()?;
    let mut slot = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    match slot.as_ref() {
        Some(running) if running.described == config => Ok(runtime(config.runtime)),
        Some(running) => Err(StartError::AlreadyStarted {
            running: Box::new(running.described.clone()),
            asked: Box::new(config),
        }),
        None => {
            let release = config.runtime;
            *slot = Some(new_machine(config)?);
            Ok(runtime(release))
        }
    }
}

/// Replaces the machine of this process by a new one, for tests that need many.
///
/// Every handle and pointer of the old machine is stale: handles are answered with error 400, memory is gone. Threads begin
/// with device 0 and without a last error. A machine that a fault has poisoned can be replaced too.
///
/// # Safety
/// Nothing reads or writes memory of the old machine afterwards: pinned memory that a Rust slice still refers to is unmapped.
///
/// # Errors
/// [`StartError::Busy`] while the old machine has operations in flight, unless one of them hangs by a
/// [`Defect`](crate::Defect); otherwise as [`start`].
pub unsafe fn restart(config: MachineConfig) -> Result<&'static CudaRuntime, StartError> {
    config.validate()?;
    refuse_fork()?;
    let mut slot = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(old) = slot.as_ref() {
        let operations = old.lock().queue.len();
        // What hangs by the machine's own defects will never be done; stopping the machine ends it.
        if operations > 0 && !old.space.links().is_hung() {
            return Err(StartError::Busy { operations });
        }
        old.stop();
    }
    *slot = None;
    let release = config.runtime;
    *slot = Some(new_machine(config)?);
    Ok(runtime(release))
}

fn refuse_fork() -> Result<(), StartError> {
    match OWNER.load(Ordering::Acquire) {
        0 => Ok(()),
        owner if owner == process::id() => Ok(()),
        _ => Err(StartError::Forked),
    }
}

fn new_machine(config: MachineConfig) -> Result<Arc<Machine>, StartError> {
    let machine = Machine::new(NEXT.fetch_add(1, Ordering::Relaxed), config)?;
    VERSION.store(machine.config.runtime.version(), Ordering::Release);
    DEVICES.store(machine.config.devices, Ordering::Release);
    OWNER.store(process::id(), Ordering::Release);
    Ok(machine)
}

/// The table of a release, of which a process needs few.
fn runtime(release: Release) -> &'static CudaRuntime {
    static TABLES: Mutex<BTreeMap<Release, &'static CudaRuntime>> = Mutex::new(BTreeMap::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    tables.entry(release).or_insert_with(|| Box::leak(Box::new(table::build(release))))
}

/// The machine, if this very process made one.
pub(crate) fn current() -> Option<Arc<Machine>> {
    if OWNER.load(Ordering::Acquire) != process::id() {
        return None;
    }
    MACHINE.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// In a process that was forked from one with a machine: how many devices that has, and the version of its runtime.
pub(crate) fn inherited() -> Option<(usize, i32)> {
    let owner = OWNER.load(Ordering::Acquire);
    let forked = owner != 0 && owner != process::id();
    forked.then(|| (DEVICES.load(Ordering::Acquire), VERSION.load(Ordering::Acquire)))
}

/// The configuration of the machine that this process simulates; `None` if it simulates none.
#[must_use]
pub fn running() -> Option<MachineConfig> {
    current().map(|machine| machine.described.clone())
}

/// The fault that poisoned the machine, if one did.
#[must_use]
pub fn last_fault() -> Option<Fault> {
    current()?.lock().fault.clone()
}

/// What lives on the machine, for leak checks. All zero if this process simulates none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Allocations of device memory, those of pools and of physical memory included.
    pub allocations: usize,
    /// Ranges of addresses that are reserved for virtual memory.
    pub ranges: usize,
    /// Allocations of pinned host memory, and registered ranges.
    pub pinned: usize,
    /// Streams, without the default ones.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Memory pools, without the default ones.
    pub pools: usize,
    /// Graphs.
    pub graphs: usize,
    /// Instantiated graphs.
    pub graph_execs: usize,
    /// Loaded libraries.
    pub libraries: usize,
    /// Operations that are not done.
    pub operations: usize,
}

/// Counts what lives on the machine now.
#[must_use]
pub fn counters() -> Counters {
    let Some(machine) = current() else { return Counters::default() };
    let state = machine.lock();
    let devices = state.devices.len();
    let (allocations, pinned) = state.memory.count();
    Counters {
        allocations: allocations + state.physical.len(),
        ranges: machine.space.ranges(),
        pinned,
        streams: state.streams.len() - devices,
        events: state.events.len(),
        pools: state.pools.len().saturating_sub(devices),
        graphs: state.graphs.len(),
        graph_execs: state.execs.len(),
        libraries: state.libraries.len(),
        operations: state.queue.len(),
    }
}
