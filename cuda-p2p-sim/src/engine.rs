//! Where the device threads meet the execution of kernels: the one file that knows both.

use std::sync::Arc;

use crate::error::code;
use crate::exec::{Executor, KernelRun, LaunchRefused, LaunchSpec, Order, Step};
use crate::fault::Fault;
use crate::machine::Machine;
use crate::queue::{Launch, OpId};

/// Turns of a thread that one step of a kernel has.
const TURNS: u32 = 256;

/// How far a turn came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    More,
    /// Nothing moved: something outside must happen first.
    Waiting,
    Done,
}

/// The multiprocessors of one device. Lives on the device's thread.
pub(crate) struct Engine(Executor);

/// A kernel under way. Lives on the device's thread.
pub(crate) struct Run(KernelRun);

impl Engine {
    pub(crate) fn new(machine: &Machine, device: usize) -> Engine {
        let order = match machine.config.seed {
            Some(seed) => Order::Seeded(seed),
            None => Order::InOrder,
        };
        Engine(Executor::new(device, Arc::clone(&machine.space), machine.limits, order))
    }

    /// Begins a launch.
    pub(crate) fn start(&self, id: OpId, launch: &Launch) -> Result<Run, Fault> {
        let spec = LaunchSpec {
            kernel: launch.kernel,
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            args: launch.args.clone(),
            id,
        };
        KernelRun::new(spec, &self.0).map(Run).map_err(|refused| self.refused(launch, &refused))
    }

    /// The launch was checked when it was submitted, so this is out of the ordinary.
    fn refused(&self, launch: &Launch, refused: &LaunchRefused) -> Fault {
        let (device, kernel) = (self.0.device(), launch.kernel.name());
        let text = format!("kernel `{kernel}` on device {device} could not start: {refused}");
        Fault { code: code::OUT_OF_RESOURCES.0, device, kernel: Some(kernel), text, seed: None }
    }
}

impl Run {
    /// Runs for a while.
    pub(crate) fn step(&mut self) -> Result<Turn, Fault> {
        match self.0.step(TURNS) {
            Step::Progress => Ok(Turn::More),
            Step::Waiting => Ok(Turn::Waiting),
            Step::Done => Ok(Turn::Done),
            Step::Fault(fault) => Err(Fault {
                code: fault.kind.code(),
                device: fault.device,
                text: fault.to_string(),
                kernel: Some(fault.kernel),
                seed: None,
            }),
        }
    }
}
