//! What a build script says to cargo, and what cargo says to it.

use std::path::{Path, PathBuf};

use crate::BuildError;

/// Where to write, for which target, and whether cargo listens.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) out_dir: PathBuf,
    pub(crate) target: String,
    pub(crate) host: String,
    /// Keeps symbols of two packages, or of two versions of one, apart in a program.
    pub(crate) package: String,
    listens: bool,
}

impl Context {
    /// Of a build script.
    pub(crate) fn of_build_script(var: &dyn Fn(&str) -> Option<String>) -> Result<Self, BuildError> {
        let need = |name: &'static str| var(name).ok_or(BuildError::NotABuildScript { name });
        let package = format!("{}_{}_", need("CARGO_PKG_NAME")?, need("CARGO_PKG_VERSION")?);
        Ok(Self {
            out_dir: need("OUT_DIR")?.into(),
            target: need("TARGET")?,
            host: need("HOST")?,
            package: package.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
            listens: true,
        })
    }

    /// Of any other program: nothing is printed.
    pub(crate) fn outside(out_dir: &Path, target: &str) -> Self {
        Self {
            out_dir: out_dir.to_owned(),
            target: target.to_owned(),
            host: target.to_owned(),
            package: String::new(),
            listens: false,
        }
    }

    pub(crate) fn listens(&self) -> bool {
        self.listens
    }

    pub(crate) fn rerun_if_env_changed(&self, name: &str) {
        self.say(&format!("rerun-if-env-changed={name}"));
    }

    pub(crate) fn rerun_if_changed(&self, path: &Path) {
        self.say(&format!("rerun-if-changed={}", path.display()));
    }

    /// A warning is one line: cargo takes the rest of a second one for an instruction.
    pub(crate) fn warning(&self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.say(&format!("warning={line}"));
        }
    }

    fn say(&self, instruction: &str) {
        if self.listens {
            println!("cargo::{instruction}");
        }
    }
}
