//! What can be given to a kernel, and what is checked of it before the launch.
//!
//! # Safety
//! [`KernelParam`] is unsafe to implement: what it hands to the kernel is taken by the kernel as it is. The
//! implementations here hand over plain values, and addresses of memory that the launching device may touch, by the
//! check that comes first.
#![allow(unsafe_code, reason = "implements an unsafe trait; see the paragraph on safety above")]

use std::ffi::c_void;

use bytemuck::Pod;

use crate::allocation::Opened;
use crate::buffer::DeviceBuffer;
use crate::error::{IpcError, Result};
use crate::ipc::{IpcBuffer, SharedBuffer};
use crate::kernel_slice::{KernelSlice, KernelSliceMut};
use crate::peer::PeerAccess;
use crate::peer_slice::{PeerAtomicSlice, PeerSlice, PeerSliceMut};
use crate::slice::{DeviceSlice, DeviceSliceMut};
use crate::stream::Stream;
use crate::uses::{Access, Behind, Held};

/// A type that a kernel's parameter can be declared with: plain values, and slices, which are pointers to the kernel.
///
/// # Safety
/// - `raw` gives what the kernel takes for a parameter of this type.
/// - [`check`](Self::check) refuses what a kernel on `stream` may not touch.
/// - `acquire` notes the use of memory behind it, and `behind` tells of nothing less.
pub unsafe trait KernelParam {
    /// What the kernel gets.
    type Raw: Copy;

    /// Refuses what does not fit the launching device.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::OtherRuntime`](crate::Error::OtherRuntime).
    fn check(&self, stream: &Stream) -> Result<()>;

    /// What is behind it, for a launch that needs to note nothing. For [`kernels!`](crate::kernels) only.
    #[doc(hidden)]
    fn behind<'h>(&'h self, _stream: &Stream) -> Behind<'h> {
        Behind::OTHER
    }

    /// Orders the use of memory behind it, and holds it for the launch. For [`kernels!`](crate::kernels) only.
    ///
    /// # Safety
    /// - [`check`](Self::check) found nothing against `stream`.
    /// - What is returned is dropped, after the launch was put into the stream.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    #[doc(hidden)]
    unsafe fn acquire<'h>(&'h self, stream: &'h Stream) -> Result<Option<Held<'h>>>;

    /// The value for the kernel. For [`kernels!`](crate::kernels) only.
    ///
    /// # Safety
    /// - It is used for a launch only for which the use was [acquired](Self::acquire).
    #[doc(hidden)]
    unsafe fn raw(&self) -> Self::Raw;
}

// SAFETY: a plain value is what the kernel takes, byte for byte, and nothing is behind it: `Pod` rules out
// references.
unsafe impl<T: Pod> KernelParam for T {
    type Raw = T;

    fn check(&self, _stream: &Stream) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn behind<'h>(&'h self, _stream: &Stream) -> Behind<'h> {
        Behind::NOTHING
    }

    unsafe fn acquire<'h>(&'h self, _stream: &'h Stream) -> Result<Option<Held<'h>>> {
        Ok(None)
    }

    unsafe fn raw(&self) -> T {
        *self
    }
}

macro_rules! memory_param {
    ($type:ident, $access:ident, |$slice:ident, $stream:ident| $check:expr, $view:expr, $peer:expr) => {
        // SAFETY: the address of memory that the launching device may touch, by the check; the use is noted with what
        // the type lets the kernel do.
        unsafe impl<T: Pod> KernelParam for $type<'_, T> {
            type Raw = *mut c_void;

            fn check(&self, $stream: &Stream) -> Result<()> {
                let $slice = self;
                $check
            }

            #[inline]
            fn behind<'h>(&'h self, stream: &Stream) -> Behind<'h> {
                let $slice = self;
                $view.behind_kernel(stream, Access::$access)
            }

            unsafe fn acquire<'h>(&'h self, stream: &'h Stream) -> Result<Option<Held<'h>>> {
                let $slice = self;
                let held = $view.acquire_for_kernel(stream, Access::$access)?;
                let peer: Option<&PeerAccess> = $peer;
                if let (Some(capture), Some(access)) = (held.entered().capture(), peer) {
                    capture.note_access(access);
                }
                Ok(Some(held))
            }

            unsafe fn raw(&self) -> *mut c_void {
                let $slice = self;
                $view.pointer().cast()
            }
        }
    };
}

memory_param!(DeviceSlice, Read, |slice, stream| stream.check_own(&slice.view), slice.view, None);
memory_param!(
    DeviceSliceMut,
    Write,
    |slice, stream| match slice.view.allocation.opened().is_some_and(Opened::is_remote) {
        true => Err(IpcError::RemoteMemory.into()),
        false => stream.check_own(&slice.view),
    },
    slice.view,
    None
);
memory_param!(
    PeerSlice,
    Read,
    |slice, stream| slice.check_access(stream).and_then(|()| slice.memory.view.check("the peer's memory")),
    slice.memory.view,
    slice.token()
);
memory_param!(
    PeerSliceMut,
    Write,
    |slice, stream| slice.check_access(stream).and_then(|()| slice.memory.view.check("the peer's memory")),
    slice.memory.view,
    slice.token()
);
memory_param!(
    PeerAtomicSlice,
    Write,
    |slice, stream| slice.0.check(stream),
    slice.0.memory.view,
    slice.0.token()
);
memory_param!(
    KernelSlice,
    Read,
    |slice, stream| match slice {
        KernelSlice::Device(slice) => slice.check(stream),
        KernelSlice::Peer(slice) => slice.check(stream),
    },
    match slice {
        KernelSlice::Device(slice) => slice.view,
        KernelSlice::Peer(slice) => slice.memory.view,
    },
    match slice {
        KernelSlice::Device(_) => None,
        KernelSlice::Peer(slice) => slice.token(),
    }
);
memory_param!(
    KernelSliceMut,
    Write,
    |slice, stream| match slice {
        KernelSliceMut::Device(slice) => stream.check_own(&slice.view),
        KernelSliceMut::Peer(slice) => slice.check(stream),
    },
    match slice {
        KernelSliceMut::Device(slice) => slice.view,
        KernelSliceMut::Peer(slice) => slice.memory.view,
    },
    match slice {
        KernelSliceMut::Device(_) => None,
        KernelSliceMut::Peer(slice) => slice.token(),
    }
);

