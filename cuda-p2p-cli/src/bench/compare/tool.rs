//! Other programs: where they are, and what they print.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
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
pub(super) fn output(program: &Path, arguments: &[String], deadline: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("could not be started ({error})"))?;
    let output = child.stdout.take().map(reader).ok_or("has no output")?;
    let complaint = child.stderr.take().map(reader).ok_or("has no standard error")?;
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
    let read = |reader: Reader| match reader.join() {
        Ok(Ok(text)) => Ok(text),
        _ => Err("its output could not be read".to_owned()),
    };
    let (text, complaint) = (read(output)?, read(complaint)?);
    if status.success() {
        return Ok(text);
    }
    let said = |text: &str| text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
    let last = said(&complaint).or_else(|| said(&text));
    Err(last.map_or_else(|| format!("ended with {status}"), |last| format!("ended with {status}: {last}")))
}

/// Reads a pipe to its end.
type Reader = JoinHandle<std::io::Result<String>>;

/// Begins to read beside: a program whose pipe is full would never end.
fn reader(mut pipe: impl Read + Send + 'static) -> Reader {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_secs(20);

    fn script_of(script: &str) -> [String; 2] {
        ["-c".to_owned(), script.to_owned()]
    }

    #[test]
    fn a_program_in_path_is_found_and_its_output_read() {
        let path = OsString::from("relative:/nowhere:/usr/bin:/bin");
        let sh = in_path("sh", &path).unwrap();
        assert!(sh.is_absolute());
        let run = |script: &str| output(&sh, &script_of(script), BOUND);
        assert_eq!(run("echo one; echo two").unwrap(), "one\ntwo\n");
        let why = |script| run(script).unwrap_err();
        assert_eq!(why("exit 3"), "ended with exit status: 3");
        assert_eq!(why("echo a; echo b; echo; exit 3"), "ended with exit status: 3: b");
        assert_eq!(why("echo a; echo no GPU >&2; exit 3"), "ended with exit status: 3: no GPU");
        assert_eq!(in_path("no-such-program-of-anybodys", &path), None);
    }

    #[test]
    fn one_that_hangs_is_killed() {
        let sh = in_path("sh", &OsString::from("/usr/bin:/bin")).unwrap();
        let error = output(&sh, &script_of("sleep 60"), Duration::from_millis(100)).unwrap_err();
        assert!(error.contains("killed"), "{error}");
    }
}
