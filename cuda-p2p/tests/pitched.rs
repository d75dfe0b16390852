//! Copies and fills of boxes: on GPUs if there are two, on a simulated pair otherwise.

#[path = "common/pair.rs"]
mod pair;

use cuda_p2p::half::{bf16, f16};
use cuda_p2p::{
    CopyPath, Device, Error, KernelSlice, KernelSliceMut, LaunchConfig, MemPoolOptions, PeerAccess,
    PeerSlice, Shape, ShapeError,
};
use pair::pair;

/// All elements of a box of `extent` at `offset` in one of `shape`.
fn indices(shape: Shape, offset: [usize; 3], extent: [usize; 3]) -> Vec<usize> {
    let mut all = Vec::new();
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                all.push(shape.index_of([offset[0] + x, offset[1] + y, offset[2] + z]).expect("inside"));
            }
        }
    }
    all
}

const LEN: usize = 4096;

/// What the destination is after the box arrived: `before` where nothing was copied.
fn expected<T: Copy>(source: &[T], from: &[usize], before: T, to: &[usize]) -> Vec<T> {
    let mut all = vec![before; LEN];
    for (from, to) in from.iter().zip(to) {
        all[*to] = source[*from];
    }
    all
}

/// The box of the source, and where in it the copied one is; the same of the destination; and how large it is.
type Boxes = (Shape, [usize; 3], Shape, [usize; 3], [usize; 3]);

fn boxes() -> [Boxes; 5] {
    let tall = Shape::new_3d(13, 5, 7).with_row_pitch(17).with_slice_height(6);
    let wide = Shape::new_3d(31, 9, 7).with_row_pitch(37).with_slice_height(11);
    [
        (Shape::new_2d(30, 20).with_row_pitch(50), [0; 3], Shape::new_2d(30, 20), [0; 3], [30, 20, 1]),
        (Shape::new_2d(64, 64), [3, 5, 0], Shape::new_2d(64, 64), [40, 33, 0], [20, 31, 1]),
        (tall, [1, 2, 3], wide, [7, 1, 2], [9, 3, 4]),
        (wide, [30, 0, 0], tall, [0, 0, 0], [1, 5, 7]),
        (Shape::new_3d(16, 16, 16), [0; 3], Shape::new_3d(16, 16, 16), [0; 3], [16, 16, 16]),
    ]
}

/// Every box, between `from` and `to`, in elements of `T`.
fn copies<T: cuda_p2p::bytemuck::Pod + PartialEq + std::fmt::Debug>(
    (from, to): (Device, Device),
    path: fn(CopyPath) -> bool,
    (element, before): (fn(usize) -> T, T),
) {
    let data: Vec<T> = (0..LEN).map(element).collect();
    let source = from.alloc_from(&data).expect("memory");
    for stream in [from.new_stream().expect("stream"), to.new_stream().expect("stream")] {
        for (source_shape, source_at, shape, at, extent) in boxes() {
            let mut destination = to.alloc_from(&[before; LEN]).expect("memory");
            let taken = stream
                .copy_peer_pitched_async(
                    destination.pitched_mut(shape).expect("fits").window(at, extent).expect("inside"),
                    source.pitched(source_shape).expect("fits").window(source_at, extent).expect("inside"),
                )
                .expect("copied");
            assert!(path(taken), "{taken}");
            let from_indices = indices(source_shape, source_at, extent);
            let want = expected(&data, &from_indices, before, &indices(shape, at, extent));
            assert!(
                destination.to_vec().expect("read") == want,
                "{extent:?} from {source_shape:?} to {shape:?}"
            );
        }
    }
}

