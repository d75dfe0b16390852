//! Why kernels could not be compiled.

use std::path::PathBuf;
use std::{fmt, io};

/// Why [`Kernels::compile`](crate::Kernels::compile) failed. The text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The name given to `Kernels::new` cannot be part of a symbol.
    InvalidName {
        /// The name as given.
        name: String,
    },
    /// No `.cu` file was given.
    NoFiles {
        /// The module's name.
        name: String,
    },
    /// A `.cu` file is not there.
    FileNotFound {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// An architecture, from `CUDA_P2P_ARCHS` or `Kernels::arch`, is none.
    InvalidArch {
        /// What was written.
        text: String,
    },
    /// This nvcc cannot compile for an architecture that was asked for.
    UnsupportedArch {
        /// The architecture, as `sm_90`.
        arch: String,
        /// The nvcc.
        nvcc: PathBuf,
        /// What it can compile for.
        supported: String,
    },
    /// An environment variable has a value with no meaning.
    InvalidVariable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The values that have one.
        expected: &'static str,
    },
    /// A variable that cargo sets for build scripts is missing.
    NotABuildScript {
        /// The variable.
        name: &'static str,
    },
    /// `CUDA_P2P_KERNELS=nvcc`, and there is no nvcc.
    NvccNotFound {
        /// Every place tried, in one line.
        tried: String,
    },
    /// A definition in a `.cu` file cannot be compiled for the simulator.
    Kernel {
        /// The file, as the preprocessor names it.
        file: String,
        /// Line of the definition.
        line: u32,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The `.cu` files define no kernel.
    NoKernels {
        /// The module's name.
        name: String,
    },
    /// A compiler rejected the kernels.
    Compiler {
        /// The command, as typed in a shell.
        command: String,
        /// What it printed.
        output: String,
    },
    /// A compiler could not be started.
    Start {
        /// The compiler.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The C++ compiler or archiver could not be found or run by `cc`.
    Toolchain(cc::Error),
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidName { name } => write!(
                f,
                "`{name}` cannot name a kernel module: use letters, digits and underscores, and no digit first"
            ),
            Self::NoFiles { name } => {
                write!(f, "module `{name}` has no .cu file: add one with Kernels::file")
            }
            Self::FileNotFound { path } => write!(
                f,
                "no file {}: Kernels::file takes paths relative to the folder of Cargo.toml",
                path.display()
            ),
            Self::InvalidArch { text } => write!(
                f,
                "`{text}` is no GPU architecture: write CUDA_P2P_ARCHS or Kernels::arch like `90`, `sm_90` or `90a`, \
                 several separated by `;` or `,`"
            ),
            Self::UnsupportedArch { arch, nvcc, supported } => write!(
                f,
                "{} does not compile for {arch}; it knows {supported}. Take {arch} out of CUDA_P2P_ARCHS or use \
                 another toolkit (NVCC, CUDA_HOME)",
                nvcc.display()
            ),
            Self::InvalidVariable { name, value, expected } => {
                write!(f, "{name}={value} means nothing: {expected}")
            }
            Self::NotABuildScript { name } => {
                write!(f, "{name} is not set: call this from a build script, or use Kernels::outside_cargo")
            }
            Self::NvccNotFound { tried } => {
                write!(f, "CUDA_P2P_KERNELS=nvcc asks for nvcc, but there is none: {tried}")
            }
            Self::Kernel { file, line, problem } => write!(f, "{file}:{line}: {problem}"),
            Self::NoKernels { name } => write!(
                f,
                "the .cu files of module `{name}` define no kernel: write `extern \"C\" __global__ void name(...)`"
            ),
            Self::Compiler { command, output } => {
                write!(f, "the kernels do not compile\n{}\ncommand: {command}", output.trim_end())
            }
            Self::Start { program, source } => write!(
                f,
                "cannot run {}: {source}. Kernels need a C++ compiler (g++ or clang++; CXX names another), and for \
                 GPUs nvcc (NVCC)",
                program.display()
            ),
            Self::Toolchain(error) => {
                write!(f, "kernels for the simulator need a C++ compiler (g++ or clang++; set CXX): {error}")
            }
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Toolchain(error) => Some(error),
            Self::Start { source, .. } | Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<cc::Error> for BuildError {
    fn from(error: cc::Error) -> Self {
        Self::Toolchain(error)
    }
}
