//! Memory of pools, allocated in the order of a stream.
//!
//! # Safety
//! Memory that was allocated in a stream may be used by work behind that only: the allocation is noted as a use, so uses on other
//! streams wait for it, like for any other write.
#![allow(unsafe_code, reason = "declares an unsafe function; see the paragraph on safety above")]

use bytemuck::Pod;

use super::MemPool;
use crate::allocation::{Allocation, Kind};
use crate::buffer::DeviceBuffer;
use crate::error::Result;
use crate::slice::View;
use crate::stream::Stream;
use crate::uses::Access;

impl Stream {
    /// New memory of `pool` for `len` elements, all bytes zero. Asynchronous: the memory is there for work of this stream from now
    /// on, and other streams that use it wait for that.
    ///
    /// It is freed in stream order too, behind its last use: dropping it never waits. If one stream used it last, that is where it is
    /// freed, and the next allocation there can have it at once.
    ///
    /// C: `cudaMallocFromPoolAsync`, `cudaMallocAsync`.
    ///
    /// # Errors
    /// - [`Error::WrongDevice`](crate::Error::WrongDevice) if the pool is not of the stream's device.
    /// - [`Error::Cuda`](crate::Error::Cuda) of the class [`OutOfMemory`](crate::ErrorClass::OutOfMemory), after waiting for memory that
    ///   was dropped while in use.
    /// - [`Error::Capture`](crate::Error::Capture) if the stream is being captured, [`Error::Cuda`](crate::Error::Cuda) with code 900 if
    ///   other code captures it: what is allocated there is memory of a graph.
    /// - [`Error::TooLarge`](crate::Error::TooLarge), [`Error::Misaligned`](crate::Error::Misaligned),
    ///   [`Error::StaleHandle`](crate::Error::StaleHandle), [`Error::OtherRuntime`](crate::Error::OtherRuntime).
    #[doc(alias = "cudaMallocFromPoolAsync")]
    #[doc(alias = "cudaMallocAsync")]
    pub fn alloc_zeroed_async<T: Pod>(&self, pool: &MemPool, len: usize) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.alloc(pool, len)?;
        self.fill_bytes_async(&mut buffer, 0)?;
        Ok(buffer)
    }

    /// New memory of `pool` with the elements of `source`. Returns when they are there.
    ///
    /// C: `cudaMallocFromPoolAsync`.
    ///
    /// # Errors
    /// As [`alloc_zeroed_async`](Self::alloc_zeroed_async).
    #[doc(alias = "cudaMallocFromPoolAsync")]
    pub fn alloc_from<T: Pod>(&self, pool: &MemPool, source: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.alloc(pool, source.len())?;
        self.copy_from_host(&mut buffer, source)?;
        Ok(buffer)
    }

    /// New memory of `pool` for `len` elements, with whatever is in it. Asynchronous, as
    /// [`alloc_zeroed_async`](Self::alloc_zeroed_async).
    ///
    /// C: `cudaMallocFromPoolAsync`, `cudaMallocAsync`.
    ///
    /// # Safety
    /// - Every element is written, by a copy or a kernel, before a copy or a kernel reads it.
    ///
    /// # Errors
    /// As [`alloc_zeroed_async`](Self::alloc_zeroed_async).
    #[doc(alias = "cudaMallocFromPoolAsync")]
    #[doc(alias = "cudaMallocAsync")]
    pub unsafe fn alloc_uninit_async<T: Pod>(&self, pool: &MemPool, len: usize) -> Result<DeviceBuffer<T>> {
        self.alloc(pool, len)
    }

    fn alloc<T: Pod>(&self, pool: &MemPool, len: usize) -> Result<DeviceBuffer<T>> {
        self.check()?;
        self.device().check_same(&pool.device(), "the memory pool")?;
        pool.check()?;
        self.enter()?.refuse_capture("an allocation in the captured stream")?;
        self.check_not_captured("cudaMallocFromPoolAsync")?;
        let allocation = Allocation::new::<T>(self.device(), len, Kind::Pool(pool.clone()), Some(self))?;
        drop(View::new(&allocation).acquire(self, Access::Write)?);
        Ok(DeviceBuffer::of_allocation(allocation, len))
    }
}
