//! Runs bindgen over `wrapper.h`.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::{functions, table};

/// Types and constants that no bound function's signature mentions, but whose users need them.
const EXTRA_TYPES: &[&str] =
    &["cudaMemPoolAttr", "cudaDeviceP2PAttr", "cudaStreamCaptureStatus", "cudaMemLocation", "cudaLimit"];
const VARS: &[&str] = &[
    "CUDART_VERSION",
    "cudaHostAlloc.*",
    "cudaHostRegister.*",
    "cudaPeerAccessDefault",
    "cudaStream(Default|NonBlocking)",
    "cudaEvent(Default|BlockingSync|DisableTiming|Interprocess|RecordDefault|RecordExternal|WaitDefault|WaitExternal)",
    "cudaDevice(Schedule.*|BlockingSync|MapHost|LmemResizeToMax|SyncMemops|Mask)",
    "cudaIpcMemLazyEnablePeerAccess",
    "cudaMemAttach.*",
    "cudaInvalidDeviceId",
    "cudaCpuDeviceId",
    "CUDA_IPC_HANDLE_SIZE",
    "cudaArrayDefault",
];

/// Makes the bindings of the headers in `include`.
///
/// `compiler_include` is the folder of the C compiler's own headers (`stddef.h`): a libclang that comes alone, without
/// its resource folder, does not bring them.
pub(crate) fn generate(
    wrapper: &Path,
    include: &Path,
    compiler_include: Option<&Path>,
) -> Result<table::Bindings, String> {
    let allowed: Vec<String> =
        functions::FUNCTIONS.iter().map(|function| format!("{}(_v[0-9]+)?", function.name)).collect();
    let rust_target = bindgen::RustTarget::stable(88, 0).map_err(|error| error.to_string())?;
    let mut builder = bindgen::Builder::default()
        .header(path_text(wrapper)?)
        .clang_arg(format!("-I{}", path_text(include)?))
        .use_core()
        // NVIDIA's comments are not ours to publish.
        .generate_comments(false)
        .layout_tests(true)
        .size_t_is_usize(true)
        .derive_debug(true)
        .derive_default(false)
        // A newer library may answer with a code that these headers lack, which would be undefined behaviour in a
        // Rust enum.
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: false })
        .prepend_enum_name(false)
        .generate_cstr(true)
        .rust_target(rust_target)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::None);
    if let Some(folder) = compiler_include {
        builder = builder.clang_arg(format!("-idirafter{}", path_text(folder)?));
    }
    for name in &allowed {
        builder = builder.allowlist_function(name);
    }
    for name in EXTRA_TYPES {
        builder = builder.allowlist_type(name);
    }
    for name in VARS {
        builder = builder.allowlist_var(name);
    }
    // bindgen panics when libclang cannot be loaded; that is a message for the user, not a crash.
    // The builder is consumed: nothing of it is seen after a panic.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let generated = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| builder.generate()));
    std::panic::set_hook(hook);
    let generated = generated
        .map_err(|panic| format!("bindgen failed: {}", panic_text(&*panic)))?
        .map_err(|error| format!("bindgen failed: {error}"))?;
    table::Bindings::from_extern_items(&generated.to_string())
}

/// The folder of the C compiler's own headers, by `-print-file-name=include`, if there is such a compiler.
pub(crate) fn compiler_include() -> Option<std::path::PathBuf> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
    let output = Command::new(compiler).arg("-print-file-name=include").output().ok()?;
    let path = std::path::PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.join("stddef.h").is_file().then_some(path)
}

fn path_text(path: &Path) -> Result<&str, String> {
    path.to_str().ok_or_else(|| format!("{} is not UTF-8, which libclang needs", path.display()))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no reason was given")
}
