//! Memory of another process, open.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::device::Device;
use crate::error::{Error, IpcError, Result};
use crate::peer_slice::{PeerAtomicSlice, PeerSlice, PeerSliceMut};
use crate::slice::{DeviceSlice, DeviceSliceMut, View};
use crate::uses::Access;
use crate::uuid::Uuid;

/// `len` elements of another process's memory, open on one device, the accessor. Made by [`Device::open_ipc`].
///
/// Dropping it never waits: it is closed after the work that this process has put in with it. Then the maker learns of it, if it
/// [sent](super::SharedBuffer::send) the memory.
pub struct IpcBuffer<T> {
    /// From the start of the maker's allocation on.
    allocation: Allocation,
    accessor: Device,
    /// Of the first element, in bytes.
    offset: usize,
    len: usize,
    uuid: Uuid,
    owner: Option<Device>,
    element: PhantomData<T>,
}

impl<T: Pod> IpcBuffer<T> {
    /// `allocation` has `len` elements from `offset` on.
    pub(super) fn new(
        allocation: Allocation,
        accessor: Device,
        offset: usize,
        len: usize,
        uuid: Uuid,
        owner: Option<Device>,
    ) -> Self {
        Self { allocation, accessor, offset, len, uuid, owner, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device that opened it: it alone reaches it.
    pub fn accessor(&self) -> Device {
        self.accessor
    }

    /// The GPU whose memory it is.
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }

    /// The device whose memory it is; `None` if this process does not see that one.
    pub fn owner(&self) -> Option<Device> {
        self.owner
    }

    /// All elements, to read from: for copies, and for kernels of the accessor. The slice names the accessor as its device; of a pool's memory
    /// the owner, as which a kernel of another device takes it by [`peer_slice`](Self::peer_slice).
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(View::new(&self.allocation).skip(self.offset), self.len)
    }

    /// All elements, to write to, as [`as_slice`](Self::as_slice).
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut::new(View::new(&self.allocation).skip(self.offset), self.len)
    }

    /// A view for kernels of the accessor that read a peer.
    ///
    /// # Errors
    /// [`Error::SameDevice`] if the accessor owns the memory itself; [`Error::Ipc`] with [`IpcError::HiddenDevice`] if this process
    /// does not see the owner: [`as_slice`](Self::as_slice) serves both.
    pub fn peer_slice(&self) -> Result<PeerSlice<'_, T>> {
        Ok(PeerSlice::opened(self.accessor(), self.peer()?, self.as_slice()))
    }

    /// A view for kernels of the accessor that read and write a peer.
    ///
    /// # Errors
    /// As [`peer_slice`](Self::peer_slice).
    pub fn peer_slice_mut(&mut self) -> Result<PeerSliceMut<'_, T>> {
        let (accessor, owner) = (self.accessor(), self.peer()?);
        Ok(PeerSliceMut::opened(accessor, owner, self.as_slice_mut()))
    }

    /// A view for kernels of the accessor that do atomic read-modify-write on a peer.
    ///
    /// # Errors
    /// [`Error::NoNativeAtomics`] if the pair does not carry them; as [`peer_slice`](Self::peer_slice).
    pub fn peer_slice_atomic(&mut self) -> Result<PeerAtomicSlice<'_, T>> {
        let (accessor, owner) = (self.accessor(), self.peer()?);
        if !accessor.p2p_attributes(&owner)?.native_atomics_supported {
            return Err(Error::NoNativeAtomics { accessor: accessor.ordinal(), owner: owner.ordinal() });
        }
        Ok(PeerAtomicSlice::new(self.peer_slice_mut()?))
    }

    /// The owner, if it is another device that this process sees.
    fn peer(&self) -> Result<Device> {
        match self.owner {
            Some(owner) if owner == self.accessor() => Err(Error::SameDevice { device: owner.ordinal() }),
            Some(owner) => Ok(owner),
            None => {
                let visible = self.accessor().runtime().device_count()?;
                Err(IpcError::HiddenDevice { uuid: self.uuid, visible }.into())
            }
        }
    }

    /// A copy of the elements in host memory. Waits for work of this process that writes them, and for the copy.
    ///
    /// C: `cudaMemcpy`.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::StaleHandle`].
    #[doc(alias = "cudaMemcpy")]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.allocation.device().copy_on_a_stream(|stream| {
            stream.copy_to_host(self.as_slice(), &mut elements)?;
            self.allocation.uses.settle(stream.queue());
            Ok(())
        })?;
        Ok(elements)
    }

    /// Closes it now, after waiting on the host for the work of this process on it.
    ///
    /// C: `cudaIpcCloseMemHandle`.
    ///
    /// # Errors
    /// [`Error::Cuda`] if that work failed. It is closed all the same, unless the context is lost.
    #[doc(alias = "cudaIpcCloseMemHandle")]
    pub fn close(self) -> Result<()> {
        let outcome = self.allocation.uses.wait_on_host(Access::Write);
        self.allocation.free_now();
        outcome
    }
}

impl<'a, T: Pod> From<&'a IpcBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a IpcBuffer<T>) -> Self {
        buffer.as_slice()
    }
}

impl<'a, T: Pod> From<&'a mut IpcBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(buffer: &'a mut IpcBuffer<T>) -> Self {
        buffer.as_slice_mut()
    }
}

impl<T> fmt::Debug for IpcBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IpcBuffer({} elements of {}, open on {:?})", self.len, self.uuid, self.accessor)
    }
}
