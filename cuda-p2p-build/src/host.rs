//! A module's kernels for the simulator: an archive of C++ whose every access is checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::Context;
use crate::device::{Extras, run};
use crate::error::BuildError;
use crate::plain::Plain;
use crate::{depfile, include_dir, scan, unit};

/// The compiled archive.
pub(crate) struct Archive {
    /// Name of the exported table.
    pub(crate) symbol: String,
    /// Names of the kernels, in the order of their definition.
    pub(crate) kernels: Vec<String>,
    /// Files that it was made from.
    pub(crate) read: Vec<PathBuf>,
}

/// Compiles `files` to `<out_dir>/lib<symbol>.a`.
pub(crate) fn compile(
    context: &Context,
    name: &str,
    files: &[PathBuf],
    extras: &Extras,
) -> Result<Archive, BuildError> {
    let symbol = format!("cuda_p2p_host_{}{name}", context.package);
    let source = context.out_dir.join(format!("{name}_host.cpp"));
    let module = format!("{name}_host");
    let mut plain = Plain::new(&context.out_dir, &module);
    unit::write(&source, &unit::host(files, &mut plain)?)?;
    let (text, mut read) = preprocess(context, &source, name, extras)?;
    let scan::Scanned { kernels, text } = scan::scan(&text, &format!("{symbol}_"))?;
    if kernels.is_empty() {
        return Err(BuildError::NoKernels { name: name.to_owned() });
    }
    let source = context.out_dir.join(format!("{name}_host.ii"));
    unit::write(&source, &(text + &unit::table(&kernels, &symbol)))?;

    let mut shim = build(context, &Extras { cxx: extras.cxx.clone(), ..Extras::default() });
    let sources = ["shim.cpp", "accesses.cpp", "atomics.cpp"].map(|file| shim_dir().join(file));
    let objects = shim.files(&sources).try_compile_intermediates()?;
    read.extend(sources);
    read.push(shim_dir().join("hooks.h"));

    // Run here and not by `cc`, whose error would not hold what the compiler said.
    let object = context.out_dir.join(format!("{name}_host.o"));
    let mut unit = build(context, extras);
    instrument(&mut unit)?;
    run(unit.try_get_compiler()?.to_command().arg("-c").arg(&source).arg("-o").arg(&object))?;
    let object = keep_to_itself(context, extras, &symbol, &object)?;
    build(context, extras).object(object).objects(objects).try_compile(&symbol)?;
    Ok(Archive { symbol, kernels: kernels.into_iter().map(|kernel| kernel.name).collect(), read })
}

/// Makes all but the table local to the module: nvcc keeps the device functions of two modules apart, also where they
/// have the same name, and the linker of a program would merge or refuse them.
fn keep_to_itself(
    context: &Context,
    extras: &Extras,
    symbol: &str,
    object: &Path,
) -> Result<PathBuf, BuildError> {
    let compiler = build(context, extras).try_get_compiler()?;
    let tool = |tool: &str| {
        let asked = Command::new(compiler.path()).arg(format!("-print-prog-name={tool}")).output();
        let named = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        Command::new(named.ok().filter(|path| !path.is_empty()).as_deref().unwrap_or(tool))
    };
    let alone = context.out_dir.join(format!("{symbol}_alone.o"));
    // Functions that several units may define, template instances say, are in groups, of which a linker keeps one by the
    // name of the group, local or not: the groups are dissolved first.
    run(tool("ld").args(["-r", "--force-group-allocation"]).arg(object).arg("-o").arg(&alone))?;
    run(tool("objcopy").arg(format!("--keep-global-symbol={symbol}")).arg(&alone))?;
    Ok(alone)
}

fn shim_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/host"))
}

fn build(context: &Context, extras: &Extras) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .target(&context.target)
        .host(&context.host)
        .opt_level(2)
        .out_dir(&context.out_dir)
        .cargo_metadata(context.listens())
        .cargo_debug(false)
        // Kernels use no C++ library; who links none needs none.
        .cpp_link_stdlib(None)
        .warnings(false)
        .extra_warnings(false)
        .include(include_dir())
        .include(include_dir().join("cuda_p2p/host/stand-in"))
        .includes(&extras.include);
    for (key, value) in &extras.define {
        build.define(key, value.as_deref());
    }
    if let Some(cxx) = &extras.cxx {
        build.compiler(cxx);
    }
    // A thread that faults, or that nobody waits for any longer, is ended by unwinding its stack: every frame must say
    // how, and none may run code of its own on the way. GPU code has no exceptions either.
    build.flags(["-fasynchronous-unwind-tables", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]);
    build.flags(["-fno-omit-frame-pointer", "-fvisibility=hidden", "-U_FORTIFY_SOURCE"]);
    // Kernels pun types through pointers; contraction would round differently from one host to the next.
    build.flags(["-fno-strict-aliasing", "-ffp-contract=off"]);
    // Stacks are small, each with a guard page.
    build.flag_if_supported("-fstack-clash-protection").flags(&extras.cxx_flags);
    build
}

/// Calls before each load and store, and in place of each atomic; not at the entry and exit of functions.
fn instrument(build: &mut cc::Build) -> Result<(), BuildError> {
    build.flag("-fsanitize=thread").flag("-Wno-unknown-pragmas");
    if build.try_get_compiler()?.is_like_clang() {
        build.flags(["-mllvm", "-tsan-instrument-func-entry-exit=0"]);
        // Accesses are reported after they were made into vectors, whose alignment is no longer that of the elements.
        build.flags(["-fno-vectorize", "-fno-slp-vectorize"]);
    } else {
        // A template's static variable would be one for the whole process, and two modules have two.
        build.flag_if_supported("-fno-gnu-unique");
        build.flag_if_supported("--param=tsan-instrument-func-entry-exit=0").flag_if_supported("-Wno-tsan");
    }
    Ok(())
}

/// The unit's text, and the files that it includes.
fn preprocess(
    context: &Context,
    source: &Path,
    name: &str,
    extras: &Extras,
) -> Result<(String, Vec<PathBuf>), BuildError> {
    let rule = context.out_dir.join(format!("{name}_host.d"));
    let mut command = build(context, extras).try_get_compiler()?.to_command();
    command.args(["-E", "-MMD", "-MT", "unit", "-MF"]).arg(&rule).arg(source);
    let text = run(&mut command)?.stdout;
    let read = fs::read_to_string(&rule).map_err(|source| BuildError::Io { path: rule, source })?;
    Ok((text, depfile::parse(&read)))
}
