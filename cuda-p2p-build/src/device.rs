//! A module's kernels for GPUs: one fatbin, by nvcc.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arch::{self, Arch};
use crate::cargo::Context;
use crate::error::BuildError;
use crate::{Toolkit, depfile, include_dir, unit};

/// What a user's build adds to every compilation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) include: Vec<PathBuf>,
    pub(crate) define: Vec<(String, Option<String>)>,
    /// C++ compiler and flags for it: the simulator's kernels, and nvcc's host compiler.
    pub(crate) cxx: Option<PathBuf>,
    pub(crate) cxx_flags: Vec<String>,
}

/// A compiled fatbin.
pub(crate) struct Fatbin {
    pub(crate) path: PathBuf,
    pub(crate) archs: Vec<Arch>,
    /// Files that it was made from.
    pub(crate) read: Vec<PathBuf>,
}

/// Compiles `files` to `<out_dir>/<name>.fatbin`.
pub(crate) fn compile(
    context: &Context,
    toolkit: &Toolkit,
    nvcc: &Path,
    name: &str,
    files: &[PathBuf],
    asked: &[Arch],
    extras: &Extras,
) -> Result<Fatbin, BuildError> {
    let supported = run(Command::new(nvcc).arg("--list-gpu-arch"))?;
    let archs = arch::select(asked, &arch::parse_supported(&supported.stdout), nvcc)?;
    let source = context.out_dir.join(format!("{name}_device.cu"));
    unit::write(&source, &unit::device(files))?;
    let path = context.out_dir.join(format!("{name}.fatbin"));
    let rule = context.out_dir.join(format!("{name}_device.d"));

    let mut command = driver(context, nvcc, extras.cxx.as_deref())?;
    command.args(["-fatbin", "-O3", "-lineinfo", "-std=c++17", "--threads", "2"]).args(arch::flags(&archs));
    command.arg("-I").arg(include_dir());
    // The parts of a toolkit that pip installs side by side do not know of each other.
    if let Some(include) = toolkit.headers_for_nvcc() {
        command.arg("-isystem").arg(include);
    }
    for dir in &extras.include {
        command.arg("-I").arg(dir);
    }
    for (key, value) in &extras.define {
        command.arg(define(key, value.as_deref()));
    }
    command.args(["-MMD", "-MF"]).arg(&rule).arg("-o").arg(&path).arg(&source);
    context.warning(&run(&mut command)?.stderr);
    let read = fs::read_to_string(&rule).map_err(|source| BuildError::Io { path: rule, source })?;
    Ok(Fatbin { path, archs, read: depfile::parse(&read) })
}

/// nvcc as `cc` drives it, without flags of its own: its defaults for a debug build would add -G, and its default
/// runtime would be linked as a second one. The host compiler is the one that `cc` finds for C++.
fn driver(context: &Context, nvcc: &Path, cxx: Option<&Path>) -> Result<Command, BuildError> {
    let mut host = plain(context);
    host.cpp(true);
    if let Some(cxx) = cxx {
        host.compiler(cxx);
    }
    let host = host.try_get_compiler()?;
    let tool = plain(context).cuda(true).cudart("none").compiler(nvcc).try_get_compiler()?.to_command();
    // Its arguments would be CXXFLAGS, which are meant for the host compiler: nvcc would stumble over them.
    let mut command = Command::new(tool.get_program());
    command.envs(tool.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.arg("-ccbin").arg(host.path());
    for flag in host.args() {
        // nvcc takes the option apart at commas.
        let flag = flag.to_string_lossy().replace(',', "\\,");
        command.arg(format!("-Xcompiler={flag}"));
    }
    Ok(command)
}

fn plain(context: &Context) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .target(&context.target)
        .host(&context.host)
        .opt_level(3)
        .out_dir(&context.out_dir)
        .cargo_metadata(context.listens())
        .cargo_debug(false)
        .no_default_flags(true)
        .warnings(false);
    build
}

fn define(key: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("-D{key}"), |value| format!("-D{key}={value}"))
}

/// What a program printed.
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a compiler; its output becomes the error if it fails.
pub(crate) fn run(command: &mut Command) -> Result<Output, BuildError> {
    let answer = command
        .output()
        .map_err(|source| BuildError::Start { program: command.get_program().into(), source })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let output = Output { stdout: text(&answer.stdout), stderr: text(&answer.stderr) };
    if answer.status.success() {
        return Ok(output);
    }
    Err(BuildError::Compiler {
        command: shell(command),
        output: if output.stderr.trim().is_empty() { output.stdout } else { output.stderr },
    })
}

fn shell(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