#[test]
fn boxes_between_devices_are_exact_on_every_path() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let bytes: (fn(usize) -> u8, u8) = (|i| ((i * 31) >> 3) as u8, 0xEE);
    let staged = |path| matches!(path, CopyPath::Staged { .. });
    let direct = |path| path == CopyPath::Direct;
    copies((a, b), staged, bytes);
    copies((b, a), staged, (|i| f16::from_f32((i % 997) as f32), f16::NEG_ONE));
    copies((a, a), |path| path == CopyPath::SameDevice, bytes);
    let (access, back) = PeerAccess::enable_both(&a, &b).expect("enabled");
    copies((a, b), direct, bytes);
    copies((b, a), direct, (|i| bf16::from_f32((i % 251) as f32), bf16::NEG_ONE));
    copies((a, b), direct, (|i| [i as u32, !(i as u32), 7], [9, 9, 9]));
    access.disable().expect("nobody uses it");
    // One direction is enough.
    copies((a, b), direct, (|i| i as f64, -1.0));
    back.disable().expect("nobody uses it");
}

#[test]
fn boxes_to_and_from_the_host_are_exact() {
    let pair = pair();
    let a = pair.a;
    let stream = a.new_stream().expect("stream");
    let data: Vec<f16> = (0..LEN).map(|i| f16::from_f32((i % 997) as f32)).collect();
    let before = f16::NEG_ONE;
    for (source_shape, source_at, shape, at, extent) in boxes() {
        let from = indices(source_shape, source_at, extent);
        let to = indices(shape, at, extent);
        let begin = from[0];
        // A window of host memory is a slice that begins at its first element, in the shape's pitches.
        let window = Shape::new_3d(extent[0], extent[1], extent[2])
            .with_row_pitch(source_shape.row_pitch())
            .with_slice_height(source_shape.slice_height());
        let want = expected(&data, &from, before, &to);
        let mut memory = a.alloc_from(&[before; LEN]).expect("memory");
        let inside = memory.pitched_mut(shape).expect("fits").window(at, extent).expect("inside");
        stream.copy_pitched_from_host(inside, &data[begin..], window).expect("copied");
        assert!(memory.to_vec().expect("read") == want, "from the host, {extent:?}");

        let mut pinned = a.alloc_pinned_from(&data[begin..]).expect("memory");
        let mut memory = a.alloc_from(&[before; LEN]).expect("memory");
        let inside = memory.pitched_mut(shape).expect("fits").window(at, extent).expect("inside");
        stream.copy_pitched_from_pinned_async(inside, &pinned, window).expect("copied");
        assert!(memory.to_vec().expect("read") == want, "from pinned memory, {extent:?}");

        // And back, into memory that is otherwise left alone.
        let inside = memory.pitched(shape).expect("fits").window(at, extent).expect("inside");
        let mut host = vec![f16::ZERO; LEN - begin];
        stream.copy_pitched_to_host(inside, &mut host, window).expect("copied");
        let back = expected(&want, &to, f16::ZERO, &from);
        assert!(host == back[begin..], "to the host, {extent:?}");
        pinned.write().expect("free").fill(f16::ZERO);
        stream.copy_pitched_to_pinned_async(inside, &mut pinned, window).expect("copied");
        assert!(pinned.read().expect("read") == back[begin..], "to pinned memory, {extent:?}");
    }
}

#[test]
fn fills_leave_the_gaps_alone() {
    let pair = pair();
    let b = pair.b;
    let stream = b.new_stream().expect("stream");
    for (_, _, shape, at, extent) in boxes() {
        let mut memory = b.alloc_from(&[5u16; LEN]).expect("memory");
        let inside = memory.pitched_mut(shape).expect("fits").window(at, extent).expect("inside");
        stream.fill_pitched_bytes_async(inside, 0xAB).expect("filled");
        let mut want = vec![5; LEN];
        indices(shape, at, extent).iter().for_each(|index| want[*index] = 0xABAB);
        assert!(memory.to_vec().expect("read") == want, "{extent:?}");
    }
}

cuda_p2p::kernels! {
    /// One kernel that copies bytes, for elements of two bytes.
    struct Halves = *cuda_p2p::sys::kernels();

    // SAFETY: the parameters are those of copy.cu, by which no more than `bytes` bytes are read and written.
    unsafe extern "CUDA" {
        safe fn copy_f16<'a>(to: KernelSliceMut<'a, f16>, from: KernelSlice<'a, f16>, bytes: u64) = "cuda_p2p_copy"
        where bytes <= to.len() as u64 * 2, bytes <= from.len() as u64 * 2;

        safe fn copy_bf16<'a>(to: KernelSliceMut<'a, bf16>, from: PeerSlice<'a, bf16>, bytes: u64) = "cuda_p2p_copy"
        where bytes <= to.len() as u64 * 2, bytes <= from.len() as u64 * 2;
    }
}

