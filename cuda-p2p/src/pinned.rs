//! Pinned host memory: the devices copy to and from it by themselves, while the host does something else.
//!
//! # Safety
//! This file makes Rust slices over memory that devices write to. It gives a slice only after the work that would
//! race with it is done, and for a borrow during which safe code cannot start more: work that writes to the buffer
//! takes it as `&mut`, work that reads from it as `&`. The launch of a graph takes no borrow, and is refused as long as the
//! value is there from which the slice comes.
#![allow(unsafe_code, reason = "slices over memory of the CUDA runtime; see the paragraph on safety above")]

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use bytemuck::Pod;

use crate::allocation::{Allocation, Kind};
use crate::device::Device;
use crate::error::Result;
use crate::uses::Access;

/// `len` elements of `T` in pinned host memory, which every device of the process can copy to and from.
///
/// The host looks at it through [`read`](Self::read) and [`write`](Self::write), which first wait for the devices. A graph that copies
/// from or to it keeps the memory, and finds there at each launch what the host wrote last.
///
/// Dropping it never waits: if a stream still has work on it, the memory is freed later. Memory that C or C++ code pinned can be
/// [borrowed](Self::borrow_raw), or [taken over](Self::from_raw).
///
/// C: `cudaFreeHost`.
#[doc(alias = "cudaFreeHost")]
pub struct PinnedBuffer<T> {
    pub(crate) allocation: Allocation,
    len: usize,
    element: PhantomData<T>,
}

impl Device {
    /// New pinned memory for `len` elements, all bytes zero.
    ///
    /// C: `cudaHostAlloc`, `cudaMallocHost`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda) of the class [`OutOfMemory`](crate::ErrorClass::OutOfMemory);
    /// [`Error::TooLarge`](crate::Error::TooLarge); [`Error::Misaligned`](crate::Error::Misaligned) for an element type
    /// that is aligned to more than the runtime aligns to.
    #[doc(alias = "cudaHostAlloc")]
    #[doc(alias = "cudaMallocHost")]
    pub fn alloc_pinned_zeroed<T: Pod>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let allocation = Allocation::new::<T>(*self, len, Kind::Pinned, None)?;
        // SAFETY: the address is that of so many bytes of host memory that nothing else knows of yet; null only for
        // none.
        unsafe { std::ptr::write_bytes(allocation.pointer(), 0, allocation.bytes()) };
        Ok(PinnedBuffer::of_allocation(allocation, len))
    }

    /// New pinned memory with the elements of `source`.
    ///
    /// C: `cudaHostAlloc`.
    ///
    /// # Errors
    /// As [`alloc_pinned_zeroed`](Self::alloc_pinned_zeroed).
    #[doc(alias = "cudaHostAlloc")]
    pub fn alloc_pinned_from<T: Pod>(&self, source: &[T]) -> Result<PinnedBuffer<T>> {
        let mut buffer = self.alloc_pinned_zeroed(source.len())?;
        buffer.write()?.copy_from_slice(source);
        Ok(buffer)
    }
}

impl<T> PinnedBuffer<T> {
    /// The device through which it was allocated; all devices can use it.
    pub fn device(&self) -> Device {
        self.allocation.device()
    }
}

impl<T: Pod> PinnedBuffer<T> {
    /// `allocation` has `len` elements.
    pub(crate) fn of_allocation(allocation: Allocation, len: usize) -> Self {
        Self { allocation, len, element: PhantomData }
    }

    pub(crate) fn into_allocation(self) -> Allocation {
        self.allocation
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
        self.allocation.bytes()
    }

    /// The elements, to read, after waiting for the work that writes them.
    ///
    /// As long as the answer is there, graphs that write the memory cannot be launched:
    /// [`GraphError::MemoryLent`](crate::GraphError::MemoryLent).
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda), of the class [`Poisoned`](crate::ErrorClass::Poisoned) if that work
    /// failed; [`Error::StaleHandle`](crate::Error::StaleHandle) after a reset of the device.
    pub fn read(&self) -> Result<PinnedRead<'_, T>> {
        Lent::new(self, Access::Read).map(PinnedRead)
    }

    /// The elements, to write, after waiting for all work on them.
    ///
    /// As long as the answer is there, graphs that use the memory cannot be launched:
    /// [`GraphError::MemoryLent`](crate::GraphError::MemoryLent).
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn write(&mut self) -> Result<PinnedWrite<'_, T>> {
        Lent::new(self, Access::Write).map(|lent| PinnedWrite { lent, exclusive: PhantomData })
    }

    fn pointer(&self) -> NonNull<T> {
        NonNull::new(self.allocation.pointer().cast()).unwrap_or(NonNull::dangling())
    }
}

/// Pinned memory as the host has it, to read: a slice, by [`PinnedBuffer::read`].
#[must_use = "the memory is the host's until this is dropped"]
pub struct PinnedRead<'b, T>(Lent<'b, T>);

/// Pinned memory as the host has it, to write: a slice, by [`PinnedBuffer::write`].
#[must_use = "the memory is the host's until this is dropped"]
pub struct PinnedWrite<'b, T> {
    lent: Lent<'b, T>,
    exclusive: PhantomData<&'b mut PinnedBuffer<T>>,
}

/// Memory that no launch of a graph races with.
struct Lent<'b, T> {
    buffer: &'b PinnedBuffer<T>,
    access: Access,
}

impl<'b, T> Lent<'b, T> {
    fn new(buffer: &'b PinnedBuffer<T>, access: Access) -> Result<Self> {
        let memory = &buffer.allocation;
        memory.device().seam().check_process()?;
        memory.check("the pinned memory")?;
        memory.uses.lend(access)?;
        Ok(Self { buffer, access })
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        // In a forked child not even a lock is taken.
        if self.buffer.device().seam().check_process().is_ok() {
            self.buffer.allocation.uses.take_back(self.access);
        }
    }
}

impl<T: Pod> Deref for PinnedRead<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let buffer = self.0.buffer;
        // SAFETY: so many elements of initialised memory, whose alignment was checked when it came here, for any bytes
        // are a T. Writers are done; new ones need `&mut` of the buffer, which is borrowed, or are launches, which are refused.
        unsafe { std::slice::from_raw_parts(buffer.pointer().as_ptr(), buffer.len) }
    }
}

impl<T: Pod> Deref for PinnedWrite<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let buffer = self.lent.buffer;
        // SAFETY: as for `PinnedRead`; what reads it does so by a borrow of this.
        unsafe { std::slice::from_raw_parts(buffer.pointer().as_ptr(), buffer.len) }
    }
}

impl<T: Pod> DerefMut for PinnedWrite<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let buffer = self.lent.buffer;
        // SAFETY: as for `PinnedRead`; all work is done, and new work needs the buffer, which is borrowed exclusively, or is the
        // launch of a graph, which is refused.
        unsafe { std::slice::from_raw_parts_mut(buffer.pointer().as_ptr(), buffer.len) }
    }
}

impl<T: Pod + PartialEq, S: AsRef<[T]> + ?Sized> PartialEq<S> for PinnedRead<'_, T> {
    fn eq(&self, other: &S) -> bool {
        **self == *other.as_ref()
    }
}

impl<T: Pod> AsRef<[T]> for PinnedRead<'_, T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for PinnedRead<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for PinnedWrite<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({} elements at {:p})", self.len, self.allocation.pointer())
    }
}
