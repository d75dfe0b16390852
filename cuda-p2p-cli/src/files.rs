//! Files that options name.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::UsageError;

/// Refuses to write to a file that another option reads.
///
/// # Errors
/// [`UsageError::File`], of the option that writes.
pub(crate) fn keep_apart(
    (option, path): (&'static str, &Path),
    (reader, read): (&'static str, &[PathBuf]),
) -> Result<(), UsageError> {
    // By what it leads to, so that another way to write the name, or a link, is no other file. What is not there yet is no input.
    let Ok(target) = path.canonicalize() else { return Ok(()) };
    if read.iter().any(|input| input.canonicalize().is_ok_and(|input| input == target)) {
        let problem = format!("{reader} reads this file, and it would be overwritten; name another one");
        return Err(UsageError::File { option, path: path.to_owned(), problem });
    }
    Ok(())
}

/// Makes sure that a file can be written, before there is something to write. One that is there stays as it is, and one that is not
/// is not there afterwards: if nothing comes of the work, nothing empty is left.
///
/// # Errors
/// [`UsageError::File`].
pub(crate) fn check_writable(option: &'static str, path: &Path) -> Result<(), UsageError> {
    let checked = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => std::fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).create(true).open(path).map(|_| ())
        }
        Err(error) => Err(error),
    };
    let problem = |error: std::io::Error| UsageError::File {
        option,
        path: path.to_owned(),
        problem: error.to_string(),
    };
    checked.map_err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_to_be_written_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let [there, new] = ["there", "new"].map(|name| folder.path().join(name));
        std::fs::write(&there, "kept").unwrap();
        check_writable("--out", &there).unwrap();
        assert_eq!(std::fs::read_to_string(&there).unwrap(), "kept");
        check_writable("--out", &new).unwrap();
        assert!(!new.exists());
        check_writable("--out", Path::new("/dev/null")).unwrap();
        for path in [folder.path(), &folder.path().join("none/x")] {
            let text = check_writable("--out", path).unwrap_err().to_string();
            assert!(text.starts_with("--out ") && text.contains("(os error "), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_read_is_not_written_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let [input, link, other] = ["input", "link", "other"].map(|name| folder.path().join(name));
        std::fs::write(&input, "").unwrap();
        std::os::unix::fs::symlink(&input, &link).unwrap();
        let check = |path: &Path| keep_apart(("--out", path), ("--from", std::slice::from_ref(&input)));
        for path in [&input, &link, &folder.path().join("./input")] {
            let text = check(path).unwrap_err().to_string();
            assert!(text.starts_with("--out ") && text.contains("--from reads this file"), "{text}");
        }
        check(&other).unwrap();
        std::fs::write(&other, "").unwrap();
        check(&other).unwrap();
    }
}
