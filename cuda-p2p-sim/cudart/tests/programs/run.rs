//! C programs on the library.

use std::path::Path;
use std::process::{Command, Output};

use libtest_mimic::Failed;

use crate::library::{Kit, c_folder, installed};

/// Runs `program` on the library, with `CUDA_P2P_SIM` as given.
fn on_the_simulator(program: &Path, setting: Option<&str>) -> Result<Output, Failed> {
    let folder = installed()?;
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", folder.path()).env_remove("CUDA_P2P_SIM");
    if let Some(setting) = setting {
        command.env("CUDA_P2P_SIM", setting);
    }
    Ok(command.output()?)
}

/// Compiles a program of `tests/c`, runs it, and gives what it wrote to standard output and standard error.
fn written(kit: &Kit, source: &str, setting: Option<&str>) -> Result<(Output, String, String), Failed> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("program");
    kit.compile(source, &program)?;
    let output = on_the_simulator(&program, setting)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    Ok((output, out, errors))
}

/// Compares what was printed with a file, and shows the lines that differ.
fn compare(printed: &str, file: &str) -> Result<(), Failed> {
    let path = c_folder().join(file);
    let expected = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if printed == expected {
        return Ok(());
    }
    let pairs = printed.lines().zip(expected.lines()).enumerate().filter(|(_, (got, want))| got != want);
    let shown: Vec<_> = pairs
        .take(5)
        .map(|(line, (got, want))| format!("line {}: {got:?}, not {want:?}", line + 1))
        .collect();
    let (got, want) = (printed.lines().count(), expected.lines().count());
    Err(format!("{got} lines, {want} in {file}; {}", shown.join("; ")).into())
}

fn expect(holds: bool, what: &str, text: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("{what}: {text:?}").into()) }
}

pub(crate) fn peer(kit: &Kit) -> Result<(), Failed> {
    let (output, printed, errors) = written(kit, "peer.c", None)?;
    compare(&printed, "peer.expected.txt")?;
    expect(output.status.success(), "the program found wrong bytes", &printed)?;
    // One line: that devices are simulated. No warning of the dynamic linker about versions.
    expect(errors.starts_with("cuda-p2p: SIMULATED devices (devices=2)"), "on standard error", &errors)?;
    expect(errors.lines().count() == 1, "more than one line on standard error", &errors)
}

pub(crate) fn peer_with_seeds(kit: &Kit) -> Result<(), Failed> {
    for seed in 1..=5 {
        let (_, printed, errors) = written(kit, "peer.c", Some(&format!("seed={seed} quiet")))?;
        compare(&printed, "peer.expected.txt")?;
        expect(errors.is_empty(), "the setting is quiet", &errors)?;
    }
    Ok(())
}

pub(crate) fn junk(kit: &Kit) -> Result<(), Failed> {
    let (output, printed, errors) = written(kit, "peer.c", Some("devices=two"))?;
    expect(!output.status.success(), "copies cannot have worked", &printed)?;
    expect(!printed.contains("-> cudaSuccess"), "something succeeded", &printed)?;
    expect(errors.contains("`devices=two`"), "the word is not named", &errors)?;
    expect(errors.lines().count() == 1, "not told once", &errors)
}

pub(crate) fn off(kit: &Kit) -> Result<(), Failed> {
    let (_, printed, errors) = written(kit, "peer.c", Some("off"))?;
    expect(!printed.contains("-> cudaSuccess"), "something succeeded", &printed)?;
    expect(errors.contains("switches them off") && errors.lines().count() == 1, "on standard error", &errors)
}

pub(crate) fn kernel(kit: &Kit) -> Result<(), Failed> {
    let (_, printed, _) = written(kit, "kernel.cu", None)?;
    compare(&printed, "kernel.expected.txt")
}
