//! A fresh simulated machine, and a runtime of its own over it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use cuda_p2p::Runtime;
use cuda_p2p::sys::CudaRuntime;
use cuda_p2p_sim::MachineConfig;

use crate::campaign::variable;
use crate::kernels::{Counting, Kernels};

/// What a body on a machine works with.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// Of this machine alone: nothing that the crate remembers is from an earlier one.
    pub runtime: Runtime,
    /// The kernels of `cuda-p2p-sys`.
    pub kernels: Kernels,
    /// The kernel that counts.
    pub counting: Counting,
}

/// A process has one machine at a time.
static MACHINE: Mutex<()> = Mutex::new(());

/// Runs `body` on a new machine, alone in this process. A panic of it goes on after the machine has come to rest.
///
/// # Panics
/// If the machine cannot be; and as `body` does.
pub fn on_machine<R>(config: &MachineConfig, body: impl FnOnce(&World) -> R) -> R {
    let alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let table =
        // SAFETY: no slice of the old machine's pinned memory is kept.
        unsafe { cuda_p2p_sim::restart(config.clone()) }.expect("the machine before is at rest, and this one can be");
    // A table of its own, so that the crate takes it for a runtime that it does not know yet. Never freed, as the
    // runtime is not.
    let table: &'static CudaRuntime = Box::leak(Box::new(*table));
    // SAFETY: the functions are those of one simulated runtime, of the bound major. The machine of any other runtime of
    // this process has ended, and none starts before `body` has.
    let runtime = unsafe { Runtime::from_table(table) };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let kernels = Kernels::load(&runtime).expect("the kernels");
        let counting = Counting::load(&runtime).expect("the kernel that counts");
        body(&World { runtime, kernels, counting })
    }));
    come_to_rest(table);
    // Before the panic goes on: it would poison the lock, which means nothing here.
    drop(alone);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// How many schedules a rule is tried under, if it is not this many.
const SEEDS: u64 = 50;
/// The variable that says how many.
pub const SEEDS_VARIABLE: &str = "CUDA_P2P_RULES_SEEDS";

/// Runs `body` on a machine in the words of `CUDA_P2P_SIM`, under each of 50 adversarial schedules, or as many as
/// [`SEEDS_VARIABLE`] says. Tells under which
/// one it panicked; a fault of the machine and an error of a destructor count as that.
///
/// # Panics
/// As `body` does.
pub fn under_seeds(machine: &str, body: impl Fn(&World)) {
    let seeds = variable(SEEDS_VARIABLE).unwrap_or(SEEDS);
    for seed in 0..seeds {
        let config: MachineConfig = format!("{machine} seed={seed} quiet").parse().expect("a machine");
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            on_machine(&config, |world| {
                body(world);
                assert_eq!(world.runtime.deferred_errors(), []);
            });
            assert_eq!(cuda_p2p_sim::last_fault(), None);
        }));
        if let Err(panic) = outcome {
            let fault = cuda_p2p_sim::last_fault().map_or_else(String::new, |fault| format!(": {fault}"));
            eprintln!("broken under seed {seed} of {seeds}, on `{config}`{fault}");
            resume_unwind(panic);
        }
    }
}

/// Waits for all work of the machine.
fn come_to_rest(table: &CudaRuntime) {
    let (Some(set), Some(synchronize)) = (table.cudaSetDevice, table.cudaDeviceSynchronize) else { return };
    for device in 0..cuda_p2p_sim::running().map_or(0, |config| config.device_count()) {
        // SAFETY: both calls take at most a number, and judge it. A machine that a fault has poisoned has no work left.
        unsafe {
            set(device as i32);
            synchronize();
        }
    }
}

/// The thread's current device, asked around the crate.
///
/// # Panics
/// If the runtime does not tell.
pub fn current_device(runtime: &Runtime) -> usize {
    let mut device = -1;
    let get = runtime.table().cudaGetDevice.expect("cudaGetDevice");
    // SAFETY: `device` is a valid place for an int.
    let status = unsafe { get(&mut device) };
    assert_eq!(status.0, 0, "cudaGetDevice");
    usize::try_from(device).expect("a device")
}

/// The thread's pending error, asked around the crate, and left.
///
/// # Panics
/// If the table lacks the function.
pub fn pending_error(runtime: &Runtime) -> u32 {
    let peek = runtime.table().cudaPeekAtLastError.expect("cudaPeekAtLastError");
    // SAFETY: the call takes nothing.
    unsafe { peek() }.0
}

/// Takes the thread's pending error, as code that goes around the crate would.
///
/// # Panics
/// If the table lacks the function.
pub fn take_error(runtime: &Runtime) -> u32 {
    let get = runtime.table().cudaGetLastError.expect("cudaGetLastError");
    // SAFETY: the call takes nothing.
    unsafe { get() }.0
}

/// Leaves error 101 pending, as another library of the process might.
///
/// # Panics
/// If the table lacks the function.
pub fn leave_error(runtime: &Runtime) -> u32 {
    let set = runtime.table().cudaSetDevice.expect("cudaSetDevice");
    // SAFETY: the call takes a number, and refuses this one.
    unsafe { set(9999) }.0
}

/// Enables access as another library of the process would, and gives the status. The current device stays; an error
/// becomes the thread's pending one.
///
/// # Panics
/// If the table lacks the functions.
pub fn others_enable(runtime: &Runtime, accessor: usize, owner: usize) -> u32 {
    on_device(runtime, accessor, |table| {
        let enable = table.cudaDeviceEnablePeerAccess.expect("cudaDeviceEnablePeerAccess");
        // SAFETY: the call takes a number and the flags zero, and judges them.
        unsafe { enable(owner as i32, 0) }.0
    })
}

/// Disables access as another library of the process would, and gives the status.
///
/// # Panics
/// If the table lacks the functions.
pub fn others_disable(runtime: &Runtime, accessor: usize, owner: usize) -> u32 {
    on_device(runtime, accessor, |table| {
        let disable = table.cudaDeviceDisablePeerAccess.expect("cudaDeviceDisablePeerAccess");
        // SAFETY: the call takes a number, and judges it; the caller has no work under way that uses the access.
        unsafe { disable(owner as i32) }.0
    })
}

fn on_device(runtime: &Runtime, device: usize, call: impl FnOnce(&CudaRuntime) -> u32) -> u32 {
    let before = current_device(runtime);
    let set = runtime.table().cudaSetDevice.expect("cudaSetDevice");
    // SAFETY: the call takes a number, and judges it.
    unsafe { set(device as i32) };
    let status = call(runtime.table());
    // SAFETY: as above.
    unsafe { set(before as i32) };
    status
}
