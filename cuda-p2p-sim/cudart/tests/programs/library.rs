//! Where the library under test is, and what there is to compile programs for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_p2p_build::Toolkit;
use libtest_mimic::Failed;

/// The library that cargo built for this test: it lies beside the test's own program.
pub(crate) fn built() -> Result<PathBuf, Failed> {
    let program = std::env::current_exe()?;
    let path = program.with_file_name("libcuda_p2p_cudart_sim.so");
    if path.is_file() { Ok(path) } else { Err(format!("{} was not built", path.display()).into()) }
}

/// A folder in which the library has the name that programs ask for.
pub(crate) fn installed() -> Result<tempfile::TempDir, Failed> {
    let folder = tempfile::tempdir()?;
    std::os::unix::fs::symlink(built()?, folder.path().join(cuda_p2p_cudart_sim::SONAME))?;
    Ok(folder)
}

/// A toolkit to compile with: headers, and NVIDIA's shared library of the same major to link against.
#[derive(Clone)]
pub(crate) struct Kit {
    pub(crate) include: PathBuf,
    pub(crate) library: PathBuf,
    pub(crate) nvcc: Option<PathBuf>,
}

impl Kit {
    /// Finds one; the text says what is missing.
    pub(crate) fn find() -> Result<Self, String> {
        let toolkit = Toolkit::find().map_err(|error| error.to_string())?;
        let include = toolkit.include().ok_or("the toolkit has no headers")?.to_owned();
        let folders =
            [toolkit.lib_dir(), Some(&toolkit.root().join("lib64")), Some(&toolkit.root().join("lib"))]
                .map(|folder| folder.map(Path::to_owned));
        let name = cuda_p2p_cudart_sim::SONAME;
        let mut files = folders.into_iter().flatten().map(|folder| folder.join(name));
        let library = files
            .find(|file| file.is_file())
            .ok_or_else(|| format!("the toolkit in {} has no {name}", toolkit.root().display()))?;
        Ok(Self { include, library, nvcc: toolkit.nvcc().map(Path::to_owned) })
    }

    /// Compiles `source`, of the folder `tests/c`, and links it against NVIDIA's library.
    pub(crate) fn compile(&self, source: &str, program: &Path) -> Result<(), Failed> {
        let source = c_folder().join(source);
        let folder = self.library.parent().ok_or("the library is in no folder")?;
        let mut command = match &self.nvcc {
            Some(nvcc) if source.extension().is_some_and(|extension| extension == "cu") => {
                let mut command = Command::new(nvcc);
                command
                    .args(["-O1", "-cudart", "none", "-Xlinker"])
                    .arg(format!("-l:{}", cuda_p2p_cudart_sim::SONAME));
                command
            }
            _ => {
                let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
                command
                    .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-isystem"])
                    .arg(&self.include);
                command
            }
        };
        command.arg(&source).arg("-o").arg(program).arg(format!("-L{}", folder.display()));
        if source.extension().is_some_and(|extension| extension == "c") {
            command.arg(format!("-l:{}", cuda_p2p_cudart_sim::SONAME));
        }
        output(&mut command).map(drop)
    }
}

/// The folder of the C programs and of what they should print.
pub(crate) fn c_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c")
}

/// What `command` prints; an error with all of its text if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, Failed> {
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed, {}:\n{text}{errors}", output.status).into())
}
