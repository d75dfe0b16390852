//! Files that options name.

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

#[cfg(test)]
mod tests {
    use super::*;

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
