//! The search on small trees of files: order, layouts, and what is said about what was not there.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::places::System;
use super::{Toolkit, ToolkitNotFound};

struct Machine {
    dir: tempfile::TempDir,
    vars: HashMap<&'static str, OsString>,
}

impl Machine {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary folder"), vars: HashMap::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("the folder exists").join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders are writable");
        fs::write(&path, text).expect("files are writable");
        path
    }

    fn nvcc(&self, root: &str) -> PathBuf {
        self.file(&format!("{root}/bin/nvcc"), "")
    }

    fn headers(&self, include: &str, version: u32) -> PathBuf {
        let text = format!("/* text */\n#define CUDART_VERSION  {version}\n#define OTHER 1\n");
        self.file(&format!("{include}/cuda_runtime_api.h"), &text);
        self.path(include)
    }

    fn set(&mut self, name: &'static str, value: impl AsRef<Path>) {
        self.vars.insert(name, value.as_ref().as_os_str().to_owned());
    }

    fn find(&self) -> Result<Toolkit, ToolkitNotFound> {
        let system = System { roots: vec![self.path("usr/local/cuda"), self.path("opt/cuda")] };
        Toolkit::find_in(&|name| self.vars.get(name).cloned(), &system)
    }
}

#[test]
fn a_wrong_variable_is_told_and_the_search_goes_on() {
    let mut machine = Machine::new();
    let nvcc = machine.nvcc("usr/local/cuda");
    let include = machine.headers("usr/local/cuda/include", 12080);
    machine.set("CUDA_HOME", machine.path("nowhere"));
    let toolkit = machine.find().expect("the default place has one");
    assert_eq!(toolkit.nvcc(), Some(&*nvcc));
    assert_eq!(toolkit.include(), Some(&*include));
    assert_eq!(toolkit.version(), Some((12, 8)));
    assert_eq!(toolkit.root(), machine.path("usr/local/cuda"));
    let first = &toolkit.tried()[0];
    assert_eq!((first.origin.as_str(), first.outcome), ("CUDA_HOME", "does not exist"));
}

#[test]
fn variables_come_in_their_order() {
    let mut machine = Machine::new();
    for (name, root) in
        [("CUDA_P2P_TOOLKIT", "a"), ("NVCC", "b"), ("CUDA_HOME", "c"), ("CUDA_PATH", "d"), ("PATH", "e")]
    {
        machine.headers(&format!("{root}/include"), 13000);
        let nvcc = machine.nvcc(root);
        let value = match name {
            "NVCC" => nvcc,
            "PATH" => machine.path("e/bin"),
            _ => machine.path(root),
        };
        machine.set(name, value);
    }
    machine.nvcc("usr/local/cuda");
    machine.headers("usr/local/cuda/include", 13000);
    machine.nvcc("opt/cuda");
    machine.headers("opt/cuda/include", 13000);
    let order = [
        ("CUDA_P2P_TOOLKIT", "a"),
        ("NVCC", "b"),
        ("CUDA_HOME", "c"),
        ("CUDA_PATH", "d"),
        ("PATH", "e"),
        ("", "usr/local/cuda"),
    ];
    for (name, root) in order {
        assert_eq!(machine.find().expect("there are several").root(), machine.path(root));
        machine.vars.remove(name);
    }
    fs::remove_dir_all(machine.path("usr")).expect("removable");
    assert_eq!(machine.find().expect("one is left").root(), machine.path("opt/cuda"));
}

#[test]
fn headers_without_nvcc_are_told_apart() {
    let mut machine = Machine::new();
    machine.headers("cuda/include", 13000);
    machine.set("CUDA_PATH", machine.path("cuda"));
    let toolkit = machine.find().expect("headers are enough");
    assert_eq!(toolkit.nvcc(), None);
    assert!(toolkit.include().is_some());
    assert!(toolkit.tried().iter().any(|tried| tried.outcome == "headers but no nvcc"), "{toolkit:?}");
}

#[test]
fn nvcc_and_headers_may_come_from_two_places() {
    let mut machine = Machine::new();
    let nvcc = machine.nvcc("compiler");
    let include = machine.headers("headers/targets/x86_64-linux/include", 12000);
    machine.set("NVCC", &nvcc);
    machine.set("CUDA_HOME", machine.path("headers"));
    let toolkit = machine.find().expect("both are there");
    assert_eq!(toolkit.nvcc(), Some(&*nvcc));
    if cfg!(target_arch = "x86_64") {
        assert_eq!(toolkit.include(), Some(&*include));
        assert_eq!(toolkit.headers_for_nvcc(), Some(&*include));
        machine.headers("compiler/include", 13000);
        machine.set("CUDA_P2P_TOOLKIT", machine.path("headers"));
        let toolkit = machine.find().expect("both are there");
        assert_eq!(toolkit.include(), Some(&*include), "the first place that has headers");
        assert_eq!(toolkit.headers_for_nvcc(), None, "nvcc has headers of its own version");
    }
}

#[cfg(unix)]
#[test]
fn a_link_on_path_leads_to_the_toolkit() {
    let mut machine = Machine::new();
    let nvcc = machine.nvcc("toolkits/cuda-13.0");
    machine.headers("toolkits/cuda-13.0/include", 13000);
    let cudart = machine.file("toolkits/cuda-13.0/lib64/libcudart.so.13", "");
    fs::create_dir_all(machine.path("bin")).expect("writable");
    std::os::unix::fs::symlink(&nvcc, machine.path("bin/nvcc")).expect("links work");
    machine.set("PATH", machine.path("bin"));
    let toolkit = machine.find().expect("the link leads there");
    assert_eq!(toolkit.root(), machine.path("toolkits/cuda-13.0"));
    assert_eq!(toolkit.nvcc(), Some(&*nvcc));
    assert_eq!(toolkit.lib_dir(), cudart.parent());
}

