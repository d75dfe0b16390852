//! Where `load` looks, in which order, and what it says when it finds nothing. Changes environment variables, so each case runs
//! in a process of its own: this file has a `main`, and calls itself. Needs a C compiler.

mod fake;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use cuda_p2p_sys::loaded::{LoadError, load, soname};
use cuda_p2p_sys::{BOUND_VERSION, functions};
use fake::{Folder, runtime};

/// The variable that tells a child which case it is.
const CHILD: &str = "LOAD_SEARCH_CHILD";
/// What the child sets `LD_LIBRARY_PATH` to, itself.
const SET_LATER: &str = "LOAD_SEARCH_SET_LATER";

fn main() -> ExitCode {
    assert!(functions::FUNCTIONS.iter().any(|function| function.required));
    if std::env::var_os(CHILD).is_some() {
        println!("{}", outcome());
        return ExitCode::SUCCESS;
    }
    let folder = Folder::new("search");
    let version = BOUND_VERSION.0 * 1000 + BOUND_VERSION.1 * 10;
    let good = folder.library("good.so", &runtime(version, &[]));
    let other_major = folder.library("other.so", &runtime((BOUND_VERSION.0 - 1) * 1000, &[]));
    let incomplete = folder.library("incomplete.so", &runtime(version, &["cudaMalloc"]));
    let place = |path: &str, library: &PathBuf| {
        let to = folder.path().join(path).join(soname());
        std::fs::create_dir_all(to.parent().expect("it has one")).expect("writable");
        std::fs::copy(library, to).expect("writable");
        folder.path().join(path)
    };
    let home = place("home/lib64", &good);
    place("broken/lib64", &other_major);
    let linker = place("linker", &good);
    place("venv/lib/python3.11/site-packages/nvidia/cu13/lib", &good);
    place("user/lib/python3.13/site-packages/nvidia/cu13/lib", &good);
    place("home/.local/lib/python3.10/site-packages/nvidia/cu13/lib", &good);
    for version in ["3.9.1", "3.10.4"] {
        place(&format!("pyenv/versions/{version}/lib/python3.9/site-packages/nvidia/cu13/lib"), &good);
    }
    std::fs::create_dir_all(folder.path().join("pyenv/shims")).expect("writable");
    std::fs::write(folder.path().join("pyenv/shims/python3"), "").expect("writable");
    std::fs::write(folder.path().join("pyenv/version"), "3.9.1\n").expect("writable");
    place("conda/lib/python3.12/site-packages/nvidia/cuda_runtime/lib", &good);
    place(
        &format!(
            "target/targets/{}-linux/lib",
            if cfg!(target_arch = "aarch64") { "sbsa" } else { "x86_64" }
        ),
        &good,
    );
    place("partial/lib", &incomplete);
    // Python in a folder of its own, found by PATH.
    std::fs::create_dir_all(folder.path().join("venv/bin")).expect("writable");
    std::fs::write(folder.path().join("venv/bin/python3"), "").expect("writable");
    // What the process holds already goes by its SONAME, wherever its file is.
    let held = folder.soname_library("held.so", &soname(), &runtime(version + 10, &[]));
    let held_other =
        folder.soname_library("held-other.so", &soname(), &runtime((BOUND_VERSION.0 + 1) * 1000, &[]));
    let root = folder.path().display();
    let (good, linker, home) = (good.display(), linker.display(), home.display());

    // Name, the variables that are set, what the child is to print.
    type Case<'a> = (&'a str, Vec<(&'a str, String)>, String);
    let cases: Vec<Case<'_>> = vec![
        ("the named file", vec![("CUDA_P2P_CUDART", format!("{good}"))], format!("found {good}")),
        (
            "a named file that is wrong, though a right one could be found",
            vec![("CUDA_P2P_CUDART", "good.so".into()), ("CUDA_HOME", format!("{root}/home"))],
            "relative".into(),
        ),
        ("CUDA_HOME", vec![("CUDA_HOME", format!("{root}/home"))], format!("found {home}/{}", soname())),
        ("CUDA_PATH", vec![("CUDA_PATH", format!("{root}/home"))], format!("found {home}/{}", soname())),
        (
            "CUDA_HOME of another major, then the linker",
            vec![("CUDA_HOME", format!("{root}/broken")), ("LD_LIBRARY_PATH", format!("{linker}"))],
            format!("found {}", soname()),
        ),
        (
            "pip's folder in a virtual environment",
            vec![("VIRTUAL_ENV", format!("{root}/venv"))],
            format!("found {root}/venv/lib/python3.11/site-packages/nvidia/cu13/lib/{}", soname()),
        ),
        (
            "conda's folder",
            vec![("CONDA_PREFIX", format!("{root}/conda"))],
            format!("found {root}/conda/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/{}", soname()),
        ),
        (
            "the python3 on PATH",
            vec![("PATH", format!("relative:{root}/venv/bin"))],
            format!("found {root}/venv/lib/python3.11/site-packages/nvidia/cu13/lib/{}", soname()),
        ),
        (
            "the version that pyenv has chosen",
            vec![("PATH", format!("{root}/pyenv/shims"))],
            format!(
                "found {root}/pyenv/versions/3.9.1/lib/python3.9/site-packages/nvidia/cu13/lib/{}",
                soname()
            ),
        ),
        (
            "the version that PYENV_VERSION has chosen",
            vec![("PATH", format!("{root}/pyenv/shims")), ("PYENV_VERSION", "3.10.4".into())],
            format!(
                "found {root}/pyenv/versions/3.10.4/lib/python3.9/site-packages/nvidia/cu13/lib/{}",
                soname()
            ),
        ),
        (
            "the user's own packages",
            vec![("HOME", format!("{root}/home"))],
            format!("found {root}/home/.local/lib/python3.10/site-packages/nvidia/cu13/lib/{}", soname()),
        ),
        (
            "the user's own packages, elsewhere",
            vec![("HOME", format!("{root}/home")), ("PYTHONUSERBASE", format!("{root}/user"))],
            format!("found {root}/user/lib/python3.13/site-packages/nvidia/cu13/lib/{}", soname()),
        ),
        (
            "a CUDA_HOME that leads nowhere is told of",
            vec![("CUDA_HOME", format!("{root}/nowhere")), ("CUDA_PATH", format!("{root}/home"))],
            format!("found {home}/{}, not {root}/nowhere/lib64/{}: no such file", soname(), soname()),
        ),
        (
            "the targets folder of a toolkit",
            vec![("CUDA_HOME", format!("{root}/target"))],
            format!(
                "found {root}/target/targets/{}-linux/lib/{}",
                if cfg!(target_arch = "aarch64") { "sbsa" } else { "x86_64" },
                soname()
            ),
        ),
        (
            "CUDA_HOME comes before CUDA_PATH",
            vec![("CUDA_HOME", format!("{root}/home")), ("CUDA_PATH", format!("{root}/target"))],
            format!("found {home}/{}", soname()),
        ),
        (
            "CUDA_HOME comes before the linker",
            vec![("CUDA_HOME", format!("{root}/home")), ("LD_LIBRARY_PATH", format!("{linker}"))],
            format!("found {home}/{}", soname()),
        ),
        (
            "a library without a required function is passed over",
            vec![("CUDA_HOME", format!("{root}/partial")), ("CUDA_PATH", format!("{root}/home"))],
            format!("found {home}/{}", soname()),
        ),
        (
            "the library that the process has already",
            vec![("LD_PRELOAD", format!("{}", held.display())), ("CUDA_HOME", format!("{root}/home"))],
            format!("found {}", soname()),
        ),
        (
            "one of another major in the process already",
            vec![("LD_PRELOAD", format!("{}", held_other.display())), ("CUDA_HOME", format!("{root}/home"))],
            format!("found {home}/{}", soname()),
        ),
        (
            "a variable that was changed after the start does not make the linker's folder another one",
            vec![
                ("LD_LIBRARY_PATH", ":".into()),
                (SET_LATER, "/nowhere".into()),
                ("CUDA_HOME", format!("{root}/broken")),
            ],
            "nothing".into(),
        ),
        (
            "the working directory is not searched after a semicolon",
            vec![("LD_LIBRARY_PATH", "/nowhere;.".into()), ("CUDA_HOME", format!("{root}/broken"))],
            "nothing".into(),
        ),
        (
            "the working directory is not searched",
            vec![("LD_LIBRARY_PATH", ":".into()), ("CUDA_HOME", format!("{root}/broken"))],
            "nothing".into(),
        ),
    ];
    let mut failed = 0;
    for (name, variables, expected) in &cases {
        let mut child = Command::new(std::env::current_exe().expect("this test is a file"));
        // The working directory holds a good library under the right name, which must never be taken.
        child.current_dir(folder.path().join("linker")).env(CHILD, "1").env("PATH", "");
        for variable in [
            "CUDA_P2P_CUDART",
            "CUDA_HOME",
            "CUDA_PATH",
            "LD_LIBRARY_PATH",
            "LD_PRELOAD",
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "PYENV_VERSION",
            "PYTHONUSERBASE",
            "HOME",
        ] {
            child.env_remove(variable);
        }
        let output = child.envs(variables.iter().map(|(k, v)| (k, v))).output().expect("the child starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        // A machine with CUDA in /usr/local finds that where the others fail; it is still not the working directory's.
        let elsewhere = *expected == "nothing" && printed.starts_with("found /usr/local/cuda");
        let ok = output.status.success() && (printed.trim() == expected || elsewhere);
        println!("{} {name}: {}", if ok { "ok    " } else { "FAILED" }, printed.trim());
        failed += usize::from(!ok);
    }
    println!("{} passed, {failed} failed, 0 skipped", cases.len() - failed);
    ExitCode::from(u8::from(failed != 0))
}

fn outcome() -> String {
    if let Some(later) = std::env::var_os(SET_LATER) {
        // SAFETY: the child has one thread.
        unsafe { std::env::set_var("LD_LIBRARY_PATH", later) };
    }
    match load() {
        Ok(loaded) => {
            let nowhere =
                loaded.passed_over().first().filter(|tried| tried.path.to_string_lossy().contains("nowhere"));
            let not = nowhere.map(|tried| format!(", not {}: {}", tried.path.display(), tried.problem));
            format!("found {}{}", loaded.path().display(), not.unwrap_or_default())
        }
        Err(LoadError::RelativePath { .. }) => "relative".into(),
        Err(error @ LoadError::NotFound { .. }) => {
            let LoadError::NotFound { tried, .. } = &error else { unreachable!("matched above") };
            let text = error.to_string();
            assert!(
                tried.iter().all(|attempt| text.contains(attempt.path.to_str().expect("UTF-8"))),
                "{text}"
            );
            assert!(
                text.contains("working directory") && text.contains("is CUDA"),
                "each place with its reason: {text}"
            );
            "nothing".into()
        }
        Err(other) => format!("unexpected: {other}"),
    }
}
