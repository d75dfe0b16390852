//! Copies and fills while another device is current: on GPUs if there are two, on a simulated pair otherwise, and the machine has to
//! have a pair of peers.

#[path = "common/pair.rs"]
mod pair;

use cuda_p2p::{CopyPath, DeviceBuffer, MemPoolOptions, Shape};

/// The runtime refuses addresses of pools, and of mapped pages, for the sake of the device that is current, which is the first: not
/// here. Peer access is on in neither direction.
#[test]
fn every_copy_is_made_whichever_device_is_current() {
    let (runtime, a, b) = pair::open();
    a.set_current().unwrap();
    let (pool, stream) = (b.new_mem_pool(MemPoolOptions::default()).unwrap(), b.new_stream().unwrap());
    let page = b.virtual_memory_granularity().unwrap();
    let mut range = runtime.reserve_virtual_range(page).unwrap();
    range.map(0, b.alloc_physical_zeroed(page).unwrap()).unwrap();
    range.enable_access_from(&[b]).unwrap();
    let mapped = range.slice::<u8>(&b, ..).unwrap().as_raw().cast_mut();
    let pooled = stream.alloc_zeroed_async::<u8>(&pool, 6000).unwrap();
    stream.synchronize().unwrap();
    for address in [pooled.as_raw(), mapped] {
        // SAFETY: so many bytes of that device, which nothing else uses until the end of the test.
        let mut x = unsafe { DeviceBuffer::borrow_raw(&b, address, 6000) }.unwrap();
        let shape = Shape::new_2d(30, 20).with_row_pitch(50);
        let (mut pinned, mut found) = (b.alloc_pinned_zeroed::<u8>(6000).unwrap(), vec![0u8; 600]);
        pinned.write().unwrap().fill(3);
        stream.copy_from_host(&mut x, &[1; 6000]).unwrap();
        assert_eq!(x.to_vec().unwrap(), [1; 6000]);
        stream.fill_bytes_async(&mut x, 2).unwrap();
        let mut beside = stream.alloc_zeroed_async::<u8>(&pool, 6000).unwrap();
        stream.copy_async(&mut beside, &x).unwrap();
        assert_eq!(beside.to_vec().unwrap(), [2; 6000]);
        stream.copy_from_pinned_async(&mut x, &pinned).unwrap();
        stream.fill_pitched_bytes_async(x.as_slice_mut().pitched(shape).unwrap(), 4).unwrap();
        stream.copy_to_pinned_async(&x, &mut pinned).unwrap();
        assert_eq!((pinned.read().unwrap()[29], pinned.read().unwrap()[30]), (4, 3));
        let packed = Shape::new_2d(30, 20);
        stream.copy_pitched_to_host(x.as_slice().pitched(shape).unwrap(), &mut found, packed).unwrap();
        assert_eq!(found, [4; 600]);
        let mut far = a.alloc_zeroed::<u8>(6000).unwrap();
        let path = stream.copy_peer_async(&mut far, &x).unwrap();
        assert!(matches!(path, CopyPath::Staged { .. }), "{path}");
        assert_eq!(far.to_vec().unwrap()[..30], [4; 30]);
        stream.copy_peer_async(&mut x, &far).unwrap();
        drop(beside);
    }
    drop(pooled);
    b.synchronize().unwrap();
    assert_eq!(pool.usage().unwrap().used, 0);
    assert_eq!(runtime.deferred_errors(), []);
}
