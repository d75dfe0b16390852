//! Compilers at hand, and programs made with them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_p2p_build::{Kernels, Report, include_dir};

/// A C++ compiler with a flag, or why it is not there.
#[derive(Clone)]
pub(crate) struct Compiler {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) flag: &'static str,
    pub(crate) missing: Option<String>,
}

/// g++ and clang++, at the level of optimisation of a build and one above it.
pub(crate) fn compilers() -> Vec<Compiler> {
    ["g++", "clang++"]
        .into_iter()
        .flat_map(|program| ["-O2", "-O3"].map(|flag| (program, flag)))
        .map(|(program, flag)| Compiler {
            name: format!("{program} {flag}"),
            path: program.into(),
            flag,
            missing: (!runs(program)).then(|| format!("no {program} on PATH")),
        })
        .collect()
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// This machine's triple, as far as C++ compilers care.
pub(crate) fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The fixture's kernels as an archive in `dir`.
pub(crate) fn archive(compiler: &Compiler, dir: &Path, file: &Path) -> Result<Report, String> {
    Kernels::new("fixture")
        .file(file)
        .outside_cargo(dir, target())
        .simulator(true)
        .cxx(&compiler.path)
        .cxx_flag(compiler.flag)
        .compile()
        .map_err(|error| error.to_string())
}

/// Compiles a C++ program and gives what it prints; it must end well.
pub(crate) fn run_cpp(
    compiler: &Compiler,
    dir: &Path,
    source: &str,
    arguments: &[&OsStr],
) -> Result<String, String> {
    let program = dir.join("program");
    let mut command = Command::new(&compiler.path);
    command.args(["-std=c++17", "-O1", "-I"]).arg(include_dir()).arg(fixture(source)).args(arguments);
    printed(command.arg("-o").arg(&program))?;
    printed(&mut Command::new(&program))
}

/// Standard output of a program that ends well.
pub(crate) fn printed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(format!("{command:?}: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