/// What may be given where a kernel's parameter is declared as `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a kernel's parameter that is declared as `{P}`",
    label = "the kernel takes `{P}` here",
    note = "memory of a peer: `enable_peer_access`, then `access.slice(&memory)?`, or `slice_mut` or `slice_atomic`, as the parameter \
            is declared",
    note = "memory of the launching device: `&buffer`, or `&mut buffer` for a `DeviceSliceMut`",
    note = "plain values have exactly the declared type"
)]
pub trait IntoParam<P> {
    /// The argument as the declaration has it.
    fn into_param(self) -> P;
}

impl<T: Pod> IntoParam<T> for T {
    fn into_param(self) -> T {
        self
    }
}

macro_rules! into_param {
    ($([$($generics:tt)*] $from:ty => $to:ty: |$argument:ident| $result:expr;)*) => {$(
        impl<$($generics)*, T: Pod> IntoParam<$to> for $from {
            fn into_param(self) -> $to {
                let $argument = self;
                $result
            }
        }
    )*};
}

into_param! {
    ['a] DeviceSlice<'a, T> => DeviceSlice<'a, T>: |x| x;
    ['a] &DeviceSlice<'a, T> => DeviceSlice<'a, T>: |x| *x;
    ['a] &'a DeviceSliceMut<'_, T> => DeviceSlice<'a, T>: |x| x.as_slice();
    ['a] &'a DeviceBuffer<T> => DeviceSlice<'a, T>: |x| x.as_slice();
    ['a] DeviceSliceMut<'a, T> => DeviceSliceMut<'a, T>: |x| x;
    ['a] &'a mut DeviceSliceMut<'_, T> => DeviceSliceMut<'a, T>: |x| x.reborrow();
    ['a] &'a mut DeviceBuffer<T> => DeviceSliceMut<'a, T>: |x| x.as_slice_mut();
    ['a] &'a SharedBuffer<T> => DeviceSlice<'a, T>: |x| x.as_slice();
    ['a] &'a mut SharedBuffer<T> => DeviceSliceMut<'a, T>: |x| x.as_slice_mut();
    ['a] &'a SharedBuffer<T> => KernelSlice<'a, T>: |x| KernelSlice::Device(x.as_slice());
    ['a] &'a mut SharedBuffer<T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Device(x.as_slice_mut());
    ['a] &'a IpcBuffer<T> => DeviceSlice<'a, T>: |x| x.as_slice();
    ['a] &'a IpcBuffer<T> => KernelSlice<'a, T>: |x| KernelSlice::Device(x.as_slice());
    ['a] &'a mut IpcBuffer<T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Device(x.as_slice_mut());
    ['a] PeerSlice<'a, T> => PeerSlice<'a, T>: |x| x;
    ['a] &PeerSlice<'a, T> => PeerSlice<'a, T>: |x| *x;
    ['a] &'a PeerSliceMut<'_, T> => PeerSlice<'a, T>: |x| x.as_slice();
    ['a] PeerSliceMut<'a, T> => PeerSliceMut<'a, T>: |x| x;
    ['a] &'a mut PeerSliceMut<'_, T> => PeerSliceMut<'a, T>: |x| x.reborrow();
    ['a] PeerAtomicSlice<'a, T> => PeerAtomicSlice<'a, T>: |x| x;
    ['a] &'a mut PeerAtomicSlice<'_, T> => PeerAtomicSlice<'a, T>: |x| x.reborrow();
    ['a] KernelSlice<'a, T> => KernelSlice<'a, T>: |x| x;
    ['a] DeviceSlice<'a, T> => KernelSlice<'a, T>: |x| KernelSlice::Device(x);
    ['a] &'a DeviceSliceMut<'_, T> => KernelSlice<'a, T>: |x| KernelSlice::Device(x.as_slice());
    ['a] &'a DeviceBuffer<T> => KernelSlice<'a, T>: |x| KernelSlice::Device(x.as_slice());
    ['a] PeerSlice<'a, T> => KernelSlice<'a, T>: |x| KernelSlice::Peer(x);
    ['a] &'a PeerSliceMut<'_, T> => KernelSlice<'a, T>: |x| KernelSlice::Peer(x.as_slice());
    ['a] KernelSliceMut<'a, T> => KernelSliceMut<'a, T>: |x| x;
    ['a] DeviceSliceMut<'a, T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Device(x);
    ['a] &'a mut DeviceSliceMut<'_, T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Device(x.reborrow());
    ['a] &'a mut DeviceBuffer<T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Device(x.as_slice_mut());
    ['a] PeerSliceMut<'a, T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Peer(x);
    ['a] &'a mut PeerSliceMut<'_, T> => KernelSliceMut<'a, T>: |x| KernelSliceMut::Peer(x.reborrow());
}
