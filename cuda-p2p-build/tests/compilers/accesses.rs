//! Each kind of access in a kernel, compiled for the simulator: what the hook is told.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use cuda_p2p_build::Kernels;
use libtest_mimic::Trial;

use crate::build::{self, Compiler};
use crate::trial;

pub(crate) fn trials(compiler: &Compiler) -> Vec<Trial> {
    let one = |name: &str, body: fn(&Compiler) -> Result<(), String>| {
        let owned = compiler.clone();
        trial(format!("{name} with {}", compiler.name), compiler.missing.as_deref(), move || body(&owned))
    };
    vec![
        one("every access reaches the hook", accesses),
        one("bf16 and f16 over all values", float16),
        one("two archives in one program", two_archives),
    ]
}

/// What a kernel printed, line by line without its name.
struct Facts<'a>(Vec<&'a str>);

impl<'a> Facts<'a> {
    fn of(output: &'a str, kernel: &str) -> Self {
        let prefix = format!("{kernel} ");
        Self(output.lines().filter_map(|line| line.strip_prefix(&prefix)).collect())
    }

    /// Whether accesses of `kind` together cover `bytes` bytes at the start of `buffer`, and nothing else of it.
    fn covers(&self, kind: char, buffer: char, bytes: std::ops::Range<usize>) -> bool {
        let mut covered = vec![false; 512];
        let prefix = format!("{kind} {buffer}+");
        for fact in self.0.iter().filter_map(|fact| fact.strip_prefix(&prefix)) {
            let (offset, size) = fact.split_once(' ').expect("offset and size");
            let (offset, size): (usize, usize) =
                (offset.parse().expect("a number"), size.parse().expect("a number"));
            covered[offset..offset + size].fill(true);
        }
        covered.iter().enumerate().all(|(at, hit)| *hit == bytes.contains(&at))
    }
}

