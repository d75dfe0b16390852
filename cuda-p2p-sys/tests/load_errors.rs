//! Each way in which a file is not the runtime library that is needed gives its own error, whose text names the file and says
//! what to do. Needs a C compiler. Does not look for a library: that is `load_search.rs`.

mod fake;

use std::path::Path;

use cuda_p2p_sys::BOUND_VERSION;
use cuda_p2p_sys::loaded::{LoadError, load_from};
use fake::{Folder, runtime};

fn bound() -> u32 {
    BOUND_VERSION.0 * 1000 + BOUND_VERSION.1 * 10
}

fn refused(path: &Path) -> (LoadError, String) {
    let error = load_from(path).expect_err("the file is no usable library");
    let text = error.to_string();
    assert!(text.contains(path.to_str().expect("UTF-8")), "the text names the file: {text}");
    (error, text)
}

#[test]
fn a_whole_library_is_taken() {
    let folder = Folder::new("whole");
    let path = folder.library("libwhole.so", &runtime(bound(), &[]));
    let loaded = load_from(&path).expect("it has all that is required");
    assert_eq!(loaded.version(), BOUND_VERSION);
    assert_eq!(loaded.path(), path);
    assert!(loaded.table().cudaMalloc.is_some());
    assert!(loaded.table().cudaLibraryLoadData.is_none(), "what the library lacks is None, not a stub");
    // A table that outlives the value keeps the library open: its functions can still be called.
    let table = loaded.into_table();
    let peek = table.cudaPeekAtLastError.expect("it is required");
    // SAFETY: the library is kept open by `into_table`; the function takes no argument.
    assert_eq!(unsafe { peek() }.0, 0);
}

#[test]
fn a_library_that_simulates_says_so() {
    let folder = Folder::new("simulated");
    let mark = "const char *cuda_p2p_simulated_machine(void) { return \"devices=4 islands=2\"; }";
    let path = folder.library("libsimulated.so", &(runtime(bound(), &[]) + mark));
    assert_eq!(load_from(&path).expect("it is whole").simulated_machine(), Some("devices=4 islands=2"));
    let path = folder.library("libreal.so", &runtime(bound(), &[]));
    assert_eq!(load_from(&path).expect("it is whole").simulated_machine(), None);
}

#[test]
fn a_newer_minor_is_taken() {
    let folder = Folder::new("minor");
    let path = folder.library("libminor.so", &runtime(BOUND_VERSION.0 * 1000 + 990, &[]));
    assert_eq!(load_from(&path).expect("the major is what counts").version(), (BOUND_VERSION.0, 99));
}

#[test]
fn another_major_is_refused() {
    let folder = Folder::new("major");
    for major in [BOUND_VERSION.0 - 1, BOUND_VERSION.0 + 1] {
        let path = folder.library(&format!("libmajor{major}.so"), &runtime(major * 1000 + 40, &[]));
        let (error, text) = refused(&path);
        assert!(
            matches!(error, LoadError::WrongMajor { found, bound, .. } if found == (major, 4) && bound == BOUND_VERSION),
            "{error:?}"
        );
        assert!(text.contains(&format!("CUDA {major}.4")) && text.contains("CUDA_P2P_CUDART"), "{text}");
    }
}

#[test]
fn a_library_without_a_required_function_is_refused() {
    let folder = Folder::new("missing");
    let path = folder.library("libmissing.so", &runtime(bound(), &["cudaMemcpyPeerAsync"]));
    let (error, text) = refused(&path);
    assert!(matches!(error, LoadError::MissingSymbol { symbol: "cudaMemcpyPeerAsync", .. }), "{error:?}");
    assert!(text.contains("since 12.0"), "{text}");
}

#[test]
fn a_library_that_is_no_runtime_is_refused() {
    let folder = Folder::new("other");
    let path = folder.library("libother.so", "int something_else(void) { return 0; }");
    let (error, _) = refused(&path);
    assert!(matches!(error, LoadError::MissingSymbol { symbol: "cudaRuntimeGetVersion", .. }), "{error:?}");
}

#[test]
fn a_library_whose_version_call_fails_is_refused() {
    let folder = Folder::new("version");
    let failing =
        folder.library("libfailing.so", "int cudaRuntimeGetVersion(int *v) { (void)v; return 35; }");
    let (error, text) = refused(&failing);
    assert!(matches!(error, LoadError::NoVersion { status: 35, .. }), "{error:?}");
    assert!(text.contains("status 35"), "{text}");
    let absurd = folder.library("libabsurd.so", "int cudaRuntimeGetVersion(int *v) { *v = -7; return 0; }");
    assert!(matches!(refused(&absurd).0, LoadError::NoVersion { version: -7, .. }));
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let folder = Folder::new("file");
    let whole = folder.library("libwhole.so", &runtime(bound(), &[]));
    let bytes = std::fs::read(&whole).expect("it was just made");

    let text_file = folder.path().join("text.so");
    std::fs::write(&text_file, "not a library").expect("writable");
    let truncated = folder.path().join("truncated.so");
    std::fs::write(&truncated, &bytes[..bytes.len() / 8]).expect("writable");
    let empty = folder.path().join("empty.so");
    std::fs::write(&empty, "").expect("writable");
    // Byte 18 of an ELF file is its processor; 40 is 32-bit Arm, on which nothing here runs.
    let mut foreign_bytes = bytes;
    foreign_bytes[18] = 40;
    let foreign = folder.path().join("foreign.so");
    std::fs::write(&foreign, foreign_bytes).expect("writable");

    for path in
        [text_file, truncated, empty, foreign, folder.path().to_owned(), folder.path().join("absent.so")]
    {
        let (error, text) = refused(&path);
        assert!(matches!(error, LoadError::Unusable { .. }), "{}: {error:?}", path.display());
        assert!(text.contains("CUDA_P2P_CUDART"), "{text}");
    }
}

#[test]
fn a_relative_path_is_refused() {
    let (error, text) = refused(Path::new("libcudart.so.13"));
    assert!(matches!(error, LoadError::RelativePath { .. }), "{error:?}");
    assert!(text.contains("absolute"), "{text}");
}
