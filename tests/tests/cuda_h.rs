//! The types of `cuda.h` that `cuda_p2p_sys::driver` has written by hand, against the header itself: sizes, alignments, places of fields,
//! values and signatures, as a C compiler sees them. Has a `main` of its own, so that it can say that it is skipped where there is no
//! header.

use std::fmt::Write as _;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

use cuda_p2p_sys::driver::*;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let include =
        cuda_p2p_build::Toolkit::find().ok().and_then(|toolkit| toolkit.include().map(Path::to_owned));
    let header = include.filter(|folder| folder.join("cuda.h").is_file());
    let skipped = header.is_none();
    if skipped {
        println!("not compared: this machine has no cuda.h");
    }
    let trial = Trial::test("types_written_by_hand_are_those_of_the_header", move || {
        header.as_deref().map_or(Ok(()), |folder| compile(folder, &source()))
    });
    let wrong = Trial::test("a_wrong_size_does_not_compile", || {
        let text = "_Static_assert(sizeof(int) == 3, \"int\");\nint main(void) { return 0; }\n";
        compile(Path::new("."), text).err().map(drop).ok_or_else(|| "it compiled".into())
    });
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(skipped), wrong]).exit();
}

/// A C program of assertions, with what Rust says in them.
fn source() -> String {
    let mut text = String::from("#include <stddef.h>\n#include <cuda.h>\n");
    let mut claim = |c: &str, rust: usize| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "_Static_assert(({c}) == {rust}, \"{}\");", c.replace('"', ""));
    };
    macro_rules! layout {
        ($($c:literal: $rust:ty { $($c_field:literal: $field:ident),* })*) => {$(
            claim(concat!("sizeof(", $c, ")"), size_of::<$rust>());
            claim(concat!("_Alignof(", $c, ")"), align_of::<$rust>());
            $(claim(concat!("offsetof(", $c, ", ", $c_field, ")"), offset_of!($rust, $field));)*
        )*};
    }
    layout! {
        "CUmemLocation": CuMemLocation { "type": type_, "id": id }
        "CUmemAccessDesc": CuMemAccessDesc { "location": location, "flags": flags }
        "CUmemAllocationProp": CuMemAllocationProp {
            "type": type_, "requestedHandleTypes": requested_handle_types, "location": location,
            "win32HandleMetaData": win32_handle_meta_data, "allocFlags": alloc_flags
        }
        "CUdeviceptr": CuDevicePtr {}
        "CUmemGenericAllocationHandle": CuMemGenericAllocationHandle {}
        "CUresult": CuResult {}
        "CUstream": CuStream {}
    }
    let flags = offset_of!(CuMemAllocationProp, alloc_flags);
    let inside = |field: usize| flags + field;
    claim(
        "offsetof(CUmemAllocationProp, allocFlags.gpuDirectRDMACapable)",
        inside(offset_of!(CuMemAllocationPropFlags, gpu_direct_rdma_capable)),
    );
    claim(
        "offsetof(CUmemAllocationProp, allocFlags.usage)",
        inside(offset_of!(CuMemAllocationPropFlags, usage)),
    );
    for (c, rust) in [
        ("CU_MEM_ALLOCATION_TYPE_PINNED", CuMemAllocationType::PINNED.0),
        ("CU_MEM_LOCATION_TYPE_DEVICE", CuMemLocationType::DEVICE.0),
        ("CU_MEM_HANDLE_TYPE_NONE", CuMemAllocationHandleType::NONE.0),
        ("CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR", CuMemAllocationHandleType::POSIX_FILE_DESCRIPTOR.0),
        ("CU_MEM_ALLOC_GRANULARITY_MINIMUM", CuMemAllocationGranularityFlags::MINIMUM.0),
        ("CU_MEM_ALLOC_GRANULARITY_RECOMMENDED", CuMemAllocationGranularityFlags::RECOMMENDED.0),
        ("CU_MEM_ACCESS_FLAGS_PROT_NONE", CuMemAccessFlags::NONE.0),
        ("CU_MEM_ACCESS_FLAGS_PROT_READ", CuMemAccessFlags::READ.0),
        ("CU_MEM_ACCESS_FLAGS_PROT_READWRITE", CuMemAccessFlags::READ_WRITE.0),
        ("CU_POINTER_ATTRIBUTE_RANGE_START_ADDR", CuPointerAttribute::RANGE_START_ADDR.0),
        ("CU_POINTER_ATTRIBUTE_RANGE_SIZE", CuPointerAttribute::RANGE_SIZE.0),
        ("CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE", CuPointerAttribute::MEMPOOL_HANDLE.0),
        ("CUDA_SUCCESS", CuResult::SUCCESS.0),
        ("CUDA_ERROR_INVALID_VALUE", CuResult::INVALID_VALUE.0),
        ("CUDA_ERROR_NOT_FOUND", CuResult::NOT_FOUND.0),
    ] {
        claim(c, rust as usize);
    }
    // Each in the words of its Rust type.
    text.push_str(SIGNATURES);
    text
}

const SIGNATURES: &str = "
CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags) = cuMemGetAllocationGranularity;
CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long) = cuMemAddressReserve;
CUresult (*address_free)(CUdeviceptr, size_t) = cuMemAddressFree;
CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long) = cuMemCreate;
CUresult (*release)(CUmemGenericAllocationHandle) = cuMemRelease;
CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long) = cuMemMap;
CUresult (*unmap)(CUdeviceptr, size_t) = cuMemUnmap;
CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t) = cuMemSetAccess;
CUresult (*get_access)(unsigned long long *, const CUmemLocation *, CUdeviceptr) = cuMemGetAccess;
CUresult (*retain)(CUmemGenericAllocationHandle *, void *) = cuMemRetainAllocationHandle;
CUresult (*attribute)(void *, CUpointer_attribute, CUdeviceptr) = cuPointerGetAttribute;
";

fn compile(include: &Path, source: &str) -> Result<(), Failed> {
    let folder =
        std::env::temp_dir().join(format!("cuda-p2p-cuda-h-{}-{}", std::process::id(), source.len()));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("types.c");
    std::fs::write(&path, source)?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    let flags = ["-std=gnu11", "-Werror=incompatible-pointer-types", "-fsyntax-only", "-I"];
    let output = command.args(flags).arg(include).arg(&path).output();
    std::fs::remove_dir_all(&folder)?;
    let output = output?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(said.into()) }
}
