//! Addresses of slices, for code outside: kernels and copies of C or C++ code's on memory of this crate.

use bytemuck::Pod;

use crate::error::Result;
use crate::peer::PeerAccess;
use crate::peer_slice::{PeerAtomicSlice, PeerSlice, PeerSliceMut};
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::stream::Stream;
use crate::uses::Access;

/// Puts foreign work in `stream` in its place among the uses of the memory.
pub(super) fn order(
    view: &View<'_>,
    stream: &Stream,
    access: Access,
    peer: Option<&PeerAccess>,
) -> Result<()> {
    stream.check()?;
    stream.device().check_runtime(&view.device(), "the memory")?;
    view.check("the memory")?;
    let held = view.acquire_for_kernel(stream, access)?;
    if let (Some(capture), Some(peer)) = (held.entered().capture(), peer) {
        capture.note_access(peer);
    }
    Ok(())
}

impl<T: Pod> DeviceSlice<'_, T> {
    /// The address on the device; null if the buffer has no bytes. Work of others with it is not ordered; see
    /// [`as_raw_on`](Self::as_raw_on).
    pub fn as_raw(&self) -> *const T {
        self.view.pointer().cast_const().cast()
    }

    /// The address, for work that other code puts into `stream` from now on, and which only reads.
    ///
    /// `stream` waits for the writes that other streams have on the memory, and a later write by this crate on another stream waits
    /// for all that is in `stream` by then. That holds for one round: ask again for the next. While `stream` is being captured,
    /// the work is the graph's, which keeps the memory.
    ///
    /// # Errors
    /// [`Error::OtherRuntime`](crate::Error::OtherRuntime), [`Error::StaleHandle`](crate::Error::StaleHandle),
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub fn as_raw_on(&self, stream: &Stream) -> Result<*const T> {
        order(&self.view, stream, Access::Read, None)?;
        Ok(self.as_raw())
    }
}

impl<T: Pod> DeviceSliceMut<'_, T> {
    /// The address on the device; null if the buffer has no bytes. Work of others with it is not ordered; see
    /// [`as_raw_on`](Self::as_raw_on).
    pub fn as_raw(&self) -> *mut T {
        self.view.pointer().cast()
    }

    /// The address, for work that other code puts into `stream` from now on, and which may write.
    ///
    /// `stream` waits for all work that other streams have on the memory, and later work of this crate on another stream waits for
    /// all that is in `stream` by then. That holds for one round: ask again for the next. It also tells this crate of work
    /// that other code has in `stream` already.
    ///
    /// # Errors
    /// As [`DeviceSlice::as_raw_on`].
    pub fn as_raw_on(&mut self, stream: &Stream) -> Result<*mut T> {
        order(&self.view, stream, Access::Write, None)?;
        Ok(self.as_raw())
    }
}

impl<T: Pod> PeerSlice<'_, T> {
    /// The address, which the accessor may dereference as long as the access is enabled; null if the buffer has no bytes. Work of
    /// others with it is not ordered; see [`as_raw_on`](Self::as_raw_on).
    pub fn as_raw(&self) -> *const T {
        self.memory.as_raw()
    }

    /// As [`DeviceSlice::as_raw_on`], for kernels of the accessor that only read.
    ///
    /// # Errors
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) if `stream` is not of the accessor; as [`DeviceSlice::as_raw_on`].
    pub fn as_raw_on(&self, stream: &Stream) -> Result<*const T> {
        self.check_access(stream)?;
        order(&self.memory.view, stream, Access::Read, self.token())?;
        Ok(self.memory.as_raw())
    }
}

impl<T: Pod> PeerSliceMut<'_, T> {
    /// The address, which the accessor may dereference as long as the access is enabled; null if the buffer has no bytes. Work of
    /// others with it is not ordered; see [`as_raw_on`](Self::as_raw_on).
    pub fn as_raw(&self) -> *mut T {
        self.memory.as_raw()
    }

    /// As [`DeviceSliceMut::as_raw_on`], for kernels of the accessor that may write, but do no atomic read-modify-write.
    ///
    /// # Errors
    /// As [`PeerSlice::as_raw_on`].
    pub fn as_raw_on(&mut self, stream: &Stream) -> Result<*mut T> {
        self.check_access(stream)?;
        order(&self.memory.view, stream, Access::Write, self.token())?;
        Ok(self.memory.as_raw())
    }
}

impl<T: Pod> PeerAtomicSlice<'_, T> {
    /// As [`PeerSliceMut::as_raw_on`], for kernels that may do atomic read-modify-write too.
    ///
    /// # Errors
    /// As [`PeerSlice::as_raw_on`].
    pub fn as_raw_on(&mut self, stream: &Stream) -> Result<*mut T> {
        self.0.as_raw_on(stream)
    }
}
