//! One simulated machine: its state behind one lock, the threads of its devices, and how callers wait.

mod threads;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cuda_p2p_sys::{cudaError, cudaError_t};

use crate::capture::Capture;
use crate::device::Device;
use crate::error::{Answer, code};
use crate::event::Event;
use crate::exec::DeviceLimits;
use crate::fault::Fault;
use crate::graph::{Graph, GraphExec};
use crate::handle::Handles;
use crate::ipc::event::Signal;
use crate::ipc::memory::Imports;
use crate::kernel::Kernel;
use crate::library::Library;
use crate::link::Links;
use crate::memory::Memory;
use crate::pool::Pool;
use crate::queue::{Lane, OpId, Queue, Work};
use crate::release::Release;
use crate::script::Script;
use crate::space::{Space, SpaceError};
use crate::stream::Stream;
use crate::virtual_memory::Physical;
use crate::{MachineConfig, context};

/// Everything that calls change, under one lock.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) queue: Queue,
    pub(crate) handles: Handles,
    pub(crate) devices: Vec<Device>,
    pub(crate) streams: BTreeMap<u64, Stream>,
    pub(crate) events: BTreeMap<u64, Event>,
    pub(crate) pools: BTreeMap<u64, Pool>,
    pub(crate) memory: Memory,
    pub(crate) physical: BTreeMap<u64, Physical>,
    pub(crate) imports: Imports,
    pub(crate) captures: BTreeMap<u64, Capture>,
    pub(crate) graphs: BTreeMap<u64, Graph>,
    pub(crate) execs: BTreeMap<u64, GraphExec>,
    pub(crate) libraries: BTreeMap<u64, Library>,
    pub(crate) kernels: BTreeMap<u64, Kernel>,
    /// The code that nearly every call answers with.
    pub(crate) failure: Option<cudaError_t>,
    pub(crate) fault: Option<Fault>,
    pub(crate) script: Script,
    /// That of the runtime.
    pub(crate) release: Release,
    pub(crate) stopping: bool,
    started: Vec<bool>,
    /// Whether there is a thread that looks for signals of other processes.
    looking: bool,
}

impl State {
    /// The code that nearly every call of this thread answers with: that of the fault, or that there are no devices to be had where
    /// the current one has no context yet.
    pub(crate) fn failure_here(&self) -> Option<cudaError_t> {
        self.failure_of(context::current_device())
    }

    /// The same for a call that is about that device.
    pub(crate) fn failure_of(&self, device: usize) -> Option<cudaError_t> {
        let has_context = self.devices[device].has_context;
        self.failure.map(|code| if has_context { code } else { code::DEVICES_UNAVAILABLE })
    }
}

/// How long a call that granted turns sleeps between two looks.
const PACE: Duration = Duration::from_millis(1);

pub(crate) type Guard<'a> = MutexGuard<'a, State>;

#[derive(Debug)]
pub(crate) struct Machine {
    /// Unique in the process.
    pub(crate) number: u64,
    /// As this process sees it.
    pub(crate) config: MachineConfig,
    /// As it was asked for.
    pub(crate) described: MachineConfig,
    /// The numbers of the GPUs in the machine, by ordinal.
    pub(crate) gpus: Vec<usize>,
    pub(crate) limits: DeviceLimits,
    pub(crate) space: Arc<Space>,
    /// Read by whoever touches memory of the machine by address, written by whoever frees it.
    pub(crate) pages: RwLock<()>,
    state: Mutex<State>,
    /// Something ended.
    pub(crate) done: Condvar,
    /// By lane: there may be something to do.
    work: Vec<Condvar>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Machine {
    pub(crate) fn new(number: u64, described: MachineConfig) -> Result<Arc<Machine>, SpaceError> {
        let (config, gpus) = (described.as_seen(), described.gpus());
        let count = config.devices;
        let links = Links::new(&described.defects, &gpus);
        let mut state = State {
            queue: Queue::new(count, config.seed),
            handles: Handles::new(number),
            devices: Vec::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            pools: BTreeMap::new(),
            memory: Memory::default(),
            physical: BTreeMap::new(),
            imports: Imports::default(),
            captures: BTreeMap::new(),
            graphs: BTreeMap::new(),
            execs: BTreeMap::new(),
            libraries: BTreeMap::new(),
            kernels: BTreeMap::new(),
            failure: None,
            fault: None,
            script: Script::new(&config.defects),
            release: config.runtime,
            stopping: false,
            started: vec![false; 2 * count],
            looking: false,
        };
        for ordinal in 0..count {
            let device = Device::new(&mut state, ordinal);
            state.devices.push(device);
        }
        Ok(Arc::new(Machine {
            number,
            config,
            described,
            gpus,
            limits: DeviceLimits::default(),
            space: Arc::new(Space::with_links(links)?),
            pages: RwLock::new(()),
            state: Mutex::new(state),
            done: Condvar::new(),
            work: (0..2 * count).map(|_| Condvar::new()).collect(),
            threads: Mutex::new(Vec::new()),
        }))
    }

    pub(crate) fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks a machine that no fault has poisoned, for calls that look at their arguments first.
    pub(crate) fn usable(&self) -> Answer<Guard<'_>> {
        let state = self.lock();
        match state.failure_here() {
            Some(failure) => Err(failure),
            None => Ok(state),
        }
    }

