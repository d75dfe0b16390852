//! The builder that a build script uses.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::arch::{self, Arch};
use crate::cargo::Context;
use crate::device::{self, Extras};
use crate::error::BuildError;
use crate::toolkit::write_list;
use crate::{Toolkit, host, output, unit};

/// The kernels of one module: `.cu` files that are compiled together.
///
/// The files become one translation unit, in the order given. Each must be found by a program as
/// `extern "C" __global__`; helpers of one name in two files clash, as they would in one file.
#[derive(Clone, Debug)]
#[must_use = "nothing is compiled before `compile`"]
pub struct Kernels {
    name: String,
    files: Vec<PathBuf>,
    extras: Extras,
    archs: Vec<String>,
    simulator: Option<bool>,
    outside: Option<(PathBuf, String)>,
}

/// What [`Kernels::compile`] made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// `<OUT_DIR>/<name>.rs`, for `include!`.
    pub expression: PathBuf,
    /// `<OUT_DIR>/<name>.fatbin`. `None` without nvcc.
    pub fatbin: Option<PathBuf>,
    /// Architectures of the machine code in the fatbin, as `90` or `90a`.
    pub archs: Vec<String>,
    /// The exported `cuda_p2p_host_module`, in an archive of the same name. `None` if not for the simulator.
    pub host_symbol: Option<String>,
    /// Names of the kernels; known only if compiled for the simulator.
    pub kernels: Vec<String>,
}

/// `CUDA_P2P_KERNELS`
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nvcc {
    IfFound,
    Required,
    Unused,
}

type Var<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Kernels {
    /// A module called `name`: letters, digits and underscores.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            files: Vec::new(),
            extras: Extras::default(),
            archs: Vec::new(),
            simulator: None,
            outside: None,
        }
    }

    /// Adds a `.cu` file. A relative path starts at the folder of `Cargo.toml`.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.files.push(path.as_ref().to_owned());
        self
    }

    /// Adds several `.cu` files.
    pub fn files(mut self, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.files.extend(paths.into_iter().map(|path| path.as_ref().to_owned()));
        self
    }

    /// Adds a folder of headers, for both compilers.
    pub fn include(mut self, dir: impl AsRef<Path>) -> Self {
        self.extras.include.push(dir.as_ref().to_owned());
        self
    }

    /// Defines a macro, for both compilers.
    pub fn define<'a>(mut self, name: &str, value: impl Into<Option<&'a str>>) -> Self {
        self.extras.define.push((name.to_owned(), value.into().map(str::to_owned)));
        self
    }

    /// Adds an architecture, like `90` or `90a`, in place of the default ones. `CUDA_P2P_ARCHS` overrides it.
    pub fn arch(mut self, arch: impl Into<String>) -> Self {
        self.archs.push(arch.into());
        self
    }

    /// The C++ compiler, for the simulator's kernels and for nvcc as its host compiler, in place of `CXX` or the
    /// system's own: gcc or clang.
    pub fn cxx(mut self, compiler: impl AsRef<Path>) -> Self {
        self.extras.cxx = Some(compiler.as_ref().to_owned());
        self
    }

    /// Adds a flag for the C++ compiler of the simulator's kernels.
    pub fn cxx_flag(mut self, flag: impl Into<String>) -> Self {
        self.extras.cxx_flags.push(flag.into());
        self
    }

    /// Whether to compile for the simulator. By default: if this crate depends on `cuda-p2p` with its feature `sim`.
    pub fn simulator(mut self, yes: bool) -> Self {
        self.simulator = Some(yes);
        self
    }

    /// For programs other than build scripts: writes to `out_dir`, compiles for `target` (a triple of this machine's
    /// kind), takes relative paths as they are, and prints nothing.
    pub fn outside_cargo(mut self, out_dir: impl AsRef<Path>, target: impl Into<String>) -> Self {
        self.outside = Some((out_dir.as_ref().to_owned(), target.into()));
        self
    }

    /// Compiles, and writes `<OUT_DIR>/<name>.rs`: an expression of type
    /// `(&'static str, Option<&'static [u8]>, Option<*const ()>)`, the module's name, the fatbin (aligned to 16 bytes)
    /// and the address of the exported `cuda_p2p_host_module`. It may stand in a `const` or `static`.
    ///
    /// Without nvcc the fatbin is `None` and cargo shows one warning that lists every path tried.
    ///
    /// # Errors
    /// [`BuildError`]: a compiler's complaint, a kernel that nobody could find by name, a variable with a value that
    /// means nothing.
    pub fn compile(&self) -> Result<Report, BuildError> {
        self.compile_in(&|name| std::env::var(name).ok(), Toolkit::find)
    }

    /// [`compile`](Self::compile) for a build script without more to do: on an error, prints it and ends the process
    /// with status 1.
    pub fn compile_or_exit(&self) -> Report {
        self.compile().unwrap_or_else(|error| {
            eprintln!("error: {error}");
            std::process::exit(1)
        })
    }

    pub(crate) fn compile_in(
        &self,
        var: Var<'_>,
        find: impl Fn() -> Result<Toolkit, crate::ToolkitNotFound>,
    ) -> Result<Report, BuildError> {
        let context = match &self.outside {
            Some((out_dir, target)) => Context::outside(out_dir, target),
            None => Context::of_build_script(var)?,
        };
        for name in ["CUDA_P2P_ARCHS", "CUDA_P2P_KERNELS"].iter().chain(&Toolkit::ENV_VARS) {
            context.rerun_if_env_changed(name);
        }
        self.check_name()?;
        let files = self.absolute_files(&context, var)?;
        let extras = self.absolute_extras(var);
        let asked = self.asked_archs(var)?;
        let fatbin = match nvcc_use(var)? {
            Nvcc::Unused => None,
            wish => match nvcc(find()) {
                Ok((toolkit, nvcc)) => {
                    for tried in toolkit.passed_over() {
                        context.warning(&format!(
                            "passed over {tried}; kernels are compiled by {}",
                            nvcc.display()
                        ));
                    }
                    Some(device::compile(&context, &toolkit, &nvcc, &self.name, &files, &asked, &extras)?)
                }
                Err(tried) if wish == Nvcc::Required => return Err(BuildError::NvccNotFound { tried }),
                Err(tried) => {
                    context.warning(&format!("kernels `{}` are built without GPU code: {tried}", self.name));
                    None
                }
            },
        };
        let archive = match self.for_simulator(var) {
            true => Some(host::compile(&context, &self.name, &files, &extras)?),
            false => None,
        };

        let read = fatbin.iter().flat_map(|fatbin| &fatbin.read);
        let read = read.chain(archive.iter().flat_map(|archive| &archive.read));
        // Not what is generated here: it would always be newer than the last run.
        for path in read.filter(|path| !path.starts_with(&context.out_dir)) {
            context.rerun_if_changed(path);
        }
        let expression = context.out_dir.join(format!("{}.rs", self.name));
        let symbol = archive.as_ref().map(|archive| archive.symbol.as_str());
        let text = output::expression(&self.name, fatbin.as_ref().map(|fatbin| &*fatbin.path), symbol)?;
        unit::write(&expression, &text)?;
        Ok(Report {
            expression,
            archs: fatbin.iter().flat_map(|fatbin| &fatbin.archs).map(Arch::to_string).collect(),
            fatbin: fatbin.map(|fatbin| fatbin.path),
            host_symbol: archive.as_ref().map(|archive| archive.symbol.clone()),
            kernels: archive.map(|archive| archive.kernels).unwrap_or_default(),
        })
    }

    fn check_name(&self) -> Result<(), BuildError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.name.is_empty()
            || !self.name.chars().all(plain)
            || self.name.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(BuildError::InvalidName { name: self.name.clone() });
        }
        Ok(())
    }

    fn absolute_files(&self, context: &Context, var: Var<'_>) -> Result<Vec<PathBuf>, BuildError> {
        if self.files.is_empty() {
            return Err(BuildError::NoFiles { name: self.name.clone() });
        }
        let mut files = Vec::new();
        for file in &self.files {
            let path = absolute(file, var);
            context.rerun_if_changed(&path);
            if !path.is_file() {
                return Err(BuildError::FileNotFound { path });
            }
            files.push(path);
        }
        Ok(files)
    }

    fn absolute_extras(&self, var: Var<'_>) -> Extras {
        let include = self.extras.include.iter().map(|dir| absolute(dir, var)).collect();
        Extras { include, ..self.extras.clone() }
    }

    fn asked_archs(&self, var: Var<'_>) -> Result<Vec<Arch>, BuildError> {
        match var("CUDA_P2P_ARCHS").filter(|text| !text.is_empty()) {
            Some(text) => arch::parse_list(&text),
            None if self.archs.is_empty() => Ok(Vec::new()),
            None => arch::parse_list(&self.archs.join(";")),
        }
    }

    /// `DEP_CUDA_P2P_SAFE_SIM` comes from cuda-p2p's build script, the feature is cuda-p2p-sys's own.
    fn for_simulator(&self, var: Var<'_>) -> bool {
        self.simulator.unwrap_or_else(|| {
            var("DEP_CUDA_P2P_SAFE_SIM").as_deref() == Some("1")
                || var("CARGO_FEATURE_HOST_KERNELS").is_some()
        })
    }
}

