//! The door of the features `link-shared` and `link-static`: the library that this test is linked against. Needs no GPU.
#![cfg(any(feature = "link-shared", feature = "link-static"))]

use cuda_p2p_sys::linked::{LINK, Link, open};
use cuda_p2p_sys::{BOUND_VERSION, CudaRuntime, functions, loaded};

#[test]
fn the_linked_runtime_is_of_the_bindings_major_and_has_what_is_required() {
    let linked = open().expect("the library that was found at build time");
    assert_eq!(linked.version().0, BOUND_VERSION.0);
    for function in functions::FUNCTIONS.iter().filter(|function| function.required) {
        let entry = CudaRuntime::ENTRIES.iter().find(|(name, _)| *name == function.name).expect("bound");
        assert!((entry.1)(linked.table()), "{}", function.name);
    }
    assert!(std::ptr::eq(linked.table(), open().expect("as before").table()), "one table");
}

#[test]
fn a_call_through_the_table_reaches_the_library() {
    let table = open().expect("a runtime").table();
    let name = table.cudaGetErrorName.expect("required");
    // SAFETY: the call takes a number and gives a string of the library's image.
    let text = unsafe { std::ffi::CStr::from_ptr(name(cuda_p2p_sys::cudaError::cudaErrorTooManyPeers)) };
    assert_eq!(text, c"cudaErrorTooManyPeers");
}

#[test]
fn of_two_features_the_shared_library_wins() {
    let expected = if cfg!(feature = "link-shared") { Link::Shared } else { Link::Static };
    assert_eq!(LINK, expected);
    // The static runtime is no library that the process has loaded; the shared one is, and the other door finds it there.
    let loaded = loaded::load();
    if LINK == Link::Shared {
        let loaded = loaded.expect("the process has it already");
        let (linked, loaded) = (open().expect("a runtime").table(), loaded.table());
        assert_eq!(
            linked.cudaMalloc.map(|f| f as usize),
            loaded.cudaMalloc.map(|f| f as usize),
            "one runtime"
        );
    }
}
