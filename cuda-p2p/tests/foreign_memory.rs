//! Memory that goes between this crate and C code: who frees what, and which addresses are refused.

mod common;

use std::ffi::{CStr, c_char, c_uint, c_ulonglong, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use common::{isolated, pair, raw};
use cuda_p2p::builtin::Kernels;
use cuda_p2p::sys::driver::{CuResult, MEM_GET_ADDRESS_RANGE, MemGetAddressRange};
use cuda_p2p::sys::{cudaDriverEntryPointQueryResult, cudaError, cudaMemoryType};
use cuda_p2p::{DeviceBuffer, Error, ForeignError, LaunchConfig, PinnedBuffer};

#[test]
fn borrowed_device_memory_is_used_and_left_alone() {
    let (runtime, a, b) = pair();
    let address = raw::malloc::<f32>(&b, 100);
    // SAFETY: 100 floats of that device, freed below, after the work is done.
    let mut theirs = unsafe { DeviceBuffer::borrow_raw(&b, address, 100) }.unwrap();
    assert_eq!((theirs.len(), theirs.device(), theirs.as_raw()), (100, b, address));
    let stream = a.new_stream().unwrap();
    let ours = a.alloc_from(&[1.5f32; 100]).unwrap();
    stream.copy_peer_async(&mut theirs, &ours).unwrap();
    // A kernel of the one device reads what C code owns on the other.
    let access = a.enable_peer_access(&b).unwrap();
    let mut sum = a.alloc_from(&[1.0f32; 100]).unwrap();
    let kernels = Kernels::load(&runtime).unwrap();
    let peer = access.slice(&theirs).unwrap();
    kernels.add_f32(&stream, LaunchConfig::for_elements(100), &mut sum, peer, 100).unwrap();
    assert_eq!(sum.to_vec().unwrap(), [2.5; 100]);
    drop(theirs);
    b.synchronize().unwrap();
    assert_eq!(raw::free(&b, address), 0, "it was not freed here");
    assert!(runtime.deferred_errors().is_empty());
}

/// In a process of its own: another test could be given the address next.
#[test]
fn owned_device_memory_is_freed_here() {
    isolated("owned_device_memory_is_freed_here", &[], || {
        let (runtime, a, _) = pair();
        let address = raw::malloc::<u64>(&a, 10);
        // SAFETY: what cudaMalloc gave, which nobody else frees.
        let buffer = unsafe { DeviceBuffer::from_raw(&a, address, 10) }.unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [0; 10]);
        drop(buffer);
        a.synchronize().unwrap();
        assert_eq!(raw::kind(&runtime, address), cudaMemoryType::cudaMemoryTypeUnregistered);
    });
}

#[test]
fn memory_given_away_is_not_freed_here() {
    let (runtime, a, _) = pair();
    let address = a.alloc_from(&[1u8, 2, 3]).unwrap().into_raw();
    a.synchronize().unwrap();
    assert_eq!(raw::read(&a, address, 3), [1, 2, 3]);
    assert_eq!(raw::free(&a, address), 0);
    assert!(a.alloc_zeroed::<u8>(0).unwrap().into_raw().is_null());

    let address = a.alloc_pinned_from(&[1u8, 2, 3]).unwrap().into_raw();
    assert_eq!(raw::kind(&runtime, address), cudaMemoryType::cudaMemoryTypeHost);
    assert_eq!(raw::free_host(&a, address), 0);
}

#[test]
fn pinned_memory_is_borrowed_and_owned() {
    let (runtime, a, _) = pair();
    let address = raw::host_alloc::<u32>(&a, 4);
    // SAFETY: pinned memory that C code frees below, and does not touch until then.
    let mut pinned = unsafe { PinnedBuffer::borrow_raw(&a, address, 4) }.unwrap();
    pinned.write().unwrap().copy_from_slice(&[1, 2, 3, 4]);
    let mut buffer = a.alloc_zeroed::<u32>(4).unwrap();
    a.new_stream().unwrap().copy_from_pinned_async(&mut buffer, &pinned).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3, 4]);
    drop(pinned);
    a.synchronize().unwrap();
    assert_eq!(raw::kind(&runtime, address), cudaMemoryType::cudaMemoryTypeHost, "it was not freed here");

    // SAFETY: what cudaHostAlloc gave, which nobody else frees from now on.
    let pinned = unsafe { PinnedBuffer::from_raw(&a, address, 4) }.unwrap();
    assert_eq!(pinned.read().unwrap(), [1, 2, 3, 4]);
    drop(pinned);
    a.synchronize().unwrap();
    assert_eq!(raw::kind(&runtime, address), cudaMemoryType::cudaMemoryTypeUnregistered);
}