fn absolute(path: &Path, var: Var<'_>) -> PathBuf {
    let joined = match var("CARGO_MANIFEST_DIR") {
        Some(dir) => Path::new(&dir).join(path),
        None => path.to_owned(),
    };
    std::path::absolute(&joined).unwrap_or(joined)
}

fn nvcc_use(var: Var<'_>) -> Result<Nvcc, BuildError> {
    match var("CUDA_P2P_KERNELS").unwrap_or_default().as_str() {
        "" | "auto" => Ok(Nvcc::IfFound),
        "nvcc" => Ok(Nvcc::Required),
        "none" => Ok(Nvcc::Unused),
        value => Err(BuildError::InvalidVariable {
            name: "CUDA_P2P_KERNELS",
            value: value.to_owned(),
            expected: "set it to `auto` (use nvcc if there is one), `nvcc` (require it) or `none` (do without)",
        }),
    }
}

/// The nvcc of what the search gave, or why there is none, in one line.
fn nvcc(found: Result<Toolkit, crate::ToolkitNotFound>) -> Result<(Toolkit, PathBuf), String> {
    let toolkit = found.map_err(|error| error.to_string())?;
    match toolkit.nvcc().map(Path::to_owned) {
        Some(nvcc) => Ok((toolkit, nvcc)),
        None => {
            let mut text = String::from("CUDA headers were found but no nvcc; tried ");
            let _ = write_list(&mut text, toolkit.tried());
            text.push_str(". Set NVCC to it, or CUDA_HOME to a whole toolkit");
            Err(text)
        }
    }
}
