//! The sources that are generated around a module's `.cu` files.
//!
//! All files of a module are one translation unit on both sides: CUDA loads one image for a module, and whole-program
//! compilation of one unit needs neither a device linker nor relocatable device code, which slows kernels down.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::BuildError;
use crate::plain::Plain;
use crate::scan::Kernel;

/// The `.cu` files, each included by its absolute path, so that its own `#include "..."` lines work.
pub(crate) fn device(files: &[PathBuf], plain: &mut Plain<'_>) -> Result<String, BuildError> {
    let mut text = String::from("// Generated: the kernels of one module.\n#include <cuda_p2p/kernel.cuh>\n");
    for file in files {
        let _ = writeln!(text, "#include \"{}\"", plain.for_include(file)?.display());
    }
    Ok(text)
}

/// The same for the simulator, up to the table.
pub(crate) fn host(files: &[PathBuf], plain: &mut Plain<'_>) -> Result<String, BuildError> {
    let mut text = String::from(
        "// Compilers turn copies of structs into calls of these, which would pass unchecked.\n",
    );
    for name in ["memcpy", "memmove", "memset"] {
        let _ = writeln!(text, "__asm__(\"{name} = cuda_p2p_v1_{name}\");");
    }
    text.push_str("__asm__(\"__assert_fail = cuda_p2p_v1_assert_fail\");\n");
    text.push_str(&device(files, plain)?);
    text.push_str("#include <cuda_p2p/host/table.h>\n");
    Ok(text)
}

/// The table of `kernels` under the name `symbol`: what follows the preprocessed host unit.
pub(crate) fn table(kernels: &[Kernel], symbol: &str) -> String {
    let mut text =
        format!("\n# 1 \"table of {symbol}\"\nnamespace {{\nconstexpr cuda_p2p_host_kernel table[] = {{\n");
    for Kernel { name, path, max_threads } in kernels {
        let bound = max_threads.as_deref().unwrap_or("0");
        let _ = writeln!(
            text,
            "    cuda_p2p::detail::kernel<&{path}>(\"{name}\", static_cast<uint32_t>({bound})),"
        );
    }
    let _ = writeln!(
        text,
        "}};\n}} // namespace\n\nextern \"C\" {{\nextern const cuda_p2p_host_module {symbol};\n\
         constexpr cuda_p2p_host_module {symbol} = cuda_p2p::detail::module(table);\n}}"
    );
    text
}

/// Writes `text` unless it is there already: an unchanged file keeps its time.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|source| BuildError::Io { path: path.to_owned(), source })
}
