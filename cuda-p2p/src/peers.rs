//! What the runtime says of a pair of devices: whether one can access the other, and how well.
//!
//! # Safety
//! This file calls functions that write a number into a place given to them.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety above")]

use std::ffi::c_int;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::cudaDeviceP2PAttr;
use crate::seam::{On, cuda};

/// How well one device can access another's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct P2pAttributes {
    /// Rank of the link among the links of the machine: 0 is the fastest.
    ///
    /// C: `cudaDevP2PAttrPerformanceRank`.
    #[doc(alias = "cudaDevP2PAttrPerformanceRank")]
    pub performance_rank: i32,
    /// Whether access can be enabled.
    ///
    /// C: `cudaDevP2PAttrAccessSupported`.
    #[doc(alias = "cudaDevP2PAttrAccessSupported")]
    pub access_supported: bool,
    /// Whether the link carries atomic read-modify-write. Without it, updates from both sides are lost.
    ///
    /// C: `cudaDevP2PAttrNativeAtomicSupported`.
    #[doc(alias = "cudaDevP2PAttrNativeAtomicSupported")]
    pub native_atomics_supported: bool,
    /// Whether CUDA arrays can be accessed over the link.
    ///
    /// C: `cudaDevP2PAttrCudaArrayAccessSupported`.
    #[doc(alias = "cudaDevP2PAttrCudaArrayAccessSupported")]
    pub cuda_array_access_supported: bool,
}

impl Device {
    /// Whether this device *could* access the memory of `owner`, asked now. A device is no peer of itself: false.
    ///
    /// It says nothing of whether access is enabled now: that is what [`PeerAccess`](crate::PeerAccess) proves.
    ///
    /// C: `cudaDeviceCanAccessPeer`.
    ///
    /// # Errors
    /// [`Error::OtherRuntime`], [`Error::Cuda`].
    #[doc(alias = "cudaDeviceCanAccessPeer")]
    pub fn can_access_peer(&self, owner: &Device) -> Result<bool> {
        self.check_runtime(owner, "the owner")?;
        let mut can: c_int = 0;
        let (accessor, owner) = (self.ordinal() as c_int, owner.ordinal() as c_int);
        // SAFETY: `can` is a valid place for an int.
        unsafe { cuda!(self.seam(), On::Any, cudaDeviceCanAccessPeer(&mut can, accessor, owner)) }?;
        Ok(can != 0)
    }

    /// How well this device can access the memory of `owner`.
    ///
    /// C: `cudaDeviceGetP2PAttribute`.
    ///
    /// # Errors
    /// [`Error::SameDevice`], [`Error::OtherRuntime`], [`Error::Cuda`].
    #[doc(alias = "cudaDeviceGetP2PAttribute")]
    pub fn p2p_attributes(&self, owner: &Device) -> Result<P2pAttributes> {
        self.check_runtime(owner, "the owner")?;
        if self == owner {
            return Err(Error::SameDevice { device: self.ordinal() });
        }
        let (accessor, owner) = (self.ordinal() as c_int, owner.ordinal() as c_int);
        let ask = |attribute| -> Result<c_int> {
            let mut value: c_int = 0;
            // SAFETY: `value` is a valid place for an int.
            unsafe {
                cuda!(self.seam(), On::Any, cudaDeviceGetP2PAttribute(&mut value, attribute, accessor, owner))
            }?;
            Ok(value)
        };
        Ok(P2pAttributes {
            performance_rank: ask(cudaDeviceP2PAttr::cudaDevP2PAttrPerformanceRank)?,
            access_supported: ask(cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported)? != 0,
            native_atomics_supported: ask(cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported)? != 0,
            cuda_array_access_supported: ask(cudaDeviceP2PAttr::cudaDevP2PAttrCudaArrayAccessSupported)? != 0,
        })
    }
}
