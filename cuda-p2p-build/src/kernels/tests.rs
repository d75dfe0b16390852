//! What the builder makes of its settings and its environment, up to the first compiler.

use std::collections::HashMap;
use std::fs;

use super::Kernels;
use crate::{BuildError, Report, Toolkit, ToolkitNotFound, Tried};

struct Script {
    dir: tempfile::TempDir,
    vars: HashMap<&'static str, String>,
}

impl Script {
    fn new(kernel: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::write(dir.path().join("k.cu"), kernel).expect("writable");
        let path = dir.path().display().to_string();
        let vars = HashMap::from([("CARGO_MANIFEST_DIR", path)]);
        Self { dir, vars }
    }

    fn kernels(&self) -> Kernels {
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        Kernels::new("k").file("k.cu").outside_cargo(self.dir.path(), target)
    }

    fn run(&self, kernels: &Kernels) -> Result<Report, BuildError> {
        let nothing = || {
            Err(ToolkitNotFound {
                tried: vec![Tried {
                    origin: "default".into(),
                    path: "/none".into(),
                    outcome: "does not exist",
                }],
            })
        };
        kernels.compile_in(&|name| self.vars.get(name).cloned(), nothing as fn() -> Result<Toolkit, _>)
    }
}

const KERNEL: &str = "extern \"C\" __global__ void k(int *x) { *x = 1; }\n";

#[test]
fn no_nvcc_and_no_simulator_still_build() {
    let script = Script::new(KERNEL);
    let report = script.run(&script.kernels()).expect("goes on");
    assert_eq!((report.fatbin, report.host_symbol), (None, None));
    let text = fs::read_to_string(report.expression).expect("it was written");
    assert_eq!(text.matches("::core::option::Option::None").count(), 2, "{text}");
}

#[test]
fn nvcc_may_be_required() {
    let mut script = Script::new(KERNEL);
    script.vars.insert("CUDA_P2P_KERNELS", "nvcc".into());
    let error = script.run(&script.kernels()).expect_err("there is none");
    assert!(
        matches!(&error, BuildError::NvccNotFound { tried } if tried.contains("/none (default)")),
        "{error}"
    );
}

#[test]
fn junk_in_a_variable_is_an_error() {
    for (name, value) in [("CUDA_P2P_KERNELS", "yes"), ("CUDA_P2P_ARCHS", "hopper")] {
        let mut script = Script::new(KERNEL);
        script.vars.insert(name, value.into());
        let error = script.run(&script.kernels()).expect_err("junk");
        let text = error.to_string();
        assert!(text.contains(value) && text.contains(name), "{text}");
    }
}

#[test]
fn the_simulator_is_in_when_cuda_p2p_says_so() {
    for (name, value, expected) in [
        ("DEP_CUDA_P2P_SAFE_SIM", "1", true),
        ("DEP_CUDA_P2P_SAFE_SIM", "0", false),
        ("CARGO_FEATURE_HOST_KERNELS", "1", true),
    ] {
        let mut script = Script::new(KERNEL);
        script.vars.insert(name, value.into());
        let report = script.run(&script.kernels()).expect("compiles");
        assert_eq!(report.host_symbol.as_deref(), expected.then_some("cuda_p2p_host_k"), "{name}={value}");
        let report = script.run(&script.kernels().simulator(!expected)).expect("compiles");
        assert_eq!(report.host_symbol.is_some(), !expected, "the builder overrides {name}={value}");
    }
}

#[test]
fn mistakes_in_the_builder() {
    let script = Script::new(KERNEL);
    let target = "x86_64-unknown-linux-gnu";
    let out = script.dir.path();
    let named = |name: &str| Kernels::new(name).file("k.cu").outside_cargo(out, target);
    for name in ["", "a-b", "1a", "a b"] {
        assert!(matches!(script.run(&named(name)), Err(BuildError::InvalidName { .. })), "{name}");
    }
    let none = Kernels::new("k").outside_cargo(out, target);
    assert!(matches!(script.run(&none), Err(BuildError::NoFiles { .. })));
    let missing = script.kernels().file("gone.cu");
    assert!(
        matches!(script.run(&missing), Err(BuildError::FileNotFound { path }) if path.ends_with("gone.cu"))
    );
    assert!(matches!(
        Kernels::new("k").file("k.cu").compile_in(&|_| None, Toolkit::find),
        Err(BuildError::NotABuildScript { .. })
    ));
}

#[test]
fn what_the_simulator_cannot_run_names_file_and_line() {
    let script = Script::new("\n__global__ void bare() {}\n");
    let error = script.run(&script.kernels().simulator(true)).expect_err("no C name");
    let BuildError::Kernel { file, line, problem } = error else { panic!("{error}") };
    assert!(file.ends_with("k.cu") && line == 2 && problem.contains("`bare`"), "{file}:{line}: {problem}");

    let script = Script::new("int nothing;\n");
    let error = script.run(&script.kernels().simulator(true)).expect_err("no kernel");
    assert!(matches!(error, BuildError::NoKernels { .. }), "{error}");

    let script = Script::new("extern \"C\" __global__ void k() { undeclared(); }\n");
    let error = script.run(&script.kernels().simulator(true)).expect_err("does not compile");
    assert!(error.to_string().contains("undeclared"), "{error}");

    let script = Script::new(KERNEL);
    let error = script.run(&script.kernels().simulator(true).cxx("/no/such/c++")).expect_err("no compiler");
    assert!(error.to_string().contains("/no/such/c++"), "{error}");
    assert!(error.to_string().contains("CXX"), "{error}");
}
