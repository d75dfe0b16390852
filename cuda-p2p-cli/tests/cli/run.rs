//! Runs the command as a user would, in an environment that is the test's own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Small moves, for tests that are not about sizes.
pub(crate) const SMALL: &[&str] = &["verify", "--sizes", "1,4097", "--seed", "7"];

/// The command, with nothing of the tester's environment that changes what it does.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cuda-p2p"));
    command.args(arguments).env_remove("CUDA_P2P_SIM").env_remove("CUDA_P2P_CUDART").env_remove("NO_COLOR");
    command
}

/// A library that has the functions of a CUDA runtime, and says that it simulates. Made by the C compiler, once for each `name`.
pub(crate) fn simulators_library(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    let library = source.with_extension("so");
    let version = cuda_p2p::sys::CUDART_VERSION;
    let mut text = "const char *cuda_p2p_simulated_machine(void) { return \"devices=2\"; }\n".to_owned();
    for function in cuda_p2p::sys::functions::FUNCTIONS.iter().filter(|function| function.required) {
        let parameters =
            if function.name == "cudaRuntimeGetVersion" { "int *version" } else { "int *unused" };
        let body =
            if parameters.ends_with("version") { format!("*version = {version};") } else { String::new() };
        text += &format!("int {}({parameters}) {{ {body} return 0; }}\n", function.name);
    }
    std::fs::write(&source, text).unwrap();
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    let made = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(made.success(), "{} does not compile", source.display());
    library
}

/// What a run came to.
pub(crate) struct Run {
    /// Exit status; -1 if a signal ended it.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// What it says went wrong, in one line.
    pub(crate) fn complaint(&self) -> String {
        self.err.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The last line of standard output.
    pub(crate) fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }

    /// Fails with everything that the run said, unless it ended with `status`.
    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "standard output:\n{}\nstandard error:\n{}", self.out, self.err);
        self
    }
}

/// Runs the command to its end.
pub(crate) fn run(arguments: &[&str]) -> Run {
    command(arguments).output().unwrap().into()
}

/// Runs it on a simulated machine, whatever this machine has.
pub(crate) fn run_on(machine: &str, arguments: &[&str]) -> Run {
    run(&[arguments, &["--sim", machine]].concat())
}

/// Says that the running test is skipped. Written past the test runner, which would keep it from those who look.
pub(crate) fn skip(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("skipped: {test}: {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
