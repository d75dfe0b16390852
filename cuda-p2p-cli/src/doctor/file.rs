//! Snapshots in files.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::mask::Masks;
use super::snapshot::{SCHEMA, Snapshot};
use crate::error::{CliError, UsageError};

/// The snapshot without what is private.
///
/// # Errors
/// It does not come back from JSON as it went in, which it does.
pub(super) fn masked(snapshot: &Snapshot) -> Result<Snapshot, CliError> {
    let mut value = serde_json::to_value(snapshot).map_err(std::io::Error::from)?;
    Masks::of_this_machine().mask(&mut value);
    Ok(serde_json::from_value(value).map_err(std::io::Error::from)?)
}

/// Reads a snapshot that was saved.
///
/// # Errors
/// The file cannot be read, or is no snapshot of this version.
pub(super) fn read(path: &Path) -> Result<Snapshot, UsageError> {
    let problem = |problem: String| UsageError::File { option: "--from", path: path.to_owned(), problem };
    let text = fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let head: Head = serde_json::from_str(&text)
        .map_err(|error| problem(format!("it is no snapshot of 'doctor --save' ({error})")))?;
    if head.schema != SCHEMA {
        return Err(problem(format!(
            "its schema is '{}', and this version reads '{SCHEMA}'; give what 'cuda-p2p doctor --save' wrote",
            head.schema
        )));
    }
    serde_json::from_str(&text).map_err(|error| problem(format!("it is damaged ({error})")))
}

/// Writes a snapshot.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(path: &Path, snapshot: &Snapshot) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(snapshot).map_err(std::io::Error::from)?;
    Ok(fs::write(path, text + "\n")?)
}