fn accesses(compiler: &Compiler) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let report = build::archive(compiler, dir.path(), &build::fixture("accesses.cu"))?;
    let symbol = report.host_symbol.ok_or("no archive")?;
    let library = dir.path().join(format!("lib{symbol}.a"));
    let define = format!("-DMODULE={symbol}");
    let output =
        build::run_cpp(compiler, dir.path(), "driver.cpp", &[OsStr::new(&define), library.as_os_str()])?;

    let mut wrong = Vec::new();
    // Kernel, then facts that must be among those told.
    let told: &[(&str, &[&str])] = &[
        (
            "scalars",
            &["R B+0 1", "W A+0 1", "R B+2 2", "W A+2 2", "R B+4 4", "W A+4 4", "R B+8 8", "W A+8 8"],
        ),
        ("scalars", &["R B+16 4", "W A+16 4", "param 1 8 8"]),
        ("sixteen", &["R B+0 16", "W A+0 16"]),
        ("small_floats", &["R B+0 2", "W A+0 2"]),
        ("atomics", &["U A+0 4", "U A+4 4", "U A+12 4", "U B+0 8", "W B+8 8", "W A+8 4", "value 1"]),
        ("ordered", &["R B+0 4", "W A+0 4", "R A+0 4", "W A+8 8", "value 3"]),
        ("ordered", &["R B+0 4 global", "W A+0 4 global", "R A+0 4 global", "W A+8 8 global"]),
        ("by_value", &["param 0 0 8", "param 1 8 32", "param 2 40 1", "W A+0 8"]),
        ("constant_table", &["W A+0 4", "value 1098907648"]), // 16.0f
        ("places", &["value 4321"]),
        ("shared_memory", &["max 256", "sync", "W A+0 4", "value 23"]),
        ("shared_memory", &["W S+12 4", "W S+44 4", "W S+256 8"]),
        ("ended_by_a_fault", &["W A+4 4", "ended", "value 1", "max 0"]),
        ("failed_assert", &["assertion", "ended", "value 0"]),
        ("misaligned_scalars", &["R B+1 2 misaligned", "W A+1 2 misaligned", "R B+6 4 misaligned"]),
        ("misaligned_scalars", &["W A+6 4 misaligned", "R B+12 8 misaligned", "W A+12 8 misaligned"]),
        ("misaligned_scalars", &["U A+50 4 misaligned", "R B+60 8 misaligned", "W A+60 8 misaligned"]),
        ("misaligned_vectors", &["R B+36 8 misaligned", "W A+36 8 misaligned"]),
        ("misaligned_vectors", &["R B+50 4 misaligned", "W A+50 4 misaligned"]),
        ("misaligned_load16", &["R B+24 16 misaligned", "ended"]),
        ("misaligned_store16", &["W A+24 16 misaligned", "ended"]),
        ("misaligned_float4_load", &["R B+8 16 misaligned", "ended"]),
        ("misaligned_double4_store", &["W A+72 16 misaligned", "ended"]),
        ("pairs", &["W A+40 8", "R B+160 8"]),
        ("vectors", &["R B+0 16", "W A+0 16"]),
        ("halves", &["R B+8 8", "W A+8 8"]),
    ];
    for (kernel, expected) in told {
        let facts = Facts::of(&output, kernel);
        wrong.extend(
            expected.iter().filter(|fact| !facts.0.contains(fact)).map(|f| format!("{kernel}: no {f}")),
        );
    }
    // Kernels for which only the bytes count: compilers cut such copies up as they like.
    for (kernel, reads, writes) in [
        ("structs", 0..20, 0..20),
        ("big_structs", 0..400, 0..400),
        ("copy_calls", 0..48, 0..48),
        ("set_calls", 0..0, 0..48),
        ("byte_loop", 0..48, 0..48),
    ] {
        let facts = Facts::of(&output, kernel);
        if !facts.covers('R', 'B', reads.clone()) || !facts.covers('W', 'A', writes.clone()) {
            wrong.push(format!("{kernel}: not {reads:?} read and {writes:?} written: {:?}", facts.0));
        }
    }
    wrong.extend(output.lines().filter(|line| line.contains("elsewhere")).map(str::to_owned));
    let alarm = |line: &&str| line.ends_with(" misaligned") && !line.starts_with("misaligned_");
    wrong.extend(output.lines().filter(alarm).map(|line| format!("a false alarm: {line}")));
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\n--- all:\n{output}", wrong.join("\n"))) }
}

fn float16(compiler: &Compiler) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    build::run_cpp(compiler, dir.path(), "float16.cpp", &[OsStr::new(compiler.flag)]).map(drop)
}

/// Two modules with kernels and device functions of one name, in one Rust program, through the expressions that were
/// written for them. nvcc keeps such functions apart, so the program's linker must neither refuse nor merge them.
fn two_archives(compiler: &Compiler) -> Result<(), String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.env("DIR", dir.path()).args(["--edition=2024", "-Dwarnings", "-L"]).arg(dir.path());
    for name in ["one", "two"] {
        let file = dir.path().join(format!("{name}.cu"));
        let value = name.len() + usize::from(name == "two");
        let text = format!(
            "__device__ int helper(int x) {{ return x + {value}; }}\n\
             template <int N> __device__ __attribute__((noinline)) int scale(int x) {{ return x * N + {value}; }}\n\
             extern \"C\" __global__ void same(int *x) {{ *x = helper(0) * 100 + scale<2>(0); }}\n"
        );
        fs::write(&file, text).map_err(|error| error.to_string())?;
        let report = Kernels::new(name)
            .file(&file)
            .outside_cargo(dir.path(), build::target())
            .simulator(true)
            .cxx(&compiler.path)
            .compile()
            .map_err(|error| error.to_string())?;
        rustc.arg("-l").arg(format!("static={}", report.host_symbol.ok_or("no archive")?));
    }
    let program = dir.path().join("program");
    build::printed(rustc.arg(build::fixture("two_modules.rs")).arg("-o").arg(&program))?;
    build::printed(&mut Command::new(&program)).map(drop)
}
