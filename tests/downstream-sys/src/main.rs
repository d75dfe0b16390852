//! Compares what C++ and Rust make of the same CUDA headers, and asks the runtime through whichever door was built in. The last line
//! is 'N passed, N failed, N skipped'.

use std::mem::offset_of;
use std::process::ExitCode;

use cuda_p2p_sys::*;

/// The same facts as Rust has them, in the order of `sizes.cpp`.
#[cfg(has_headers)]
fn ours() -> [(&'static str, usize); 15] {
    [
        ("CUDART_VERSION", CUDART_VERSION as usize),
        ("sizeof cudaDeviceProp", size_of::<cudaDeviceProp>()),
        ("offsetof cudaDeviceProp.uuid", offset_of!(cudaDeviceProp, uuid)),
        ("offsetof cudaDeviceProp.totalGlobalMem", offset_of!(cudaDeviceProp, totalGlobalMem)),
        ("offsetof cudaDeviceProp.multiProcessorCount", offset_of!(cudaDeviceProp, multiProcessorCount)),
        ("sizeof cudaPointerAttributes", size_of::<cudaPointerAttributes>()),
        ("offsetof cudaPointerAttributes.devicePointer", offset_of!(cudaPointerAttributes, devicePointer)),
        ("sizeof cudaMemcpy3DPeerParms", size_of::<cudaMemcpy3DPeerParms>()),
        ("offsetof cudaMemcpy3DPeerParms.dstDevice", offset_of!(cudaMemcpy3DPeerParms, dstDevice)),
        ("sizeof cudaIpcMemHandle_t", size_of::<cudaIpcMemHandle_t>()),
        ("sizeof cudaMemAccessDesc", size_of::<cudaMemAccessDesc>()),
        ("sizeof cudaLaunchConfig_t", size_of::<cudaLaunchConfig_t>()),
        ("sizeof dim3", size_of::<dim3>()),
        ("sizeof cudaStream_t", size_of::<cudaStream_t>()),
        ("sizeof cudaError_t", size_of::<cudaError_t>()),
    ]
}

#[derive(Default)]
struct Count {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Count {
    fn check(
        &mut self,
        what: &str,
        theirs: impl PartialEq + std::fmt::Debug,
        ours: impl std::fmt::Debug,
        equal: bool,
    ) {
        println!("{} {what}: C++ {theirs:?}, Rust {ours:?}", if equal { "ok    " } else { "FAILED" });
        if equal {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }
}

fn main() -> ExitCode {
    let mut count = Count::default();
    for (name, value) in [
        ("BINDINGS", env!("TOLD_BINDINGS")),
        ("CUDA_VERSION", env!("TOLD_CUDA_VERSION")),
        ("LINK", env!("TOLD_LINK")),
        ("ROOT", env!("TOLD_ROOT")),
        ("INCLUDE", env!("TOLD_INCLUDE")),
        ("LIB_DIR", env!("TOLD_LIB_DIR")),
    ] {
        println!("DEP_CUDA_P2P_{name}={value}");
    }
    println!("{BINDINGS_ORIGIN}");
    main_facts(&mut count);
    compare(&mut count);
    ask(&mut count);
    println!("{} passed, {} failed, {} skipped", count.passed, count.failed, count.skipped);
    ExitCode::from(u8::from(count.failed != 0))
}

fn main_facts(count: &mut Count) {
    let version = format!("{}.{}", BOUND_VERSION.0, BOUND_VERSION.1);
    count.check("the version", env!("TOLD_CUDA_VERSION"), &version, env!("TOLD_CUDA_VERSION") == version);
    let link = match linked::LINK {
        linked::Link::Shared => "shared",
        linked::Link::Static => "static",
        _ => "loaded",
    };
    count.check("the door", env!("TOLD_LINK"), link, env!("TOLD_LINK") == link);
}

#[cfg(has_headers)]
fn compare(count: &mut Count) {
    #[repr(C)]
    struct Fact {
        name: *const std::ffi::c_char,
        value: usize,
    }
    unsafe extern "C" {
        fn downstream_facts(count: *mut usize) -> *const Fact;
    }
    let mut len = 0;
    // SAFETY: gives a table of that many facts, with literals for names, in the program's image.
    let theirs = unsafe { std::slice::from_raw_parts(downstream_facts(&mut len), len) };
    let ours = ours();
    count.check("facts", theirs.len(), ours.len(), theirs.len() == ours.len());
    for (theirs, (name, value)) in theirs.iter().zip(ours) {
        // SAFETY: a literal.
        let their_name = unsafe { std::ffi::CStr::from_ptr(theirs.name) }.to_string_lossy();
        count.check(name, theirs.value, value, their_name == name && theirs.value == value);
    }
}

#[cfg(not(has_headers))]
fn compare(count: &mut Count) {
    let _ = offset_of!(cudaDeviceProp, uuid);
    println!("skipped: the bindings are pre-generated, so there are no headers to compare with");
    count.skipped += 1;
}

#[cfg(any(feature = "link-shared", feature = "link-static"))]
fn ask(count: &mut Count) {
    match linked::open() {
        Ok(linked) => {
            count.check(
                "the linked runtime's major",
                linked.version(),
                BOUND_VERSION,
                linked.version().0 == BOUND_VERSION.0,
            );
            let mut devices = 0;
            let get = linked.table().cudaGetDeviceCount.expect("every runtime has it");
            // SAFETY: `devices` is a valid place for an int.
            let status = unsafe { get(&mut devices) };
            println!("cudaGetDeviceCount answers {}, {devices} devices", status.0);
            let absent = CudaRuntime::ENTRIES.iter().filter(|(_, present)| !present(linked.table()));
            let absent: Vec<&str> = absent.map(|(name, _)| *name).collect();
            println!("absent: {} of {}: {}", absent.len(), CudaRuntime::ENTRIES.len(), absent.join(" "));
        }
        Err(error) => count.check("the linked runtime", error.to_string(), "usable", false),
    }
}

#[cfg(not(any(feature = "link-shared", feature = "link-static")))]
fn ask(count: &mut Count) {
    match loaded::load() {
        Ok(loaded) => {
            count.check(
                "the loaded runtime's major",
                loaded.version(),
                BOUND_VERSION,
                loaded.version().0 == BOUND_VERSION.0,
            );
        }
        Err(error) => {
            println!("skipped: no runtime library to load: {error}");
            count.skipped += 1;
        }
    }
}
