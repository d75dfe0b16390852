//! Kernels through nvcc: the fatbin, and the table of the simulator against nvcc's own layout of parameters.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{ffi::OsStr, fs};

use cuda_p2p_build::{Kernels, Toolkit, include_dir};
use libtest_mimic::Trial;

use crate::build::{self, Compiler};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let (missing, nvcc) = match Toolkit::find() {
        Ok(toolkit) => match toolkit.nvcc() {
            Some(nvcc) => (None, nvcc.to_owned()),
            None => (Some("CUDA headers but no nvcc".to_owned()), PathBuf::new()),
        },
        Err(_) => (Some("no CUDA toolkit".to_owned()), PathBuf::new()),
    };
    let one = |name: &str, body: fn(&Path) -> Result<(), String>| {
        let nvcc = nvcc.clone();
        trial(name.to_owned(), missing.as_deref(), move || body(&nvcc))
    };
    vec![
        one("a fatbin for the architectures asked for", fatbin),
        one("nvcc lays parameters out as the table says", layout),
        one("ordered accesses name global memory", ordered),
        one("nvcc's complaint is in the error", complaint),
        one("nvcc takes paths with any character", odd_paths),
    ]
}

fn kernels(dir: &Path, file: &Path) -> Kernels {
    Kernels::new("fixture").file(file).outside_cargo(dir, build::target())
}

fn fatbin(_: &Path) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report = kernels(dir.path(), &build::fixture("accesses.cu"))
        .arch("90")
        .arch("sm_80")
        .compile()
        .map_err(|error| error.to_string())?;
    assert_eq!(report.archs, ["80", "90"]);
    let bytes = fs::read(report.fatbin.ok_or("no fatbin")?).map_err(|error| error.to_string())?;
    // The magic of a fatbin, little endian.
    assert_eq!(bytes[..4], [0x50, 0xed, 0x55, 0xba]);
    let text = fs::read_to_string(report.expression).map_err(|error| error.to_string())?;
    assert!(text.contains(&format!("[u8; {}]", bytes.len())) && text.contains("include_bytes!"), "{text}");
    Ok(())
}

fn odd_paths(_: &Path) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    for name in ["a $HOME b", "it's, \"so\""] {
        let odd = dir.path().join(name);
        fs::create_dir_all(odd.join("headers")).map_err(|error| error.to_string())?;
        let write =
            |file: &str, text: &str| fs::write(odd.join(file), text).map_err(|error| error.to_string());
        write("headers/far.cuh", "#define FAR 1\n")?;
        write("beside.cuh", "#define BESIDE 2\n")?;
        write(
            "k.cu",
            "#include \"beside.cuh\"\n#include <far.cuh>\nextern \"C\" __global__ void k(int *x) { *x = FAR + BESIDE; }\n",
        )?;
        let report = kernels(&odd, &odd.join("k.cu"))
            .include(odd.join("headers"))
            .arch("90")
            .simulator(true)
            .compile()
            .map_err(|error| format!("{name}: {error}"))?;
        let bytes = fs::read(report.fatbin.ok_or("no fatbin")?).map_err(|error| error.to_string())?;
        assert_eq!(bytes[..4], [0x50, 0xed, 0x55, 0xba]);
        assert_eq!(report.kernels, ["k"]);
    }
    Ok(())
}

fn complaint(_: &Path) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = dir.path().join("bad.cu");
    fs::write(&file, "extern \"C\" __global__ void k() { undeclared(); }\n")
        .map_err(|error| error.to_string())?;
    let error = kernels(dir.path(), &file).compile().expect_err("it does not compile").to_string();
    assert!(error.contains("undeclared") && error.contains("bad.cu"), "{error}");
    Ok(())
}

fn ptx(nvcc: &Path, dir: &Path) -> Result<String, String> {
    let ptx = dir.join("fixture.ptx");
    let mut command = Command::new(nvcc);
    command.args(["-ptx", "-std=c++17", "-arch=compute_80", "-I"]).arg(include_dir());
    build::printed(command.arg("-o").arg(&ptx).arg(build::fixture("accesses.cu")))?;
    fs::read_to_string(ptx).map_err(|error| error.to_string())
}

/// Of a generic address, the compiler for the device makes a longer way.
fn ordered(nvcc: &Path) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ptx = ptx(nvcc, dir.path())?;
    let of_order = |line: &&str| {
        ["ld.acquire", "ld.relaxed", "st.release", "st.relaxed"]
            .iter()
            .any(|start| line.trim_start().starts_with(start))
    };
    let accesses: Vec<&str> = ptx.lines().filter(of_order).collect();
    assert_eq!(accesses.len(), 6, "four of `ordered`, two of `misaligned_scalars`: {accesses:#?}");
    let generic: Vec<_> = accesses.iter().filter(|line| !line.contains(".global.u")).collect();
    assert!(generic.is_empty(), "{generic:#?}");
    Ok(())
}

/// PTX says of each parameter its size and alignment, in order; the driver places them by these.
fn layout(nvcc: &Path) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ptx = ptx(nvcc, dir.path())?;
    let compiler = build::compilers().into_iter().find(|c| c.missing.is_none()).ok_or("no C++ compiler")?;
    let table = table(&compiler, dir.path())?;
    let mut seen = 0;
    for entry in ptx.split(".entry ").skip(1) {
        let (name, rest) = entry.split_once('(').ok_or("an entry has parameters")?;
        let parameters = rest.split_once(')').ok_or("a list ends")?.0;
        let mut end = 0;
        for (index, parameter) in parameters.split(',').filter(|text| text.contains(".param")).enumerate() {
            let (size, align) =
                size_and_align(parameter).ok_or_else(|| format!("cannot read {parameter}"))?;
            let offset = usize::next_multiple_of(end, align);
            let line = format!("{} param {index} {offset} {size}", name.trim());
            assert!(table.contains(&line), "nvcc says `{line}`; the table:\n{table}");
            end = offset + size;
            seen += 1;
        }
    }
    assert_eq!(seen, table.matches(" param ").count(), "each parameter once");
    assert!(seen > 30, "the fixture has more than {seen} parameters");
    Ok(())
}

fn table(compiler: &Compiler, dir: &Path) -> Result<String, String> {
    let report = build::archive(compiler, dir, &build::fixture("accesses.cu"))?;
    let symbol = report.host_symbol.ok_or("no archive")?;
    let library = dir.join(format!("lib{symbol}.a"));
    let define = format!("-DMODULE={symbol}");
    build::run_cpp(compiler, dir, "driver.cpp", &[OsStr::new(&define), library.as_os_str()])
}

/// `.param .u64 .ptr name` or `.param .align 8 .b8 name[24]`.
fn size_and_align(parameter: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = parameter.split_whitespace().collect();
    if words.get(1) == Some(&".align") {
        let (_, size) = words.last()?.split_once('[')?;
        return Some((size.trim_end_matches(']').parse().ok()?, words[2].parse().ok()?));
    }
    let bits: usize = words.get(1)?.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    Some((bits / 8, bits / 8))
}
