//! What an address points at, whose memory that is, and who can use it now.
//!
//! That a device can access another ([`Device::can_access_peer`]) and that it can use an address now are two questions, and this is
//! the second one.
//!
//! # Safety
//! This file calls functions that write what they are asked for into places given to them. The address itself is only looked up.
#![allow(unsafe_code, reason = "calls of the CUDA runtime and driver; see the paragraph on safety above")]

use std::ffi::c_void;

use crate::device::Device;
use crate::error::Result;
use crate::ffi::driver::{self, CuMemAccessFlags, CuMemLocation, CuPointerAttribute};
use crate::ffi::{cudaError, cudaHostRegisterDefault, cudaMemoryType, cudaPointerAttributes};
use crate::library::{function, status};
use crate::runtime::Runtime;
use crate::seam::{On, cuda};

/// What is known of an address, as of the moment when it was asked.
///
/// C: `cudaPointerAttributes`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "cudaPointerAttributes")]
pub struct PointerInfo {
    /// What kind of memory it is.
    pub kind: PointerKind,
    /// Where the memory is. `None` for memory that CUDA does not know, and for managed memory, which moves.
    pub residence: Option<Residence>,
    /// The devices whose kernels can use it now, by ordinal: by peer access that is enabled, by the grant of a pool, by access to
    /// virtual memory. Empty for memory that CUDA does not know, although some devices reach any memory of the host.
    pub accessible_from: Vec<Device>,
    /// The allocation that it lies in; of virtual memory the whole range. `None` for memory that CUDA does not know.
    pub allocation: Option<AddressRange>,
}

/// Kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PointerKind {
    /// CUDA does not know it: pageable memory of the host, memory that was freed, reserved addresses without memory, or nothing.
    Unregistered,
    /// Memory of the host that stays in place, by `cudaHostAlloc`.
    PinnedHost,
    /// Memory of the program's own that was made to stay in place, by `cudaHostRegister`.
    RegisteredHost,
    /// Memory of a device, by `cudaMalloc`, or of another process. Peer access covers it.
    Device,
    /// Memory that moves between host and devices, by `cudaMallocManaged`.
    Managed,
    /// Memory of a pool, by `cudaMallocAsync`. The grants of the pool cover it.
    Pool,
    /// Memory that is mapped in a range of virtual memory, by `cuMemMap`. Access to it is given for each device.
    Virtual,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In the host's.
    Host,
    /// In this device's.
    Device(Device),
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    /// Its first address.
    pub base: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

