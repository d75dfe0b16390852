//! After a kernel touched memory that it may not: every error says that it was an earlier operation, and which;
//! nothing panics; what could not be freed can be read. In a process of its own, which is of no use afterwards.

mod common;

use common::{isolated, pair};
use cuda_p2p::{ErrorClass, LaunchConfig};

cuda_p2p::kernels! {
    /// A kernel of this crate, declared wrongly on purpose: with a bare address.
    struct Stray = *cuda_p2p::sys::kernels();

    // SAFETY: of the same size as the pointer that it stands for; what it points at is the caller's business.
    unsafe extern "CUDA" {
        /// # Safety
        /// - The device may write `bytes` bytes at `address`.
        unsafe fn fill(address: u64, bytes: u64, seed: u64) = "cuda_p2p_fill";
    }
}

#[test]
fn a_fault_is_told_by_every_later_error() {
    isolated("a_fault_is_told_by_every_later_error", &[], || {
        let (runtime, a, b) = pair();
        let memory = b.alloc_zeroed::<u8>(64).unwrap();
        memory.to_vec().unwrap();
        let (stream, event) = (a.new_stream().unwrap(), a.new_event().unwrap());
        let mut used = a.alloc_zeroed::<u8>(64).unwrap();
        stream.fill_bytes_async(&mut used, 1).unwrap();
        let address = memory.as_raw().addr();
        let kernels = Stray::load(&runtime).unwrap();
        // SAFETY: it is not so: the pair's access is not enabled. The simulator stops the kernel before it writes.
        unsafe { kernels.fill(&stream, LaunchConfig::new(1, 1), address as u64, 16, 1) }.unwrap();

        let errors = [
            stream.synchronize().unwrap_err(),
            a.synchronize().unwrap_err(),
            b.synchronize().unwrap_err(),
            a.alloc_zeroed::<u8>(16).unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_poisoned(), "{error:?}");
            assert_eq!((error.code(), error.class()), (Some(700), Some(ErrorClass::Poisoned)));
            let text = error.to_string();
            let address = format!("{address:#x}");
            for part in ["earlier asynchronous operation failed", "cuda_p2p_fill", address.as_str()] {
                assert!(text.contains(part), "{part:?} is not in {text:?}");
            }
        }
        drop((used, memory, stream, event));
        let deferred = runtime.deferred_errors();
        assert!(!deferred.is_empty() && deferred.iter().all(|one| one.error.is_poisoned()), "{deferred:?}");
    });
}
