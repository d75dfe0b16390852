//! What a kernel's parameter takes and what may go to another thread, as facts of the types: whatever a compiler says of it.

use std::rc::Rc;

use cuda_p2p::{
    DeviceBuffer, DeviceSlice, DeviceSliceMut, IntoParam, KernelParam, KernelSlice, KernelSliceMut,
    PeerAtomicSlice, PeerSlice, PeerSliceMut, PinnedBuffer,
};
use static_assertions::{assert_impl_all, assert_not_impl_any};

/// A parameter that is declared as `$declared` takes each of `takes` and none of `refuses`.
macro_rules! parameter {
    ($declared:ty, takes [$($taken:ty),*], refuses [$($refused:ty),*]) => {
        const _: () = {
            $(assert_impl_all!($taken: IntoParam<$declared>);)*
            $(assert_not_impl_any!($refused: IntoParam<$declared>);)*
        };
    };
}

type Read<'a> = DeviceSlice<'a, f32>;
type Write<'a> = DeviceSliceMut<'a, f32>;
type PeerRead<'a> = PeerSlice<'a, f32>;
type PeerWrite<'a> = PeerSliceMut<'a, f32>;

parameter!(Read<'static>, takes [Read<'static>, &'static DeviceBuffer<f32>], refuses [PeerRead<'static>, &'static DeviceBuffer<u32>, u64]);
parameter!(Write<'static>, takes [Write<'static>, &'static mut DeviceBuffer<f32>], refuses [
    Read<'static>, PeerWrite<'static>, KernelSliceMut<'static, f32>, &'static DeviceBuffer<f32>, &'static Write<'static>,
    DeviceSliceMut<'static, u32>, &'static mut DeviceBuffer<u32>
]);
parameter!(PeerRead<'static>, takes [PeerRead<'static>], refuses [
    Read<'static>, &'static DeviceBuffer<f32>, KernelSlice<'static, f32>, PeerSlice<'static, u32>
]);
parameter!(PeerWrite<'static>, takes [PeerWrite<'static>], refuses [
    PeerRead<'static>, Write<'static>, &'static mut DeviceBuffer<f32>, &'static PeerWrite<'static>
]);
parameter!(PeerAtomicSlice<'static, f32>, takes [PeerAtomicSlice<'static, f32>], refuses [PeerWrite<'static>, Write<'static>]);
parameter!(KernelSlice<'static, f32>, takes [Read<'static>, PeerRead<'static>, &'static DeviceBuffer<f32>], refuses [KernelSlice<'static, u32>]);
parameter!(KernelSliceMut<'static, f32>, takes [Write<'static>, PeerWrite<'static>, &'static mut DeviceBuffer<f32>], refuses [
    Read<'static>, PeerRead<'static>, KernelSlice<'static, f32>, &'static DeviceBuffer<f32>
]);
parameter!(u64, takes [u64], refuses [u32, i64, f64, usize, &'static u64]);

// What a kernel cannot be declared with: references and pointers of the host, and types with values that a kernel could break.
assert_not_impl_any!(&'static [u8]: KernelParam);
assert_not_impl_any!(&'static mut [u8]: KernelParam);
assert_not_impl_any!(&'static u32: KernelParam);
assert_not_impl_any!(*mut u8: KernelParam);
assert_not_impl_any!(bool: KernelParam);
assert_not_impl_any!(char: KernelParam);
assert_not_impl_any!(DeviceBuffer<f32>: KernelParam);
assert_not_impl_any!(&'static DeviceBuffer<f32>: KernelParam);
assert_not_impl_any!(PinnedBuffer<f32>: KernelParam);

// No second owner, and no second view to write with.
assert_not_impl_any!(DeviceBuffer<f32>: Clone);
assert_not_impl_any!(PinnedBuffer<f32>: Clone);
assert_not_impl_any!(DeviceSliceMut<'static, f32>: Clone);
assert_not_impl_any!(PeerSliceMut<'static, f32>: Clone);
assert_not_impl_any!(PeerAtomicSlice<'static, f32>: Clone);
assert_not_impl_any!(KernelSliceMut<'static, f32>: Clone);
assert_not_impl_any!(cuda_p2p::PitchedSliceMut<'static, f32>: Clone);
assert_not_impl_any!(cuda_p2p::PeerAccess: Copy, Default);
assert_not_impl_any!(cuda_p2p::Graph: Clone);
assert_not_impl_any!(cuda_p2p::GraphExec: Clone);

// Graphs go to any thread, and are used by one at a time inside.
assert_impl_all!(cuda_p2p::Graph: Send, Sync);
assert_impl_all!(cuda_p2p::GraphExec: Send, Sync);

// Memory goes to other threads with its elements, and not without them.
assert_not_impl_any!(DeviceBuffer<Rc<u8>>: Send, Sync);
assert_not_impl_any!(PinnedBuffer<Rc<u8>>: Send, Sync);
assert_not_impl_any!(DeviceSlice<'static, std::cell::Cell<u8>>: Send);
assert_not_impl_any!(DeviceSliceMut<'static, Rc<u8>>: Send);
assert_not_impl_any!(PeerSlice<'static, std::cell::Cell<u8>>: Send);
assert_not_impl_any!(PeerSliceMut<'static, Rc<u8>>: Send);