#[test]
fn conda_and_pip_layouts() {
    let mut machine = Machine::new();
    let nvcc = machine.nvcc("venv/lib/python3.11/site-packages/nvidia/cu13");
    machine.headers("venv/lib/python3.11/site-packages/nvidia/cu13/include", 13000);
    machine.set("VIRTUAL_ENV", machine.path("venv"));
    assert_eq!(machine.find().expect("pip's").nvcc(), Some(&*nvcc));

    let mut machine = Machine::new();
    let nvcc = machine.nvcc("py/lib/python3.12/site-packages/nvidia/cuda_nvcc");
    let include = machine.headers("py/lib/python3.12/site-packages/nvidia/cuda_runtime/include", 12040);
    machine.file("py/bin/python3", "");
    machine.set("PATH", machine.path("py/bin"));
    let toolkit = machine.find().expect("pip's older layout, beside python3");
    assert_eq!((toolkit.nvcc(), toolkit.include()), (Some(&*nvcc), Some(&*include)));
    assert_eq!(toolkit.version(), Some((12, 4)));

    let mut machine = Machine::new();
    let nvcc = machine.nvcc("conda");
    machine.set("CONDA_PREFIX", machine.path("conda"));
    assert_eq!(machine.find().expect("conda's").nvcc(), Some(&*nvcc));
}

#[test]
fn pyenv_and_the_users_own_packages_are_searched() {
    let mut machine = Machine::new();
    let nvcc = |machine: &Machine, at: &str| machine.nvcc(&format!("{at}/site-packages/nvidia/cu13"));
    machine.file("home/.pyenv/shims/python3", "");
    machine.file("home/.pyenv/version", "3.11.7\n");
    machine.set("PATH", machine.path("home/.pyenv/shims"));
    machine.set("HOME", machine.path("home"));
    let own = nvcc(&machine, "home/.local/lib/python3.12");
    machine.path("home/.pyenv/versions");
    assert_eq!(machine.find().expect("the user's own").nvcc(), Some(&*own));

    let newest = nvcc(&machine, "home/.pyenv/versions/3.13.0/lib/python3.13");
    assert_eq!(machine.find().expect("a version that was not chosen").nvcc(), Some(&*newest));
    let chosen = nvcc(&machine, "home/.pyenv/versions/3.11.7/lib/python3.11");
    assert_eq!(machine.find().expect("the one of pyenv's file").nvcc(), Some(&*chosen));
    machine.set("PYENV_VERSION", "3.13.0");
    assert_eq!(machine.find().expect("the one of the variable").nvcc(), Some(&*newest));

    machine.vars.remove("PATH");
    nvcc(&machine, "base/lib/python3.9");
    machine.set("PYTHONUSERBASE", machine.path("base"));
    assert!(machine.find().expect("the user's own, elsewhere").root().starts_with(machine.path("base")));
}

/// The list is a cargo warning: of each kind of places it names one and counts the others. The error has all of them.
#[test]
fn many_versions_of_pyenv_are_counted() {
    let mut machine = Machine::new();
    machine.file("home/.pyenv/shims/python3", "");
    machine.set("PATH", machine.path("home/.pyenv/shims"));
    for minor in 10..21 {
        machine.file(&format!("home/.pyenv/versions/3.{minor}.0/bin/python3"), "");
    }
    let error = machine.find().expect_err("nothing is there");
    let text = error.to_string();
    let newest =
        "3.20.0/lib/python3*/site-packages/nvidia and 10 more (pip, by python3 on PATH): does not exist";
    assert!(text.contains(newest), "{text}");
    assert_eq!(text.matches("versions").count(), 1, "{text}");
    assert!(text.contains("usr/local/cuda (default): does not exist; "), "{text}");
    let versions = error.tried().iter().filter(|tried| tried.path.to_string_lossy().contains("versions"));
    assert_eq!(versions.count(), 11);
}

#[test]
fn a_variable_that_leads_nowhere_is_passed_over_and_told() {
    let mut machine = Machine::new();
    machine.nvcc("toolkit");
    machine.headers("toolkit/include", 13000);
    machine.set("NVCC", machine.path("no/nvcc"));
    machine.set("CUDA_HOME", machine.path("nowhere"));
    machine.set("CUDA_PATH", machine.path("toolkit"));
    let toolkit = machine.find().expect("CUDA_PATH leads to one");
    let told: Vec<String> = toolkit.passed_over().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].ends_with("no/nvcc (NVCC): does not exist"), "{told:?}");
    assert!(told[1].ends_with("nowhere (CUDA_HOME): does not exist"), "{told:?}");
    machine.set("CUDA_HOME", machine.path("toolkit"));
    machine.set("NVCC", "");
    assert_eq!(machine.find().expect("CUDA_HOME leads to one").passed_over().count(), 0);
}

#[test]
fn an_empty_machine_is_told_in_one_line() {
    let mut machine = Machine::new();
    machine.set("NVCC", machine.path("no/nvcc"));
    machine.set("CUDA_HOME", "");
    let error = machine.find().expect_err("nothing is there");
    let text = error.to_string();
    for part in
        ["no/nvcc (NVCC): does not exist", "nvcc (PATH)", "usr/local/cuda", "opt/cuda", "Set CUDA_HOME"]
    {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    assert!(!text.contains('\n'));
    assert!(
        error.tried().iter().all(|tried| tried.origin != "CUDA_HOME"),
        "an empty variable is an unset one"
    );
}
