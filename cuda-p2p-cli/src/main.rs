//! The command `cuda-p2p`: shows which GPUs of a machine can access each other's memory, and proves it.
//!
//! This process parses, starts children and prints; it never touches CUDA. Each GPU step runs in a child (see `worker`) with
//! a deadline, because peer access that does not work hangs or kills the process that uses it.

#![deny(unsafe_code)]

mod bench;
mod child;
mod cli;
mod doctor;
mod error;
mod exit;
mod files;
mod generated;
mod interrupt;
mod machine;
mod options;
mod output;
mod report;
mod stdout;
mod topo;
mod verify;
mod worker;

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use clap::Parser;

use cli::{
    Arguments, BenchArguments, DoctorArguments, MachineArguments, OutputArguments, ReportArguments, Verb,
    VerifyArguments,
};
use error::CliError;
use exit::Exit;
use options::{BenchOptions, DoctorOptions, MachineOptions, VerifyOptions};
use output::{Progress, Style};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and the version are results like others.
        Err(answer) if !answer.use_stderr() => return concluded(show(&answer)),
        Err(error) => {
            refuse(&error);
            return Exit::BadArguments.into();
        }
    };
    let result = match arguments.verb {
        Verb::Child { job } => return worker::run(&job),
        Verb::Topo { machine, output } => topo(&machine, output),
        Verb::Verify { verify: what, machine, output } => verify(&what, &machine, output),
        Verb::Bench { bench: what, machine, output } => bench(&what, &machine, output),
        Verb::Report { report: what, machine, output } => report(&what, &machine, output),
        Verb::Doctor { doctor: what, machine, output } => doctor(&what, &machine, output),
        Verb::Completions { shell } => print(&generated::completions(shell)).map(|()| Exit::Proven),
        Verb::Man => print(&generated::manual()).map(|()| Exit::Proven),
    };
    concluded(result)
}

/// The status that goes with it, after the complaint if there is one.
fn concluded(result: Result<Exit, CliError>) -> ExitCode {
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            error.complain();
            error.exit().into()
        }
    }
}

fn topo(machine: &MachineArguments, output: OutputArguments) -> Result<Exit, CliError> {
    let options = MachineOptions::try_from(machine)?;
    let found = topo::inspect(&options)?;
    print(&if output.json {
        output::json(&topo::Report::new(found))?
    } else if output.quiet {
        output::topo_last_line(&found, Style::of_stdout())
    } else {
        output::topo(&found, Style::of_stdout())
    })?;
    Ok(Exit::Proven)
}

fn verify(
    what: &VerifyArguments,
    machine: &MachineArguments,
    output: OutputArguments,
) -> Result<Exit, CliError> {
    let options = VerifyOptions::try_from(what)?;
    let soak_time = options::soak_time(what)?;
    // From the first process on, so that none is cut off without a result.
    let interrupted =
        soak_time.map(|_| interrupt::on_interrupt()).transpose().map_err(CliError::Interrupts)?;
    let machine_options = MachineOptions::try_from(machine)?;
    let found = topo::inspect(&machine_options)?;
    let plan = verify::Plan::new(&found, options)?;
    if let (Some(time), Some(interrupted)) = (soak_time, interrupted) {
        let progress = Progress::timed(time, !output.no_progress && !output.quiet);
        let stop = || interrupted.load(Ordering::Relaxed);
        let report = verify::soak(found, &plan, time, &machine_options, &progress, &stop)?;
        drop(progress);
        let text = if output.json {
            output::json(&report)?
        } else if output.quiet {
            output::soak_last_line(&report, Style::of_stdout())
        } else {
            output::soak(&report, Style::of_stdout())
        };
        return print_and_exit(&text, report.exit());
    }
    let progress = Progress::new(plan.step_count(), !output.no_progress && !output.quiet);
    let report = verify::run(found, &plan, &machine_options, &progress)?;
    drop(progress);
    let text = if output.json {
        output::json(&report)?
    } else if output.quiet {
        output::verify_last_line(&report, Style::of_stdout())
    } else {
        output::verify(&report, Style::of_stdout())
    };
    print_and_exit(&text, report.verdict.exit)
}

fn bench(
    what: &BenchArguments,
    machine: &MachineArguments,
    output: OutputArguments,
) -> Result<Exit, CliError> {
    let options = BenchOptions::try_from(what)?;
    let machine_options = MachineOptions::try_from(machine)?;
    let found = topo::inspect(&machine_options)?;
    let plan = bench::Plan::new(&found, &options)?;
    let progress = Progress::new(plan.count(), !output.no_progress && !output.quiet);
    let report = bench::run(found, &plan, &machine_options, what.compare, &progress)?;
    drop(progress);
    let text = if output.json {
        output::json(&report)?
    } else if output.quiet {
        output::bench_last_line(&report, Style::of_stdout())
    } else {
        output::bench(&report, Style::of_stdout())
    };
    print_and_exit(&text, report.verdict)
}

/// Prints a result whose status is `exit`.
fn print_and_exit(text: &str, exit: Exit) -> Result<Exit, CliError> {
    match print(text) {
        Err(error) if exit == Exit::Proven => Err(error),
        // The worse news is the verdict's, and the status may be all that arrives.
        Err(error) => {
            error.complain();
            Ok(exit)
        }
        Ok(()) => Ok(exit),
    }
}

fn doctor(
    what: &DoctorArguments,
    machine: &MachineArguments,
    output: OutputArguments,
) -> Result<Exit, CliError> {
    let options = DoctorOptions::try_from((what, machine))?;
    let report = doctor::examine(&options, !output.no_progress && !output.quiet)?;
    let text = if output.json {
        output::json(&report)?
    } else if output.quiet {
        output::doctor_last_line(&report, Style::of_stdout())
    } else {
        output::doctor(&report, Style::of_stdout())
    };
    print_and_exit(&text, report.exit)
}

fn report(
    what: &ReportArguments,
    machine: &MachineArguments,
    output: OutputArguments,
) -> Result<Exit, CliError> {
    let options = report::ReportOptions::from(what);
    files::keep_apart(("--out", &options.out), ("--from", &what.from))?;
    if what.from.is_empty() {
        report::check_writable(&options)?;
    }
    let (documents, exit) = match what.from.is_empty() {
        true => report::examine(machine, !output.no_progress && !output.quiet)?,
        false => (report::Documents::read(&what.from)?, Exit::Proven),
    };
    let written = report::write_all(&documents, &options)?;
    let text = if output.json {
        output::json(&written)?
    } else {
        output::report(&written, output.quiet, Style::of_stdout())
    };
    print_and_exit(&text, exit)
}

fn print(text: &str) -> Result<(), CliError> {
    Ok(stdout::write(text)?)
}

/// Says what the argument parser does not take; without its colours if one of its lines, which it does not break, is too wide.
fn refuse(error: &clap::Error) {
    let plain = error.render().to_string();
    let wrapped = output::wrap_wide(&plain, "    ");
    // Standard error may be closed; then the exit status has to do.
    let _ = if wrapped == plain { error.print() } else { std::io::stderr().write_all(wrapped.as_bytes()) };
}

/// Prints what the argument parser answers, in colours where it finds that somebody sees them.
fn show(answer: &clap::Error) -> Result<Exit, CliError> {
    match stdout::check().and_then(|()| answer.print()) {
        // Whoever asks for help and reads its beginning has what was asked for.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Exit::Proven),
    }
}
