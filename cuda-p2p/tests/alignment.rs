//! A slice of an element type that is aligned to more than the runtime aligns to is aligned, or there is none.

mod common;

use common::pair;
use cuda_p2p::Error;

#[repr(C, align(65536))]
#[derive(Clone, Copy)]
struct Page([u8; 65536]);

// SAFETY: an array of bytes as large as the type, for which zero is a value.
unsafe impl bytemuck::Zeroable for Page {}
// SAFETY: as above; any bytes are a value, and there is no padding.
unsafe impl bytemuck::Pod for Page {}

#[test]
fn memory_is_aligned_or_refused() {
    let (runtime, a, _) = pair();
    // What was allocated before shifts what comes after it.
    let (mut kept, mut small, mut refused) = (Vec::new(), Vec::new(), 0);
    for _ in 0..8 {
        small.push(a.alloc_pinned_zeroed::<u8>(1).unwrap());
        match a.alloc_pinned_zeroed::<Page>(1) {
            Ok(buffer) => {
                assert_eq!(buffer.read().unwrap().as_ptr().addr() % align_of::<Page>(), 0);
                kept.push(buffer);
            }
            Err(error) => {
                assert!(matches!(error, Error::Misaligned { align: 65536, .. }), "{error}");
                refused += 1;
            }
        }
        match a.alloc_zeroed::<Page>(1) {
            Ok(buffer) => assert_eq!(buffer.as_raw().addr() % align_of::<Page>(), 0),
            Err(error) => assert!(matches!(error, Error::Misaligned { align: 65536, .. }), "{error}"),
        }
    }
    assert!(refused > 0, "nothing was misaligned: this test shows nothing");
    assert_eq!(runtime.deferred_errors(), []);
}
