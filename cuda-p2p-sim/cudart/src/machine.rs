//! The machine behind the exported functions: started by the first of them that is called.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use cuda_p2p_sim::{ConfigError, ENVIRONMENT_VARIABLE, MachineConfig};
use cuda_p2p_sys::{CudaRuntime, cudaError, cudaError_t};

/// What a call answers when there is no function to ask.
pub(crate) trait Refusal {
    /// The answer for a status.
    fn refusal(status: cudaError_t) -> Self;
}

impl Refusal for cudaError_t {
    fn refusal(status: cudaError_t) -> Self {
        status
    }
}

/// `cudaGetErrorName` and `cudaGetErrorString`.
impl Refusal for *const c_char {
    fn refusal(_: cudaError_t) -> Self {
        c"CUDA_P2P_SIM describes no machine: see standard error".as_ptr()
    }
}

/// A machine, in words, and its functions.
struct Started {
    words: CString,
    table: &'static CudaRuntime,
}

fn started() -> &'static Result<Started, cudaError_t> {
    static STARTED: OnceLock<Result<Started, cudaError_t>> = OnceLock::new();
    STARTED.get_or_init(|| {
        start().map_err(|problem| {
            eprintln!("cuda-p2p: no devices are simulated: {}", problem.text);
            problem.status
        })
    })
}

/// The simulator's functions, or the status that every call answers because there is no machine.
pub(crate) fn table() -> Result<&'static CudaRuntime, cudaError_t> {
    started().as_ref().map(|started| started.table).map_err(|status| *status)
}

/// The mark that this is not NVIDIA's library ([`cuda_p2p_sys::simulated`]): the machine, in the words of `CUDA_P2P_SIM`.
#[unsafe(no_mangle)]
extern "C" fn cuda_p2p_simulated_machine() -> *const c_char {
    match started() {
        Ok(started) => started.words.as_ptr(),
        Err(_) => c"none: see standard error".as_ptr(),
    }
}

// The compiler's check that the mark is what those who look for it take it for.
const _: cuda_p2p_sys::simulated::Machine = cuda_p2p_simulated_machine;

/// Answers 801 for a function that the simulator does not have.
pub(crate) fn not_supported() -> cudaError_t {
    match table().map(|table| table.cudaSetValidDevices) {
        // A function that the simulator always refuses: it sets the thread's last error, as each failing call does.
        // SAFETY: its arguments are not looked at; null and zero are values of their types.
        Ok(Some(refused)) => unsafe { refused(std::ptr::null_mut(), 0) },
        Ok(None) => cudaError::cudaErrorNotSupported,
        Err(status) => status,
    }
}

/// Why there is no machine.
struct Problem {
    status: cudaError_t,
    text: String,
}

fn start() -> Result<Started, Problem> {
    let config = match config() {
        Ok(config) => config,
        Err(ConfigError::Off) => {
            let text = format!("{ENVIRONMENT_VARIABLE} switches them off, and this library has no others");
            return Err(Problem { status: cudaError::cudaErrorNoDevice, text });
        }
        Err(error) => {
            let text = format!("{ENVIRONMENT_VARIABLE}: {error}");
            return Err(Problem { status: cudaError::cudaErrorInitializationError, text });
        }
    };
    let described = config.to_string();
    let table = cuda_p2p_sim::start(config).map_err(|error| Problem {
        status: cudaError::cudaErrorInitializationError,
        text: error.to_string(),
    })?;
    if !described.split(' ').any(|word| word == "quiet") {
        eprintln!("cuda-p2p: SIMULATED devices ({described}): there is no GPU, and times mean nothing");
    }
    Ok(Started { words: CString::new(described).unwrap_or_default(), table })
}

/// The machine of the environment variable; the pair if it is not set.
fn config() -> Result<MachineConfig, ConfigError> {
    match (MachineConfig::from_env()?, std::env::var_os(ENVIRONMENT_VARIABLE)) {
        (Some(config), _) => Ok(config),
        (None, Some(value)) if !value.is_empty() => Err(ConfigError::Off),
        (None, _) => Ok(MachineConfig::pair()),
    }
}
