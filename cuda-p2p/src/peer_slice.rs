//! Views of a peer's memory: pointers that one device may dereference although another owns the memory.

use std::fmt;
use std::ops::RangeBounds;

use bytemuck::Pod;

use crate::device::Device;
use crate::error::Result;
use crate::peer::PeerAccess;
use crate::slice::{DeviceSlice, DeviceSliceMut};
use crate::stream::Stream;

/// Why the accessor may use the memory.
#[derive(Clone, Copy)]
enum Right<'a> {
    /// The pair's access is enabled.
    Token(&'a PeerAccess),
    /// It opened the memory, which is another process's.
    Opened { accessor: Device, owner: Device },
}

impl<'a> Right<'a> {
    fn token(&self) -> Option<&'a PeerAccess> {
        match self {
            Self::Token(access) => Some(access),
            Self::Opened { .. } => None,
        }
    }

    fn accessor(&self) -> Device {
        match self {
            Self::Token(access) => access.accessor(),
            Self::Opened { accessor, .. } => *accessor,
        }
    }

    fn owner(&self) -> Device {
        match self {
            Self::Token(access) => access.owner(),
            Self::Opened { owner, .. } => *owner,
        }
    }

    /// A reset of either device is noticed by the token; one that closed the memory, where that is looked at.
    fn check_use(&self, stream: &Stream) -> Result<()> {
        match self {
            Self::Token(access) => access.check_use(stream),
            Self::Opened { accessor, .. } => {
                stream.device().check_same(accessor, "the peer slice's accessor")
            }
        }
    }

    /// Refuses a copy between the memory and `own` memory by the engine of a stream of neither device, or of one that has no
    /// access.
    fn check_copy(&self, stream: &Stream, own: &Device, what: &'static str) -> Result<()> {
        match self {
            Self::Token(access) => access.check_copy(stream, own, what),
            Self::Opened { accessor, .. } => {
                accessor.check_same(own, what)?;
                accessor.check_same(&stream.device(), "the stream")
            }
        }
    }
}

impl fmt::Debug for Right<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(access) => write!(f, "{access:?}"),
            Self::Opened { accessor, owner } => write!(f, "opened on {accessor:?}, memory of {owner:?}"),
        }
    }
}

/// Memory of the owner that kernels of the accessor may read. Made by [`PeerAccess::slice`], and by
/// [`IpcBuffer::peer_slice`](crate::IpcBuffer::peer_slice) of another process's memory.
pub struct PeerSlice<'a, T> {
    access: Right<'a>,
    pub(crate) memory: DeviceSlice<'a, T>,
}

/// Memory of the owner that kernels of the accessor may read and write. Made by [`PeerAccess::slice_mut`].
pub struct PeerSliceMut<'a, T> {
    access: Right<'a>,
    pub(crate) memory: DeviceSliceMut<'a, T>,
}

/// Memory of the owner on which kernels of the accessor may do atomic read-modify-write, over a pair that carries it.
/// Made by [`PeerAccess::slice_atomic`].
pub struct PeerAtomicSlice<'a, T>(pub(crate) PeerSliceMut<'a, T>);

impl<T> Clone for PeerSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PeerSlice<'_, T> {}

impl<'a, T: Pod> PeerSlice<'a, T> {
    pub(crate) fn new(access: &'a PeerAccess, memory: DeviceSlice<'a, T>) -> Self {
        Self { access: Right::Token(access), memory }
    }

    /// `accessor` opened the memory, which is another process's and of `owner`.
    pub(crate) fn opened(accessor: Device, owner: Device, memory: DeviceSlice<'a, T>) -> Self {
        Self { access: Right::Opened { accessor, owner }, memory }
    }

    /// Refuses a copy between the memory and `own` memory in `stream`.
    pub(crate) fn check_copy(&self, stream: &Stream, own: &Device, what: &'static str) -> Result<()> {
        self.access.check_copy(stream, own, what)
    }

    /// Refuses a view from before a reset of either device, and work on another device than the accessor.
    pub(crate) fn check_access(&self, stream: &Stream) -> Result<()> {
        self.access.check_use(stream)
    }

