//! Other programs: where they are, and what they print.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked whether a program is still there.
const POLL: Duration = Duration::from_millis(50);

/// The program that `variable` names, or the first `name` in the folders of `PATH`.
pub(super) fn find(name: &str, variable: &str) -> Option<PathBuf> {
    match std::env::var_os(variable) {
        Some(path) if !path.is_empty() => Some(PathBuf::from(path)).filter(|path| is_program(path)),
        _ => std::env::var_os("PATH").and_then(|path| in_path(name, &path)),
    }
}

/// Only absolute folders count: what lies in the working directory is not to be run.
fn in_path(name: &str, path: &OsString) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What the program prints on standard output, if it ends well within `deadline`.
///
/// # Errors
/// Why there is no output, in a few words.
pub(super) fn output(program: &Path, arguments: &[&str], deadline: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("could not be started ({error})"))?;
    let pipe = child.stdout.take().ok_or("has no output")?;
    // Read beside: a program whose pipe is full would never end.
    let reader = std::thread::spawn(move || {
        let (mut pipe, mut text) = (pipe, Vec::new());
        pipe.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if started.elapsed() >= deadline => {
                child.kill().map_err(|error| error.to_string())?;
                // The kill has been sent; one that hangs in the driver cannot be waited for.
                return Err(format!("took longer than {} s and was killed", deadline.as_secs()));
            }
            None => std::thread::sleep(POLL),
        }
    };
    let text = match reader.join() {
        Ok(Ok(text)) => text,
        _ => return Err("its output could not be read".to_owned()),
    };
    if status.success() { Ok(text) } else { Err(format!("ended with {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_secs(20);

    #[test]
    fn a_program_in_path_is_found_and_its_output_read() {
        let path = OsString::from("relative:/nowhere:/usr/bin:/bin");
        let sh = in_path("sh", &path).unwrap();
        assert!(sh.is_absolute());
        assert_eq!(output(&sh, &["-c", "echo one; echo two"], BOUND).unwrap(), "one\ntwo\n");
        assert!(output(&sh, &["-c", "exit 3"], BOUND).unwrap_err().contains('3'));
        assert_eq!(in_path("no-such-program-of-anybodys", &path), None);
    }

    #[test]
    fn one_that_hangs_is_killed() {
        let sh = in_path("sh", &OsString::from("/usr/bin:/bin")).unwrap();
        let error = output(&sh, &["-c", "sleep 60"], Duration::from_millis(100)).unwrap_err();
        assert!(error.contains("killed"), "{error}");
    }
}
