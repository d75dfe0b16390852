//! What nvcc is handed, by one that does with it what nvcc does: everything goes through a shell, between double quotes, and folders
//! are taken apart at commas.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Kernels, Toolkit};

const NVCC: &str = r#"#!/bin/sh
case $1 in
--list-gpu-arch) echo compute_90; exit ;;
--second) shift ;;
-fatbin | -ccbin)
    line=
    for argument in "$@"; do line="$line \"$argument\""; done
    exec sh -c "\"$0\" --second $line"
    ;;
*) exit ;; # Who it is, which a build script asks, it does not say.
esac
need() { [ -e "$1" ] || { echo "there is no $1, seen from $PWD" >&2; exit 1; }; }
while [ $# != 0 ]; do
    case $1 in
    -I | -isystem) case $2 in *,*) echo "a comma in $2" >&2; exit 1 ;; esac; need "$2"; folder=$2; shift ;;
    -ccbin) case $2 in */*) need "$2" ;; esac; shift ;;
    -o) output=$2; shift ;;
    -MF) rule=$2; shift ;;
    *.cu) source=$1 ;;
    esac
    shift
done
need "$source"
included=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$source")
need "$included"
# A complaint of its own names what it was handed.
if grep -q WRONG "$included"; then echo "$included(1): error: this is WRONG" >&2; exit 1; fi
echo fatbin >"$output"
printf '%s : %s \\\n  %s\n' "$output" "$source" "$folder/beside.cuh" >"$rule"
"#;

/// Compiles a kernel where the toolkit, the project, its folder of headers and the output lie under `name`.
fn compile_under(name: &str, kernel: &str) -> Result<(crate::Report, String), crate::BuildError> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let odd = root.path().join(name);
    let nvcc = odd.join("toolkit/bin/nvcc");
    for folder in ["toolkit/bin", "headers", "out"] {
        fs::create_dir_all(odd.join(folder)).expect("writable");
    }
    // Written by another process: if this one had it open, so could a process that another test starts just then, and what is open for
    // writing cannot be run.
    fs::write(root.path().join("script"), NVCC).expect("writable");
    let copied =
        Command::new("install").args(["-m", "755"]).arg(root.path().join("script")).arg(&nvcc).status();
    assert!(copied.expect("install").success());
    fs::write(odd.join("k.cu"), kernel).expect("writable");
    fs::write(odd.join("headers/beside.cuh"), "").expect("writable");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let kernels = Kernels::new("k").file(odd.join("k.cu")).include(odd.join("headers"));
    let report = kernels
        .outside_cargo(odd.join("out"), target)
        .compile_in(&|_| None, || Ok(Toolkit::of_compiler(nvcc.clone())))?;
    let fatbin = fs::read_to_string(report.fatbin.as_deref().unwrap_or(Path::new(""))).unwrap_or_default();
    Ok((report, fatbin))
}

const ODD: [&str; 6] = ["plain", "with space", "a $HOME b", "it's", "a,b", "say \"no\" `x`; #"];

#[test]
fn paths_with_any_character_are_compiled() {
    for name in ODD {
        let (report, fatbin) = compile_under(name, "").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((fatbin.as_str(), report.archs), ("fatbin\n", vec!["90".to_owned()]), "{name}");
    }
}

#[test]
fn complaints_name_the_file_that_was_meant() {
    for name in ODD {
        let error = compile_under(name, "WRONG").expect_err("it is wrong").to_string();
        assert!(error.contains(&format!("{name}/k.cu(1): error: this is WRONG")), "{error}");
    }
}