#[test]
fn an_address_of_other_memory_is_refused() {
    let (runtime, a, b) = pair();
    let mut on_stack = 0u64;
    let (pinned, device) = (raw::host_alloc::<u64>(&a, 1), raw::malloc::<u64>(&b, 1));
    // SAFETY: none of these is taken; that is what is tested.
    unsafe {
        let unknown = DeviceBuffer::borrow_raw(&a, &mut on_stack, 1).unwrap_err();
        let found = "memory that CUDA does not know";
        let expected = "memory of a device";
        assert_eq!(unknown, Error::Foreign(ForeignError::WrongMemory { expected, found }));
        assert!(unknown.to_string().contains("cudaHostRegister"), "{unknown}");
        let host = DeviceBuffer::from_raw(&a, pinned, 1).unwrap_err();
        assert!(
            matches!(host, Error::Foreign(ForeignError::WrongMemory { found, .. }) if found.contains("pinned"))
        );
        let elsewhere = DeviceBuffer::borrow_raw(&a, device, 1).unwrap_err();
        assert_eq!(elsewhere, Error::WrongDevice { what: "the memory", expected: 0, found: 1 });
        let not_pinned = PinnedBuffer::borrow_raw(&b, device, 1).unwrap_err();
        assert!(
            matches!(not_pinned, Error::Foreign(ForeignError::WrongMemory { found, .. }) if found == expected)
        );
        let null = DeviceBuffer::<u64>::borrow_raw(&a, std::ptr::null_mut(), 1).unwrap_err();
        assert!(matches!(null, Error::Foreign(ForeignError::Handle { what: "the address", .. })), "{null:?}");
        let odd = DeviceBuffer::<u32>::borrow_raw(&b, device.cast::<u8>().add(1).cast(), 1).unwrap_err();
        assert_eq!(odd, Error::Foreign(ForeignError::Misaligned { misalignment: 1, align: 4 }));
        let large = DeviceBuffer::<u64>::borrow_raw(&b, device, usize::MAX).unwrap_err();
        assert_eq!(large, Error::TooLarge { len: usize::MAX, size: 8 });
        assert!(DeviceBuffer::<u64>::borrow_raw(&a, std::ptr::null_mut(), 0).unwrap().is_empty());
    }
    // What was refused is still its owner's.
    assert_eq!((raw::free_host(&a, pinned), raw::free(&b, device)), (0, 0));
    assert_eq!(common::take_last_error(&runtime), 0);
}

/// For tests that say where the pieces are.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the next allocation would be, for a driver that says that there are two pieces of 4096 bytes side by side.
static START: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

unsafe extern "C" fn two_pieces(base: *mut u64, size: *mut usize, address: u64) -> CuResult {
    let start = START.load(std::sync::atomic::Ordering::SeqCst);
    let Some(piece) = address.checked_sub(start).map(|offset| offset / 4096).filter(|piece| *piece < 2)
    else {
        return CuResult::INVALID_VALUE;
    };
    // SAFETY: the crate gives valid places.
    unsafe { (*base, *size) = (start + piece * 4096, 4096) };
    CuResult::SUCCESS
}

/// The functions of the driver but for that one.
static OTHERS: OnceLock<EntryPoint> = OnceLock::new();

type EntryPoint = unsafe extern "C" fn(
    *const c_char,
    *mut *mut c_void,
    c_uint,
    c_ulonglong,
    *mut cudaDriverEntryPointQueryResult,
) -> cudaError;

unsafe extern "C" fn entry(
    name: *const c_char,
    address: *mut *mut c_void,
    version: c_uint,
    flags: c_ulonglong,
    found: *mut cudaDriverEntryPointQueryResult,
) -> cudaError {
    // SAFETY: the crate gives a name that ends with NUL.
    if unsafe { CStr::from_ptr(name) } == MEM_GET_ADDRESS_RANGE.name {
        // SAFETY: the crate gives a valid place.
        unsafe { *address = two_pieces as MemGetAddressRange as *mut c_void };
        return cudaError(0);
    }
    let others = OTHERS.get().expect("set before");
    // SAFETY: what the crate gave.
    unsafe { others(name, address, version, flags, found) }
}

#[test]
fn memory_that_ends_too_early_is_refused_where_the_driver_tells() {
    let _alone = one_at_a_time();
    let (runtime, ..) = pair();
    OTHERS.get_or_init(|| runtime.table().cudaGetDriverEntryPointByVersion.expect("a function"));
    let told = raw::changed_table(&runtime, |table| table.cudaGetDriverEntryPointByVersion = Some(entry));
    let a = told.device(0).unwrap();
    let address = raw::malloc::<u8>(&a, 16384);
    START.store(address.addr() as u64, std::sync::atomic::Ordering::SeqCst);
    // SAFETY: within what was allocated in any case.
    unsafe {
        let error = DeviceBuffer::borrow_raw(&a, address.add(100), 8192).unwrap_err();
        assert_eq!(error, Error::Foreign(ForeignError::BeyondAllocation { bytes: 8192, available: 8092 }));
        assert!(error.to_string().contains("in elements"), "{error}");
        assert!(DeviceBuffer::borrow_raw(&a, address.add(100), 8092).is_ok());
        // What the driver does not know of at all is not held against the caller.
        assert!(DeviceBuffer::borrow_raw(&a, address.add(8192), 8192).is_ok());
    }
    assert_eq!(raw::free(&a, address), 0);
}

#[test]
fn what_lies_beside_an_allocation_does_not_belong_to_it() {
    let _alone = one_at_a_time();
    let (runtime, ..) = pair();
    OTHERS.get_or_init(|| runtime.table().cudaGetDriverEntryPointByVersion.expect("a function"));
    let told = raw::changed_table(&runtime, |table| table.cudaGetDriverEntryPointByVersion = Some(entry));
    let a = told.device(0).unwrap();
    let address = raw::malloc::<u8>(&a, 4096);
    // Another piece follows, says the driver; that it is of the same range, it does not say.
    START.store(address.addr() as u64, std::sync::atomic::Ordering::SeqCst);
    // SAFETY: within what was allocated, or refused.
    unsafe {
        let error = DeviceBuffer::borrow_raw(&a, address, 8192).unwrap_err();
        assert_eq!(error, Error::Foreign(ForeignError::BeyondAllocation { bytes: 8192, available: 4096 }));
        assert!(DeviceBuffer::borrow_raw(&a, address, 4096).is_ok());
    }
    assert_eq!(raw::free(&a, address), 0);
}