    /// The token by which it was made, if it was made by one.
    pub(crate) fn token(&self) -> Option<&'a PeerAccess> {
        self.access.token()
    }

    /// The device whose kernels may read it.
    pub fn accessor(&self) -> Device {
        self.access.accessor()
    }

    /// The device whose memory it is.
    pub fn owner(&self) -> Device {
        self.access.owner()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// The elements of `range`.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PeerSlice<'a, T>> {
        Ok(Self { access: self.access, memory: self.memory.slice(range)? })
    }
}

impl<'a, T: Pod> PeerSliceMut<'a, T> {
    pub(crate) fn new(access: &'a PeerAccess, memory: DeviceSliceMut<'a, T>) -> Self {
        Self { access: Right::Token(access), memory }
    }

    /// As [`PeerSlice::opened`].
    pub(crate) fn opened(accessor: Device, owner: Device, memory: DeviceSliceMut<'a, T>) -> Self {
        Self { access: Right::Opened { accessor, owner }, memory }
    }

    /// Refuses a copy between the memory and `own` memory in `stream`.
    pub(crate) fn check_copy(&self, stream: &Stream, own: &Device, what: &'static str) -> Result<()> {
        self.access.check_copy(stream, own, what)
    }

    /// As [`PeerSlice::check_access`].
    pub(crate) fn check_access(&self, stream: &Stream) -> Result<()> {
        self.access.check_use(stream)
    }

    /// The token by which it was made, if it was made by one.
    pub(crate) fn token(&self) -> Option<&'a PeerAccess> {
        self.access.token()
    }

    /// The device whose kernels may read and write it.
    pub fn accessor(&self) -> Device {
        self.access.accessor()
    }

    /// The device whose memory it is.
    pub fn owner(&self) -> Device {
        self.access.owner()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty()
    }

    /// The same view for a shorter time.
    pub fn reborrow(&mut self) -> PeerSliceMut<'_, T> {
        PeerSliceMut { access: self.access, memory: self.memory.reborrow() }
    }

    /// The same elements, to read from.
    pub fn as_slice(&self) -> PeerSlice<'_, T> {
        PeerSlice { access: self.access, memory: self.memory.as_slice() }
    }

    /// The elements of `range`, to write to.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PeerSliceMut<'_, T>> {
        Ok(PeerSliceMut { access: self.access, memory: self.memory.slice_mut(range)? })
    }
}

impl<'a, T: Pod> PeerAtomicSlice<'a, T> {
    pub(crate) fn new(view: PeerSliceMut<'a, T>) -> Self {
        Self(view)
    }

    /// The device whose kernels may update it.
    pub fn accessor(&self) -> Device {
        self.0.accessor()
    }

    /// The device whose memory it is.
    pub fn owner(&self) -> Device {
        self.0.owner()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same view for a shorter time.
    pub fn reborrow(&mut self) -> PeerAtomicSlice<'_, T> {
        PeerAtomicSlice(self.0.reborrow())
    }
}

impl<T> fmt::Debug for PeerSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerSlice({:?} by {:?})", self.memory, self.access)
    }
}

impl<T> fmt::Debug for PeerSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerSliceMut({:?} by {:?})", self.memory, self.access)
    }
}

impl<T> fmt::Debug for PeerAtomicSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerAtomicSlice({:?})", self.0)
    }
}

/// Leaving out the automatic order, at the caller's word.
mod unordered {
    #![allow(unsafe_code, reason = "only declares unsafe functions; what they promise is in their text")]

    use super::{PeerSlice, PeerSliceMut};
    use bytemuck::Pod;

    impl<T: Pod> PeerSlice<'_, T> {
        /// The same view, whose uses do not wait for other streams' work.
        ///
        /// # Safety
        /// - As for [`DeviceSlice::unordered`](crate::DeviceSlice::unordered).
        #[must_use]
        pub unsafe fn unordered(self) -> Self {
            // SAFETY: the caller orders the uses.
            Self { memory: unsafe { self.memory.unordered() }, ..self }
        }
    }

    impl<T: Pod> PeerSliceMut<'_, T> {
        /// The same view, whose uses do not wait for other streams' work.
        ///
        /// # Safety
        /// - As for [`DeviceSlice::unordered`](crate::DeviceSlice::unordered).
        #[must_use]
        pub unsafe fn unordered(self) -> Self {
            // SAFETY: the caller orders the uses.
            Self { memory: unsafe { self.memory.unordered() }, ..self }
        }
    }
}