#[test]
fn kernels_take_elements_of_two_bytes() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let kernels = Halves::load(&pair.runtime).expect("the kernels");
    let stream = a.new_stream().expect("stream");
    let half: Vec<f16> = (0..1000).map(|i| f16::from_f32(i as f32 / 8.0)).collect();
    let brain: Vec<bf16> = half.iter().map(|x| bf16::from_f32(x.to_f32())).collect();
    let one = LaunchConfig::new(2, 64);
    let source = a.alloc_from(&half).expect("memory");
    let mut copy = a.alloc_zeroed::<f16>(1000).expect("memory");
    kernels.copy_f16(&stream, one, &mut copy, &source, 2000).expect("launched");
    assert!(copy.to_vec().expect("read") == half);
    let access = a.enable_peer_access(&b).expect("enabled");
    let source = b.alloc_from(&brain).expect("memory");
    let mut copy = a.alloc_zeroed::<bf16>(1000).expect("memory");
    let theirs = access.slice(&source).expect("reachable");
    kernels.copy_bf16(&stream, one, &mut copy, theirs, 2000).expect("launched");
    assert!(copy.to_vec().expect("read") == brain);
    access.disable().expect("nobody uses it");
}

/// While another device is current, which has no access to the pool.
#[test]
fn boxes_of_a_pool_are_exact_whichever_device_is_current() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    b.set_current().expect("a device");
    let (stream, pool) = (a.new_stream().expect("stream"), a.default_mem_pool().expect("its pool"));
    let data: Vec<u16> = (0..LEN as u16).collect();
    let source = stream.alloc_from(&pool, &data).expect("memory");
    let mut memory = stream.alloc_zeroed_async::<u16>(&pool, LEN).expect("memory");
    let shape = Shape::new_3d(13, 5, 7).with_row_pitch(17).with_slice_height(6);
    let all = indices(shape, [0; 3], [13, 5, 7]);
    stream.fill_pitched_bytes_async(memory.pitched_mut(shape).expect("fits"), 0xAB).expect("filled");
    let filled = memory.to_vec().expect("read");
    stream
        .copy_pitched_async(memory.pitched_mut(shape).expect("fits"), source.pitched(shape).expect("fits"))
        .expect("copied");
    let copied = memory.to_vec().expect("read");
    let mut theirs = b.alloc_zeroed::<u16>(LEN).expect("memory");
    let path = stream
        .copy_peer_pitched_async(
            theirs.pitched_mut(shape).expect("fits"),
            source.pitched(shape).expect("fits"),
        )
        .expect("copied");
    assert!(matches!(path, CopyPath::Staged { .. }), "{path}");
    let there = theirs.to_vec().expect("read");
    a.set_current().expect("a device");
    let mut want = vec![0; LEN];
    all.iter().for_each(|index| want[*index] = 0xABAB);
    assert!(filled == want, "filled");
    let want = expected(&data, &all, 0, &all);
    assert!(copied == want && there == want, "copied");
}

