//! Memory for kernels that do not care whether it is their device's own or a peer's.

use bytemuck::Pod;

use crate::peer_slice::{PeerSlice, PeerSliceMut};
use crate::slice::{DeviceSlice, DeviceSliceMut};

/// Memory that the launching device may read: its own, or a peer's. For kernels that do not care which.
#[derive(Debug)]
pub enum KernelSlice<'a, T> {
    /// Memory of the launching device.
    Device(DeviceSlice<'a, T>),
    /// Memory of a peer.
    Peer(PeerSlice<'a, T>),
}

/// Memory that the launching device may read and write: its own, or a peer's.
#[derive(Debug)]
pub enum KernelSliceMut<'a, T> {
    /// Memory of the launching device.
    Device(DeviceSliceMut<'a, T>),
    /// Memory of a peer.
    Peer(PeerSliceMut<'a, T>),
}

impl<T> Clone for KernelSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for KernelSlice<'_, T> {}

impl<T: Pod> KernelSlice<'_, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Device(slice) => slice.len(),
            Self::Peer(slice) => slice.len(),
        }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Pod> KernelSliceMut<'_, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Device(slice) => slice.len(),
            Self::Peer(slice) => slice.len(),
        }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
