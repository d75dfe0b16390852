//! What a simulated device says of itself: a plausible device of compute capability 9.0, with the limits that the simulator
//! really has, and 0 for every ability that it does not model.

use std::ffi::{CStr, c_char, c_int};
use std::mem;

use cuda_p2p_sys::{cudaDeviceAttr, cudaDeviceProp, cudaError_t};

use crate::call::{Out, call};
use crate::device::ordinal;
use crate::error::code;
use crate::kernel::DYNAMIC_SHARED;
use crate::machine::Machine;

const NAME: &CStr = c"cuda-p2p simulated device";
/// PCI bus of the machine's first GPU; the others follow.
const FIRST_BUS: usize = 0x10;

fn bus(gpu: usize) -> usize {
    FIRST_BUS + gpu
}

/// The value of an attribute, by its number, which is the same in every release.
fn attribute(machine: &Machine, device: usize, number: u32) -> Option<usize> {
    let limits = &machine.limits;
    Some(match number {
        1 => limits.threads_per_block as usize,
        2..=4 => limits.block[number as usize - 2] as usize,
        5..=7 => limits.grid[number as usize - 5] as usize,
        8 => DYNAMIC_SHARED,
        9 => 64 << 10,           // constant memory
        10 => 32,                // warp size
        11 => i32::MAX as usize, // pitch
        12 | 82 => 64 << 10,     // registers of a block, of a multiprocessor
        13 | 36 => 1_000_000,    // clocks, in kHz
        14 | 30 => 512,          // texture and surface alignment
        15 | 19 | 31 | 41 | 78 | 79 | 80 | 90 | 91 | 99 | 113 | 115 | 119 | 125 => 1, // overlap, mapping, concurrency, unified addresses,
        // priorities, L1 caches, preemption, registered pointers as they are, registration, pools,
        // and that they go to other processes by descriptor alone
        16 => limits.multiprocessors as usize,
        33 => bus(machine.gpus[device]),
        37 => 6144,     // bus width, in bits
        38 => 50 << 20, // L2
        39 => limits.threads_per_multiprocessor as usize,
        40 => 3, // copy engines
        75 => 9, // compute capability
        81 => limits.shared_per_block + (1 << 10),
        85 => machine.gpus[device], // board
        87 => 2,                    // single to double precision
        97 => limits.shared_per_block,
        106 => limits.blocks_per_multiprocessor as usize,
        111 => 1 << 10, // shared memory that the system takes of a block's
        126 => 1,       // memory domains
        0 | 148.. => return None,
        _ => 0,
    })
}

pub(crate) unsafe extern "C" fn get_attribute(
    value: *mut c_int,
    attr: cudaDeviceAttr,
    device: c_int,
) -> cudaError_t {
    call("cudaDeviceGetAttribute", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(value) }?;
        let device = ordinal(machine, device)?;
        let value = attribute(machine, device, attr.0).ok_or(code::INVALID_VALUE)?;
        out.set(c_int::try_from(value).unwrap_or(c_int::MAX));
        Ok(())
    })
}

