//! What a pool keeps, what it gave, and how it uses memory again.
#![allow(unsafe_code, reason = "calls of the CUDA runtime; see the paragraph on safety in pool.rs")]

use std::ffi::{c_int, c_void};

use super::MemPool;
use crate::error::Result;
use crate::ffi::cudaMemPoolAttr;
use crate::seam::cuda;

/// Bytes of a pool, now and at most since [`MemPool::reset_high_water_marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemPoolUsage {
    /// Taken of the device: what is used, and what is kept for later allocations.
    pub reserved: u64,
    /// The most that was taken of the device.
    pub reserved_high: u64,
    /// In memory that was given and not freed; the runtime's free, which comes in stream order.
    pub used: u64,
    /// The most that was used.
    pub used_high: u64,
}

/// When an allocation may take memory that was freed in another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemPoolReuse {
    /// If an event makes the allocating stream wait for the free.
    pub follow_event_dependencies: bool,
    /// If the free happens to be done already.
    pub allow_opportunistic: bool,
    /// By making the allocating stream wait for the freeing one.
    pub allow_internal_dependencies: bool,
}

const REUSE: [cudaMemPoolAttr; 3] = [
    cudaMemPoolAttr::cudaMemPoolReuseFollowEventDependencies,
    cudaMemPoolAttr::cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolAttr::cudaMemPoolReuseAllowInternalDependencies,
];

impl MemPool {
    /// What the pool has taken and given, in bytes.
    ///
    /// C: `cudaMemPoolGetAttribute`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), [`Error::StaleHandle`](crate::Error::StaleHandle).
    #[doc(alias = "cudaMemPoolGetAttribute")]
    pub fn usage(&self) -> Result<MemPoolUsage> {
        Ok(MemPoolUsage {
            reserved: self.get(cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent, 0u64)?,
            reserved_high: self.get(cudaMemPoolAttr::cudaMemPoolAttrReservedMemHigh, 0u64)?,
            used: self.get(cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent, 0u64)?,
            used_high: self.get(cudaMemPoolAttr::cudaMemPoolAttrUsedMemHigh, 0u64)?,
        })
    }

    /// Sets both high-water marks to what is reserved and used now.
    ///
    /// C: `cudaMemPoolSetAttribute`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolSetAttribute")]
    pub fn reset_high_water_marks(&self) -> Result<()> {
        self.set(cudaMemPoolAttr::cudaMemPoolAttrReservedMemHigh, 0u64)?;
        self.set(cudaMemPoolAttr::cudaMemPoolAttrUsedMemHigh, 0u64)
    }

    /// Bytes that the pool keeps when the device is next waited for; beyond that it gives free memory back. 0 in a new pool.
    ///
    /// C: `cudaMemPoolGetAttribute`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolGetAttribute")]
    pub fn release_threshold(&self) -> Result<u64> {
        self.get(cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold, 0u64)
    }

    /// Sets the [`release_threshold`](Self::release_threshold), in bytes; `u64::MAX` keeps all.
    ///
    /// C: `cudaMemPoolSetAttribute`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolSetAttribute")]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        self.set(cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold, bytes)
    }

    /// When freed memory is used again.
    ///
    /// C: `cudaMemPoolGetAttribute`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolGetAttribute")]
    pub fn reuse(&self) -> Result<MemPoolReuse> {
        let [event, opportunistic, internal] = REUSE;
        Ok(MemPoolReuse {
            follow_event_dependencies: self.get(event, 0 as c_int)? != 0,
            allow_opportunistic: self.get(opportunistic, 0 as c_int)? != 0,
            allow_internal_dependencies: self.get(internal, 0 as c_int)? != 0,
        })
    }

    /// Sets when freed memory is used again. All three are on in a new pool.
    ///
    /// C: `cudaMemPoolSetAttribute`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolSetAttribute")]
    pub fn set_reuse(&self, reuse: MemPoolReuse) -> Result<()> {
        let [event, opportunistic, internal] = REUSE;
        self.set(event, c_int::from(reuse.follow_event_dependencies))?;
        self.set(opportunistic, c_int::from(reuse.allow_opportunistic))?;
        self.set(internal, c_int::from(reuse.allow_internal_dependencies))
    }

    /// Gives free memory back to the device until no more than `keep` bytes are reserved, or nothing is free. What is freed in a
    /// stream that has not come to it is not free.
    ///
    /// C: `cudaMemPoolTrimTo`.
    ///
    /// # Errors
    /// As [`usage`](Self::usage).
    #[doc(alias = "cudaMemPoolTrimTo")]
    pub fn trim_to(&self, keep: usize) -> Result<()> {
        self.check()?;
        let pool = self.as_raw();
        // SAFETY: the pool is live; the call takes a number.
        unsafe { cuda!(relaxed: self.seam(), self.device().on(), cudaMemPoolTrimTo(pool, keep)) }
    }

    fn get<V: Copy>(&self, attribute: cudaMemPoolAttr, mut value: V) -> Result<V> {
        self.check()?;
        let (pool, place) = (self.as_raw(), (&raw mut value).cast::<c_void>());
        // SAFETY: the pool is live, and the place is of the attribute's type: a 64-bit number, or an int for the reuse policies.
        unsafe {
            cuda!(relaxed: self.seam(), self.device().on(), cudaMemPoolGetAttribute(pool, attribute, place))
        }?;
        Ok(value)
    }

    fn set<V: Copy>(&self, attribute: cudaMemPoolAttr, mut value: V) -> Result<()> {
        self.check()?;
        let (pool, place) = (self.as_raw(), (&raw mut value).cast::<c_void>());
        // SAFETY: as above; the value is read.
        unsafe {
            cuda!(relaxed: self.seam(), self.device().on(), cudaMemPoolSetAttribute(pool, attribute, place))
        }
    }
}