impl Runtime {
    /// What `address` points at, whose memory it is, and which devices can use it now.
    ///
    /// Any address may be asked about. For memory of a device each device that could have access is asked with itself current, which
    /// creates a context on it if it has none. Registered memory of the host is told from other pinned memory by the error of
    /// registering it once more, which does nothing: all that CUDA answers to questions is the same for both.
    ///
    /// C: `cudaPointerGetAttributes`, `cuPointerGetAttribute`, `cudaHostRegister`.
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda); [`Error::DriverTooOld`](crate::Error::DriverTooOld),
    /// [`Error::MissingDriverFunction`](crate::Error::MissingDriverFunction) if the driver cannot tell kinds of device memory apart.
    #[doc(alias = "cudaPointerGetAttributes")]
    #[doc(alias = "cuPointerGetAttribute")]
    #[doc(alias = "cudaHostRegister")]
    pub fn pointer_info<T>(&self, address: *const T) -> Result<PointerInfo> {
        let address: *const c_void = address.cast();
        let attributes = self.attributes(address, On::Any)?;
        let kind = match attributes.type_ {
            cudaMemoryType::cudaMemoryTypeHost => self.kind_of_host(address)?,
            cudaMemoryType::cudaMemoryTypeManaged => PointerKind::Managed,
            cudaMemoryType::cudaMemoryTypeDevice if self.is_pool_memory(address)? => PointerKind::Pool,
            cudaMemoryType::cudaMemoryTypeDevice if self.is_virtual(address)? => PointerKind::Virtual,
            cudaMemoryType::cudaMemoryTypeDevice => PointerKind::Device,
            _ => PointerKind::Unregistered,
        };
        if kind == PointerKind::Unregistered {
            return Ok(PointerInfo { kind, residence: None, accessible_from: Vec::new(), allocation: None });
        }
        let residence = match kind {
            PointerKind::PinnedHost | PointerKind::RegisteredHost => Some(Residence::Host),
            PointerKind::Managed => None,
            _ => Some(Residence::Device(Device::from_raw(self, attributes.device)?)),
        };
        let mut accessible_from = self.devices()?;
        if let Some(Residence::Device(owner)) = residence {
            let mut answers = Vec::new();
            for device in accessible_from {
                if self.reaches(device, owner, kind, address)? {
                    answers.push(device);
                }
            }
            accessible_from = answers;
        }
        let base: u64 = self.attribute(address, CuPointerAttribute::RANGE_START_ADDR)?;
        let bytes: usize = self.attribute(address, CuPointerAttribute::RANGE_SIZE)?;
        let allocation = Some(AddressRange { base: base as usize, bytes });
        Ok(PointerInfo { kind, residence, accessible_from, allocation })
    }

    fn attributes(&self, address: *const c_void, on: On) -> Result<cudaPointerAttributes> {
        // SAFETY: the type is made of integers and pointers, for which zero is a value.
        let mut attributes: cudaPointerAttributes = unsafe { std::mem::zeroed() };
        // SAFETY: `attributes` is a valid place of the layout of the library's major; the address is only looked up.
        unsafe { cuda!(self.seam(), on, cudaPointerGetAttributes(&mut attributes, address)) }?;
        Ok(attributes)
    }

    /// Which kind of memory of the host it is that CUDA knows. All attributes and flags of both kinds are alike (seen on H200).
    fn kind_of_host(&self, address: *const c_void) -> Result<PointerKind> {
        let (seam, place) = (self.seam(), address.cast_mut());
        let register = |flags| {
            // SAFETY: the runtime judges the address. That of memory which it knows is refused, and left as it is.
            unsafe { cuda!(relaxed status: seam, On::Any, cudaHostRegister(place, 1, flags)) }
        };
        match register(cudaHostRegisterDefault)? {
            cudaError::cudaErrorHostMemoryAlreadyRegistered => Ok(PointerKind::RegisteredHost),
            cudaError::cudaErrorInvalidValue => Ok(PointerKind::PinnedHost),
            // Whoever had it let it go since it was asked about.
            cudaError::cudaSuccess => {
                // SAFETY: it was registered just now, here, and nothing uses it by that.
                unsafe { cuda!(relaxed: seam, On::Any, cudaHostUnregister(place)) }?;
                Ok(PointerKind::Unregistered)
            }
            status => Err(seam.error("cudaHostRegister", status, On::Any)),
        }
    }

    /// Whether kernels of `device` can use an address of `owner`'s memory now.
    fn reaches(
        &self,
        device: Device,
        owner: Device,
        kind: PointerKind,
        address: *const c_void,
    ) -> Result<bool> {
        if kind == PointerKind::Virtual {
            // SAFETY: the entry's type is that of this function.
            let ask: driver::MemGetAccess = unsafe { function(self.seam(), &driver::MEM_GET_ACCESS) }?;
            let (mut flags, place) = (0, CuMemLocation::device(device.as_raw()));
            self.seam().call("cuMemGetAccess", Some(ask), On::Any, |ask| {
                // SAFETY: `flags` is a valid place for a number, and the location is read.
                status(unsafe { ask(&mut flags, &place, address.addr() as u64) })
            })?;
            return Ok(flags != u64::from(CuMemAccessFlags::NONE.0));
        }
        if device == owner {
            return Ok(true);
        }
        // The device pointer is the address by which the current device reaches the memory, and null if it does not.
        Ok(device.can_access_peer(&owner)? && !self.attributes(address, device.on())?.devicePointer.is_null())
    }

    fn is_pool_memory(&self, address: *const c_void) -> Result<bool> {
        let pool: usize = self.attribute(address, CuPointerAttribute::MEMPOOL_HANDLE)?;
        Ok(pool != 0)
    }

    /// Whether there is physical memory with a handle behind the address.
    pub(crate) fn is_virtual(&self, address: *const c_void) -> Result<bool> {
        let seam = self.seam();
        // SAFETY: the entry's type is that of this function.
        let retain: driver::MemRetainAllocationHandle =
            unsafe { function(seam, &driver::MEM_RETAIN_ALLOCATION_HANDLE) }?;
        // SAFETY: as above.
        let release: driver::MemRelease = unsafe { function(seam, &driver::MEM_RELEASE) }?;
        let mut handle = 0;
        let found = seam.status("cuMemRetainAllocationHandle", Some(retain), On::Any, |retain| {
            // SAFETY: `handle` is a valid place for a handle; the address is only looked up.
            status(unsafe { retain(&mut handle, address.cast_mut()) })
        })?;
        match found {
            cudaError::cudaSuccess => {}
            cudaError::cudaErrorInvalidValue => return Ok(false),
            code => return Err(seam.error("cuMemRetainAllocationHandle", code, On::Any)),
        }
        seam.call("cuMemRelease", Some(release), On::Any, |release| {
            // SAFETY: the handle was retained above, once.
            status(unsafe { release(handle) })
        })?;
        Ok(true)
    }

    /// One attribute of an address that CUDA knows. `V` is the type that it is written as.
    pub(crate) fn attribute<V: Copy + Default>(
        &self,
        address: *const c_void,
        attribute: CuPointerAttribute,
    ) -> Result<V> {
        // SAFETY: the entry's type is that of this function.
        let ask: driver::PointerGetAttribute =
            unsafe { function(self.seam(), &driver::POINTER_GET_ATTRIBUTE) }?;
        let mut value = V::default();
        self.seam().call("cuPointerGetAttribute", Some(ask), On::Any, |ask| {
            // SAFETY: `value` is a valid place of the attribute's type, 64 bits for each that is asked for here.
            status(unsafe { ask((&raw mut value).cast(), attribute, address.addr() as u64) })
        })?;
        Ok(value)
    }
}