    /// Adds an operation that `by` does, and that counts as work of `devices`; lets it start when all of `after` are done.
    pub(crate) fn submit(
        self: &Arc<Self>,
        state: &mut State,
        (by, devices): (usize, &[usize]),
        stream: u64,
        after: &[OpId],
        work: Work,
    ) -> Answer<OpId> {
        if let Some(failure) = state.failure {
            return Err(failure);
        }
        let lane = Lane { device: by, host: matches!(work, Work::Host(_)) };
        if !state.started[lane.index()] {
            self.start_thread(lane).map_err(|_| code::OUT_OF_MEMORY)?;
            state.started[lane.index()] = true;
        }
        if matches!(work, Work::Await(_)) && !state.looking {
            let machine = Arc::clone(self);
            self.start("sim-ipc".to_owned(), move || machine.look_for_signals())
                .map_err(|_| code::OUT_OF_MEMORY)?;
            state.looking = true;
        }
        let id = state.queue.submit((by, devices), stream, after, work);
        self.settle(state);
        Ok(id)
    }

    /// Ends an operation that a lane ran.
    pub(crate) fn finish(&self, state: &mut State, id: OpId) {
        state.queue.finish(id);
        self.settle(state);
    }

    /// Does all that is ready and needs no thread, then wakes whoever may go on.
    pub(crate) fn settle(&self, state: &mut State) {
        while let Some((id, work)) = state.queue.take_instant() {
            match work {
                Work::Record { event, signal } => {
                    signal.iter().for_each(Signal::send);
                    if let Some(event) = state.events.get_mut(&event) {
                        event.happened(id, Instant::now());
                    }
                }
                // Memory that is gone already went with its device.
                Work::Release { base } => drop(self.release(state, base)),
                _ => {}
            }
            state.queue.finish(id);
        }
        self.wake_all();
    }

    pub(crate) fn wake_lanes(&self) {
        self.work.iter().for_each(Condvar::notify_one);
    }

    /// Wakes every thread that the machine knows.
    pub(crate) fn wake_all(&self) {
        self.wake_lanes();
        self.done.notify_all();
    }

    /// The condition on which the thread of a lane sleeps.
    pub(crate) fn lane_condition(&self, lane: Lane) -> &Condvar {
        &self.work[lane.index()]
    }

    /// Waits until `is_done`.
    ///
    /// # Errors
    /// The code of the fault if one happens first. Copies that are under way have then ended: the program may free what
    /// they touch.
    pub(crate) fn wait<'a>(
        &'a self,
        mut state: Guard<'a>,
        is_done: impl Fn(&State) -> bool,
    ) -> Answer<Guard<'a>> {
        loop {
            match state.failure {
                Some(failure) if !state.queue.copies_running() => return Err(failure),
                None if is_done(&state) => break,
                _ => {}
            }
            state.queue.demand();
            self.wake_lanes();
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.queue.demand_ends();
        // Others that wait must say again that they do.
        self.done.notify_all();
        Ok(state)
    }

    /// Under an adversarial schedule, lets the devices take the turns that the call granted before it returns.
    pub(crate) fn pace(&self) {
        let mut state = self.lock();
        while state.failure.is_none() && state.queue.turns_left() {
            self.wake_lanes();
            state = self.done.wait_timeout(state, PACE).map_or_else(|e| e.into_inner().0, |(state, _)| state);
        }
    }

    /// Waits until an operation is done.
    pub(crate) fn wait_for<'a>(&'a self, state: Guard<'a>, id: OpId) -> Answer<Guard<'a>> {
        self.wait(state, |state| !state.queue.is_live(id))
    }

    /// Waits for all that the device was given before.
    pub(crate) fn wait_for_device<'a>(&'a self, state: Guard<'a>, device: usize) -> Answer<Guard<'a>> {
        let limit = state.queue.next_id();
        self.wait(state, |state| !state.queue.busy_before(device, limit))
    }

    /// Poisons the machine: drops all work, and tells.
    pub(crate) fn fail(&self, state: &mut State, mut fault: Fault) {
        fault.seed = self.config.seed;
        if state.fault.is_none() {
            if !self.config.quiet {
                eprintln!("cuda-p2p-sim: {fault}");
            }
            state.failure = Some(cudaError(fault.code));
            state.fault = Some(fault);
        }
        state.queue.clear();
        self.wake_all();
    }
}
