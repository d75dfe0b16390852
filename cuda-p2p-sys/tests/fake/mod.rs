//! Small shared libraries that stand in for a CUDA runtime, made by the C compiler of the machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own for a test, removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cuda-p2p-sys-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Compiles `source` into a shared library called `name`.
    pub(crate) fn library(&self, name: &str, source: &str) -> PathBuf {
        self.compile(name, source, &[])
    }

    /// As [`library`](Self::library), with a SONAME that the file's name does not tell.
    #[allow(dead_code, reason = "each test file uses a part of this module")]
    pub(crate) fn soname_library(&self, name: &str, soname: &str, source: &str) -> PathBuf {
        self.compile(name, source, &[&format!("-Wl,-soname,{soname}")])
    }

    fn compile(&self, name: &str, source: &str, options: &[&str]) -> PathBuf {
        let c = self.0.join(format!("{name}.c"));
        let library = self.0.join(name);
        std::fs::write(&c, source).expect("the temporary folder is writable");
        let status = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
            .args(["-shared", "-fPIC"])
            .args(options)
            .arg("-o")
            .args([&library, &c])
            .status()
            .expect("a C compiler is there");
        assert!(status.success(), "{} does not compile", c.display());
        library
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A runtime that answers `version` and has every required function but those in `without`; the functions return 0.
pub(crate) fn runtime(version: u32, without: &[&str]) -> String {
    let mut source = String::new();
    for function in cuda_p2p_sys::functions::FUNCTIONS {
        if !function.required || without.contains(&function.name) {
            continue;
        }
        let body = if function.name == "cudaRuntimeGetVersion" {
            format!("(int *v) {{ *v = {version}; return 0; }}")
        } else {
            "(void) { return 0; }".to_owned()
        };
        writeln!(source, "int {}{body}", function.name).expect("a string takes it");
    }
    source
}
