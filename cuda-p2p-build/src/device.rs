//! A module's kernels for GPUs: one fatbin, by nvcc.

#[cfg(all(test, unix))]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arch::{self, Arch};
use crate::cargo::Context;
use crate::error::BuildError;
use crate::plain::{Plain, absolute};
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
    let module = format!("{name}_device");
    let mut plain = Plain::new(&context.out_dir, &module);
    // In the folder that nvcc runs in.
    let (source, rule, fatbin) = (format!("{module}.cu"), format!("{module}.d"), format!("{name}.fatbin"));
    unit::write(&context.out_dir.join(&source), &unit::device(files, &mut plain)?)?;

    let mut command = driver(context, nvcc, extras.cxx.as_deref(), &mut plain)?;
    command.args(["-fatbin", "-O3", "-std=c++17", "--threads", "2"]).args(arch::flags(&archs));
    // Lines are those of files by their whole paths, which end at a double quote in PTX.
    if !context.out_dir.to_string_lossy().contains(['"', '\\']) {
        command.arg("-lineinfo");
    }
    command.arg("-I").arg(plain.for_nvcc(include_dir())?);
    // The parts of a toolkit that pip installs side by side do not know of each other.
    if let Some(include) = toolkit.headers_for_nvcc() {
        command.arg("-isystem").arg(plain.for_nvcc(include)?);
    }
    for dir in &extras.include {
        command.arg("-I").arg(plain.for_nvcc(dir)?);
    }
    for (key, value) in &extras.define {
        command.arg(define(key, value.as_deref()));
    }
    command.args(["-MMD", "-MF"]).arg(&rule).arg("-o").arg(&fatbin).arg(&source);
    let output = run(&mut command).map_err(|error| match error {
        BuildError::Compiler { command, output } => {
            BuildError::Compiler { command: plain.restore(&command), output: plain.restore(&output) }
        }
        other => other,
    })?;
    context.warning(&plain.restore(&output.stderr));
    let rule = context.out_dir.join(rule);
    let read = fs::read_to_string(&rule).map_err(|source| BuildError::Io { path: rule, source })?;
    let read = depfile::parse(&read).iter().map(|path| plain.real(path)).collect();
    Ok(Fatbin { path: context.out_dir.join(fatbin), archs, read })
}

/// nvcc as `cc` drives it, without flags of its own: its defaults for a debug build would add -G, and its default
/// runtime would be linked as a second one. The host compiler is the one that `cc` finds for C++.
fn driver(
    context: &Context,
    nvcc: &Path,
    cxx: Option<&Path>,
    plain_names: &mut Plain<'_>,
) -> Result<Command, BuildError> {
    let mut host = plain(context);
    host.cpp(true);
    if let Some(cxx) = cxx {
        host.compiler(cxx);
    }
    let host = host.try_get_compiler()?;
    // `cc` has nvcc look at a file in this folder, by the file's whole path.
    let mut tool = plain(context);
    tool.out_dir(std::env::temp_dir()).cuda(true).cudart("none").compiler(nvcc);
    let tool = tool.try_get_compiler()?.to_command();
    // Its arguments would be CXXFLAGS, which are meant for the host compiler: nvcc would stumble over them.
    let mut command = started_plainly(tool.get_program().as_ref(), plain_names)?;
    command.current_dir(&context.out_dir);
    command.envs(tool.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.arg("-ccbin").arg(plain_names.for_nvcc(host.path())?);
    for flag in host.args() {
        // nvcc takes the option apart at commas.
        let flag = flag.to_string_lossy().replace(',', "\\,");
        command.arg(format!("-Xcompiler={flag}"));
    }
    Ok(command)
}

/// nvcc finds the rest of its toolkit by the path that it is started by, and hands that on: where it is an odd one, the toolkit goes
/// by a link.
fn started_plainly(nvcc: &Path, plain: &mut Plain<'_>) -> Result<Command, BuildError> {
    let nvcc = &absolute(nvcc)?;
    let as_it_is = || Command::new(nvcc);
    let (Some(folder), Some(name)) = (nvcc.parent(), nvcc.file_name()) else { return Ok(as_it_is()) };
    let (Some(root), Some(folder)) = (folder.parent(), folder.file_name()) else { return Ok(as_it_is()) };
    let linked = plain.for_nvcc(root)?;
    if linked == root {
        return Ok(as_it_is());
    }
    // From the folder that it is to run in, which is not for certain where `Command` would look a relative path up.
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\""]).arg(linked.join(folder).join(name));
    Ok(shell)
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
