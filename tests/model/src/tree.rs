//! A copy of the workspace that mutations are applied to, and its builds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use serde::Deserialize;

use crate::mutation::Suite;

/// Folders at the root that are no source.
const NO_SOURCE: [&str; 4] = ["target", ".git", ".toolkit", ".bundle"];

/// A copy of the workspace, with a target folder of its own beside it.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    target: PathBuf,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

impl Tree {
    /// Brings the copy in `folder` up to date with `workspace`. What has not changed is left alone, so that it is not
    /// built again.
    ///
    /// # Errors
    /// Of the file system.
    pub fn copy(workspace: &Path, folder: &Path) -> io::Result<Self> {
        let tree = Self { root: folder.join("tree"), target: folder.join("target") };
        fs::create_dir_all(&tree.root)?;
        let mut kept = BTreeSet::new();
        for entry in fs::read_dir(workspace)? {
            let entry = entry?;
            if NO_SOURCE.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            bring(&entry.path(), &tree.root.join(entry.file_name()), &mut kept)?;
        }
        remove_others(&tree.root, &kept)?;
        Ok(tree)
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Builds the tests of a suite and gives the path of the program.
    ///
    /// # Errors
    /// What cargo printed.
    pub fn build(&self, suite: Suite) -> Result<PathBuf, String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["test", "--no-run", "--no-default-features"]).current_dir(&self.root);
        command.args(["--message-format", "json-render-diagnostics"]);
        // Neither headers nor nvcc are needed for what runs on the simulator; a mutation may leave something unused.
        command.env("CUDA_P2P_BINDINGS", "pregenerated").env("CUDA_P2P_KERNELS", "none");
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        let program = match suite {
            Suite::Rules => {
                command.args(["--package", "cuda-p2p-model", "--test", "rules"]);
                command.env("CARGO_TARGET_DIR", &self.target).env("RUSTFLAGS", "--cap-lints=warn");
                "rules"
            }
            // As `ci/models` does. Beside the others: the flag concerns every crate.
            Suite::Models => {
                command.args(["--package", "cuda-p2p", "--lib"]);
                command.args(["--config", "profile.dev.package.cuda-p2p-sim.opt-level=0"]);
                command.env("CARGO_TARGET_DIR", self.target.join("models"));
                command.env("RUSTFLAGS", "--cfg loom --cap-lints=warn");
                "cuda_p2p"
            }
        };
        let output = command.output().map_err(|error| format!("cargo: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
        let artifacts = messages.filter(|it| it.reason == "compiler-artifact");
        let mut executables = artifacts
            .filter(|it| it.target.as_ref().is_some_and(|target| target.name == program))
            .filter_map(|it| it.executable);
        executables.next().ok_or_else(|| format!("cargo built no test called {program}"))
    }
}

fn bring(from: &Path, to: &Path, kept: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    kept.insert(to.to_owned());
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            bring(&entry.path(), &to.join(entry.file_name()), kept)?;
        }
        return Ok(());
    }
    let text = fs::read(from)?;
    if fs::read(to).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(to, text)
}

fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match (kept.contains(&path), path.is_dir()) {
            (true, true) => remove_others(&path, kept)?,
            (true, false) => {}
            (false, true) => fs::remove_dir_all(&path)?,
            (false, false) => fs::remove_file(&path)?,
        }
    }
    Ok(())
}
