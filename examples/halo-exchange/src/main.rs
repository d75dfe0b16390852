//! Two processes, one GPU each, that exchange the edges of their fields over the link, step after step, and check the result
//! against a model on the host.
//!
//!     cargo run --release                    # on two GPUs; where there are none, simulated
//!     cargo run --release -- --only-own      # each process sees its own GPU alone
//!     cargo run --release -- --steps 200 --cells 4096
//!
//! This process starts the two ranks, each as this program again, with a socket between them. Each rank's own GPU is its
//! device 0, whatever the machine calls it: that is what `CUDA_VISIBLE_DEVICES` gives it.

mod field;
mod measure;
mod options;
mod rank;

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};

use cuda_p2p::{Runtime, SimulatorPolicy};
use options::Options;

fn main() -> ExitCode {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| match options.rank {
        Some(rank) => rank::run(&options, rank).map_err(|error| format!("rank {rank}: {error}")),
        None => start(&options).map_err(|error| error.to_string()),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Starts both ranks, and waits for them. Whether both are content.
fn start(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let simulated = simulated_machine()?;
    let (one, other) = UnixStream::pair()?;
    let mut ranks = Vec::new();
    for (rank, socket) in [one, other].into_iter().enumerate() {
        // Its own GPU first.
        let gpus = if options.only_own { vec![rank] } else { vec![rank, 1 - rank] };
        let mut command = Command::new(std::env::current_exe()?);
        command.args(options.arguments_of(rank)).stdin(Stdio::from(OwnedFd::from(socket)));
        match &simulated {
            Some(machine) => command
                .env("CUDA_P2P_SIM", format!("{machine} visible={}", list(&gpus, |gpu| gpu.to_string()))),
            None => command.env("CUDA_VISIBLE_DEVICES", list(&gpus, name_of)),
        };
        ranks.push(command.spawn()?);
    }
    let mut all = true;
    for mut rank in ranks {
        all &= rank.wait()?.success();
    }
    println!("{}", if all { "both ranks are exact" } else { "FAILED" });
    Ok(all)
}

/// The machine to simulate, in the words of `CUDA_P2P_SIM`; `None` if there are two GPUs. Asked in this process, which uses none.
fn simulated_machine() -> cuda_p2p::Result<Option<String>> {
    let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
    println!("{}", runtime.origin());
    if runtime.is_simulated() {
        return Ok(Some(
            std::env::var("CUDA_P2P_SIM")
                .ok()
                .filter(|words| words.contains('='))
                .unwrap_or("devices=2".to_owned()),
        ));
    }
    // Two are needed, and this says so if they are not there.
    runtime.device(1)?;
    Ok(None)
}

/// What `CUDA_VISIBLE_DEVICES` calls one of this process's devices.
fn name_of(device: usize) -> String {
    let all = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    all.split(',')
        .nth(device)
        .filter(|name| !name.is_empty())
        .map_or_else(|| device.to_string(), str::to_owned)
}

fn list(gpus: &[usize], name: impl Fn(usize) -> String) -> String {
    gpus.iter().map(|&gpu| name(gpu)).collect::<Vec<_>>().join(",")
}