/// Fields that differ between releases are left 0.
pub(crate) unsafe extern "C" fn get_properties(
    properties: *mut cudaDeviceProp,
    device: c_int,
) -> cudaError_t {
    call("cudaGetDeviceProperties", |machine| {
        // SAFETY: the C contract: null, or a place for one struct.
        let out = unsafe { Out::new(properties) }?;
        let device = ordinal(machine, device)?;
        let size = |number: u32| attribute(machine, device, number).unwrap_or(0);
        let int = |number: u32| c_int::try_from(size(number)).unwrap_or(c_int::MAX);
        // SAFETY: a struct of numbers and characters, for which zeros are a value.
        let mut it: cudaDeviceProp = unsafe { mem::zeroed() };
        for (place, &byte) in it.name.iter_mut().zip(NAME.to_bytes()) {
            *place = byte as c_char;
        }
        for (place, byte) in it.uuid.bytes.iter_mut().zip(*b"cuda-p2p-sim:\0\0\0") {
            *place = byte as c_char;
        }
        it.uuid.bytes[15] = machine.gpus[device] as c_char;
        it.totalGlobalMem = machine.config.memory_bytes;
        it.sharedMemPerBlock = size(8);
        it.regsPerBlock = int(12);
        it.warpSize = int(10);
        it.memPitch = size(11);
        it.maxThreadsPerBlock = int(1);
        it.maxThreadsDim = [int(2), int(3), int(4)];
        it.maxGridSize = [int(5), int(6), int(7)];
        it.totalConstMem = size(9);
        (it.major, it.minor) = (int(75), int(76));
        it.textureAlignment = size(14);
        it.surfaceAlignment = size(30);
        it.multiProcessorCount = int(16);
        it.canMapHostMemory = int(19);
        it.concurrentKernels = int(31);
        it.pciBusID = int(33);
        it.asyncEngineCount = int(40);
        it.unifiedAddressing = int(41);
        it.memoryBusWidth = int(37);
        it.l2CacheSize = int(38);
        it.maxThreadsPerMultiProcessor = int(39);
        it.streamPrioritiesSupported = int(78);
        it.globalL1CacheSupported = int(79);
        it.localL1CacheSupported = int(80);
        it.sharedMemPerMultiprocessor = size(81);
        it.regsPerMultiprocessor = int(82);
        it.multiGpuBoardGroupID = int(85);
        it.computePreemptionSupported = int(90);
        it.canUseHostPointerForRegisteredMem = int(91);
        it.sharedMemPerBlockOptin = size(97);
        it.maxBlocksPerMultiProcessor = int(106);
        it.reservedSharedMemPerBlock = size(111);
        it.hostRegisterSupported = int(99);
        it.hostRegisterReadOnlySupported = int(113);
        it.memoryPoolsSupported = int(115);
        out.set(it);
        Ok(())
    })
}

fn bus_id(gpu: usize) -> String {
    format!("0000:{:02X}:00.0", bus(gpu))
}

pub(crate) unsafe extern "C" fn get_pci_bus_id(
    place: *mut c_char,
    room: c_int,
    device: c_int,
) -> cudaError_t {
    call("cudaDeviceGetPCIBusId", |machine| {
        let device = ordinal(machine, device)?;
        let text = bus_id(machine.gpus[device]);
        if place.is_null() || usize::try_from(room).is_ok_and(|room| room <= text.len()) || room < 0 {
            return Err(code::INVALID_VALUE);
        }
        for (index, byte) in text.bytes().chain([0]).enumerate() {
            // SAFETY: the C contract: there is room for as many characters as `room` says, which was checked.
            unsafe { place.add(index).write(byte as c_char) };
        }
        Ok(())
    })
}

/// Whether a text has the form of a PCI id: hexadecimal numbers, `domain:bus:device.function`, where the domain and the function
/// may be left out.
fn is_pci_id(text: &str) -> bool {
    let hex = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (place, function) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = place.split(':').collect();
    (2..=3).contains(&parts.len()) && parts.into_iter().all(hex) && hex(function)
}

/// Takes `domain:bus:device.function` and the forms that leave out the domain or the function: error 101 if there is no such
/// device, 1 for any other text.
pub(crate) unsafe extern "C" fn get_by_pci_bus_id(device: *mut c_int, text: *const c_char) -> cudaError_t {
    call("cudaDeviceGetByPCIBusId", |machine| {
        // SAFETY: the C contract: null, or a place for one value.
        let out = unsafe { Out::new(device) }?;
        if text.is_null() {
            return Err(code::INVALID_VALUE);
        }
        // SAFETY: the C contract: a string that ends with NUL.
        let text = unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| code::INVALID_VALUE)?;
        if !is_pci_id(text) {
            return Err(code::INVALID_VALUE);
        }
        let wanted = text.to_ascii_uppercase();
        let wanted = wanted.strip_suffix(".0").unwrap_or(&wanted);
        let is_wanted = |device: &usize| {
            let id = bus_id(machine.gpus[*device]);
            let id = id.trim_end_matches(".0");
            id == wanted || id.strip_prefix("0000:") == Some(wanted)
        };
        let found = (0..machine.config.devices).find(is_wanted).ok_or(code::INVALID_DEVICE)?;
        out.set(found as c_int);
        Ok(())
    })
}