/// In streams of both devices, of which one has access to the pool; and where none has access to both ends.
#[test]
fn boxes_of_a_pool_are_copied_in_streams_of_either_device() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let (ours, theirs) = (a.new_stream().expect("stream"), b.new_stream().expect("stream"));
    let pool = a.new_mem_pool(MemPoolOptions::default()).expect("a pool");
    let data: Vec<u16> = (0..LEN as u16).collect();
    let source = ours.alloc_from(&pool, &data).expect("memory");
    let shape = Shape::new_3d(13, 5, 7).with_row_pitch(17).with_slice_height(6);
    let all = indices(shape, [0; 3], [13, 5, 7]);
    let want = expected(&data, &all, 0, &all);
    for stream in [&ours, &theirs] {
        let mut plain = b.alloc_zeroed::<u16>(LEN).expect("memory");
        let mut back = ours.alloc_zeroed_async::<u16>(&pool, LEN).expect("memory");
        let (to, from) = (plain.pitched_mut(shape).expect("fits"), source.pitched(shape).expect("fits"));
        stream.copy_peer_pitched_async(to, from).expect("copied");
        let (to, from) = (back.pitched_mut(shape).expect("fits"), plain.pitched(shape).expect("fits"));
        stream.copy_peer_pitched_async(to, from).expect("copied");
        assert!(plain.to_vec().expect("read") == want && back.to_vec().expect("read") == want);
    }
    let pool = b.new_mem_pool(MemPoolOptions::default()).expect("a pool");
    let mut pooled = theirs.alloc_zeroed_async::<u16>(&pool, LEN).expect("memory");
    for (stream, accessor, owner) in [(&ours, 0, 1), (&theirs, 1, 0)] {
        let (to, from) = (pooled.pitched_mut(shape).expect("fits"), source.pitched(shape).expect("fits"));
        let refused = stream.copy_peer_pitched_async(to, from).expect_err("no device sees both");
        assert_eq!(refused, Error::PoolNotGranted { accessor, owner });
    }
    pool.enable_access_from(&[a]).expect("granted");
    for stream in [&ours, &theirs] {
        let (to, from) = (pooled.pitched_mut(shape).expect("fits"), source.pitched(shape).expect("fits"));
        assert_eq!(stream.copy_peer_pitched_async(to, from).expect("copied"), CopyPath::Direct);
        assert!(pooled.to_vec().expect("read") == want);
    }
}

#[test]
fn what_is_empty_or_does_not_fit() {
    let pair = pair();
    let (a, b) = (pair.a, pair.b);
    let stream = a.new_stream().expect("stream");
    let source = b.alloc_from(&[1u8; 64]).expect("memory");
    let mut memory = a.alloc_from(&[0u8; 64]).expect("memory");
    for empty in [Shape::new_2d(0, 9), Shape::new_2d(9, 0), Shape::new_3d(9, 9, 0).with_row_pitch(1)] {
        stream
            .copy_peer_pitched_async(
                memory.pitched_mut(empty).expect("fits"),
                source.pitched(empty).expect("fits"),
            )
            .expect("nothing to do");
        stream.fill_pitched_bytes_async(memory.pitched_mut(empty).expect("fits"), 1).expect("nothing to do");
        stream.copy_pitched_from_host(memory.pitched_mut(empty).expect("fits"), &[], empty).expect("nothing");
    }
    assert_eq!(memory.to_vec().expect("read"), [0; 64]);
    let shape = |result: cuda_p2p::Result<()>| match result {
        Err(Error::Shape(error)) => error,
        other => panic!("{other:?}"),
    };
    let square = Shape::new_2d(8, 8);
    assert!(matches!(source.pitched(square.with_row_pitch(9)), Err(Error::Shape(ShapeError::Beyond { .. }))));
    assert!(matches!(
        source.pitched(square.with_row_pitch(7)),
        Err(Error::Shape(ShapeError::RowPitch { .. }))
    ));
    let (mut to, from) = (memory.pitched_mut(square).expect("fits"), source.pitched(square).expect("fits"));
    let smaller = from.window([1, 1, 0], [7, 7, 1]).expect("inside");
    assert!(matches!(
        shape(stream.copy_peer_pitched_async(&mut to, smaller).map(drop)),
        ShapeError::Differ { .. }
    ));
    assert!(matches!(
        shape(stream.copy_pitched_from_host(&mut to, &[0; 63], square)),
        ShapeError::Beyond { .. }
    ));
    assert!(matches!(
        stream.copy_pitched_async(&mut to, from),
        Err(Error::WrongDevice { what: "the slice", expected: 0, found: 1 })
    ));
    assert!(matches!(
        from.window([1, 0, 0], [8, 1, 1]).map(drop),
        Err(Error::Shape(ShapeError::Window { .. }))
    ));
}
