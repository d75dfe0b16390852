//! Which devices have access to a range.
#![allow(unsafe_code, reason = "calls of the CUDA driver; see the paragraph on safety in virtual_memory.rs")]

use super::VirtualRange;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::driver::{CuMemAccessDesc, CuMemAccessFlags, CuMemLocation};
use crate::uses::Access;

impl Device {
    /// Refuses an owner whose memory this device cannot access.
    pub(super) fn check_reaches(&self, owner: &Device) -> Result<()> {
        if self == owner || self.can_access_peer(owner)? {
            return Ok(());
        }
        Err(Error::PeerUnreachable { accessor: self.ordinal(), owner: owner.ordinal() })
    }
}

impl VirtualRange {
    /// Gives kernels and copies of `accessors` access, for reading and writing: to what is mapped, and to what will be. The device
    /// whose memory it is needs it too. Peer access between the devices is not needed for that.
    ///
    /// C: `cuMemSetAccess`.
    ///
    /// # Errors
    /// [`Error::PeerUnreachable`] if one of them cannot access memory that is mapped: then none gets it. [`Error::OtherRuntime`],
    /// [`Error::Cuda`].
    #[doc(alias = "cuMemSetAccess")]
    pub fn enable_access_from(&mut self, accessors: &[Device]) -> Result<()> {
        self.check_accessors(accessors)?;
        for accessor in accessors {
            for mapping in &self.mappings {
                accessor.check_reaches(&mapping.owner)?;
            }
        }
        for mapping in &self.mappings {
            self.set_access(mapping.offset, mapping.bytes, accessors, true)?;
        }
        for accessor in accessors {
            if !self.accessors.contains(accessor) {
                self.accessors.push(*accessor);
            }
        }
        Ok(())
    }

    /// Takes the access of `accessors` away. Waits for the work on the range first.
    ///
    /// C: `cuMemSetAccess`.
    ///
    /// # Errors
    /// [`Error::RangeInUse`] if a graph uses memory of the range: that keeps the access of all devices. [`Error::OtherRuntime`]; [`Error::Cuda`] if waiting failed, or the call.
    #[doc(alias = "cuMemSetAccess")]
    pub fn disable_access_from(&mut self, accessors: &[Device]) -> Result<()> {
        self.check_accessors(accessors)?;
        self.check_unused()?;
        for mapping in &self.mappings {
            mapping.memory.uses.wait_on_host(Access::Write)?;
        }
        self.accessors.retain(|known| !accessors.contains(known));
        for mapping in &self.mappings {
            self.set_access(mapping.offset, mapping.bytes, accessors, false)?;
        }
        Ok(())
    }

    /// Whether kernels of `accessor` can use all that is mapped. The driver is asked. False if nothing is.
    ///
    /// C: `cuMemGetAccess`.
    ///
    /// # Errors
    /// [`Error::OtherRuntime`], [`Error::Cuda`].
    #[doc(alias = "cuMemGetAccess")]
    pub fn is_accessible_from(&self, accessor: &Device) -> Result<bool> {
        self.check_accessors(std::slice::from_ref(accessor))?;
        for mapping in &self.mappings {
            if !self.has_access(mapping.offset, accessor)? {
                return Ok(false);
            }
        }
        Ok(!self.mappings.is_empty())
    }

    /// Refuses bytes that are not mapped, or that the device has no access to.
    pub(crate) fn check_access(&self, start: usize, bytes: usize, accessor: &Device) -> Result<()> {
        let end = start + bytes;
        let mut at = start;
        for mapping in self.parts(start, bytes) {
            if mapping.offset > at {
                return Err(Error::NotMapped { start: at, end: mapping.offset });
            }
            if !self.has_access(mapping.offset, accessor)? {
                let (accessor, owner) = (accessor.ordinal(), mapping.owner.ordinal());
                return Err(Error::RangeNotGranted { accessor, owner });
            }
            at = mapping.offset + mapping.bytes;
        }
        if at < end { Err(Error::NotMapped { start: at, end }) } else { Ok(()) }
    }

    fn has_access(&self, offset: usize, accessor: &Device) -> Result<bool> {
        let (functions, address) = (self.functions()?, self.address(offset));
        let (mut flags, place) = (0, CuMemLocation::device(accessor.as_raw()));
        functions.call(accessor.seam(), functions.get_access, |function| {
            // SAFETY: `flags` is a valid place for a number, and the location is read.
            unsafe { function(&mut flags, &place, address) }
        })?;
        Ok(flags == u64::from(CuMemAccessFlags::READ_WRITE.0))
    }

    /// `offset` and `bytes` are those of a mapping. Taken away only where no work uses it.
    pub(super) fn set_access(
        &self,
        offset: usize,
        bytes: usize,
        accessors: &[Device],
        open: bool,
    ) -> Result<()> {
        let flags = if open { CuMemAccessFlags::READ_WRITE } else { CuMemAccessFlags::NONE };
        let describe =
            |device: &Device| CuMemAccessDesc { location: CuMemLocation::device(device.as_raw()), flags };
        let list: Vec<CuMemAccessDesc> = accessors.iter().map(describe).collect();
        if list.is_empty() {
            return Ok(());
        }
        let (functions, address) = (self.functions()?, self.address(offset));
        functions.call(self.whole.device().seam(), functions.set_access, |function| {
            // SAFETY: something is mapped there, and the list has so many entries.
            unsafe { function(address, bytes, list.as_ptr(), list.len()) }
        })
    }

    fn check_accessors(&self, accessors: &[Device]) -> Result<()> {
        self.whole.device().seam().check_process()?;
        accessors.iter().try_for_each(|accessor| self.whole.device().check_runtime(accessor, "the accessor"))
    }
}
