//! Everything that can go wrong, each with what to do about it.
//!
//! [`Error`] is one enum, whose texts stand at their variants, so this file is longer than others. Its variants are kept by topic, under a
//! line that names it. What a new topic needs goes into an enum of its own in a file beside `ipc`.

mod capture;
mod foreign;
mod ipc;
mod shape;
mod tensor;
mod text;

pub use capture::{CaptureError, GraphChange, GraphError};
pub use foreign::ForeignError;
pub use ipc::IpcError;
pub use shape::ShapeError;
pub use tensor::TensorError;

use crate::ffi::{LinkError, LoadError};
use crate::origin::Version;
use crate::status::CudaError;

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was not done.
///
/// Two layers: [`Error::Cuda`] carries a status code of the runtime as it came; every other variant is a mistake that
/// was caught before the runtime was asked, or an answer of the runtime that deserves a name. The variants stand by topic: the
/// runtime and the driver, topics with an enum of their own, devices, peer access, copies, pools, virtual memory, elements and
/// slices, kernels, the simulator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // --- The runtime and the driver ---
    /// A call of the runtime returned a status other than success.
    #[error(transparent)]
    Cuda(Box<CudaError>),

    /// No runtime library could be used.
    #[error(transparent)]
    Load(Box<LoadError>),

    /// The runtime that the program is linked against cannot be used.
    #[error(transparent)]
    Link(LinkError),

    /// The runtime library has no such function.
    #[error(
        "the CUDA runtime in use lacks {symbol}, which came with CUDA {}.{}; use a runtime of that release or newer",
        since.0, since.1
    )]
    MissingFunction {
        /// The C name.
        symbol: &'static str,
        /// The release that brought it, as `(major, minor)`.
        since: (u32, u32),
    },

    /// The driver is older than a call needs: a runtime that it does not carry (35), a function that it does not support
    /// (36), or one that it does not have.
    #[error(
        "{call} needs a driver of CUDA {needs} or newer, and this machine's is of CUDA {driver}; install a newer NVIDIA driver, or \
         use a CUDA runtime that is no newer than the driver"
    )]
    DriverTooOld {
        /// The function, of the runtime or the driver.
        call: &'static str,
        /// The oldest release that will do.
        needs: Version,
        /// The newest release that the driver supports.
        driver: Version,
        /// The runtime's status code, if a call of it told.
        code: Option<u32>,
    },

    /// The driver has no such function, although it is new enough for it.
    #[error(
        "the NVIDIA driver in use lacks {symbol}; install a newer driver, or use a CUDA runtime of 12.8 or newer"
    )]
    MissingDriverFunction {
        /// The C name.
        symbol: &'static str,
    },

    /// The process was forked after the runtime was opened.
    #[error(
        "CUDA was opened in process {opened}, and this is its forked child {now}: CUDA does not survive a fork; open the \
         runtime in the child only, or start the child by exec"
    )]
    Forked {
        /// The process that opened the runtime.
        opened: u32,
        /// The process that made the call.
        now: u32,
    },

    // --- Topics with an enum of their own ---
    /// A handle or an address from outside this crate that cannot be taken as it is.
    #[error(transparent)]
    Foreign(#[from] ForeignError),

    /// A box of elements that does not fit.
    #[error(transparent)]
    Shape(#[from] ShapeError),

    /// Something that does not go with a capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),

    /// A graph that cannot be used as asked.
    #[error(transparent)]
    Graph(#[from] GraphError),

    /// Memory or an event of another process, or for one, that cannot be had so.
    #[error(transparent)]
    Ipc(#[from] IpcError),

    // --- Devices, and the objects on them ---
    /// A device ordinal that does not exist.
    #[error("there is no device {ordinal}: {}", text::existing_devices(*count))]
    NoSuchDevice {
        /// The ordinal that was asked for.
        ordinal: u32,
        /// How many devices there are.
        count: u32,
    },

    /// An object of one device where one of another is needed.
    #[error(
        "{what} belongs to device {found}, and device {expected} is needed here; {}",
        text::wrong_device_advice(what)
    )]
    WrongDevice {
        /// What is on the wrong device.
        what: &'static str,
        /// The device that was needed.
        expected: u32,
        /// The device that it belongs to.
        found: u32,
    },

    /// Objects of two runtimes (the simulator and a library, say) were mixed.
    #[error("{what} belongs to another runtime; use objects that come from one Runtime only")]
    OtherRuntime {
        /// What is of another runtime.
        what: &'static str,
    },

    /// A handle from before a reset of its device.
    #[error(
        "{what} of device {device} is from before a reset of that device, which destroyed it; make a new one"
    )]
    StaleHandle {
        /// What kind of handle.
        what: &'static str,
        /// Its device.
        device: u32,
    },

    /// An event without timing was asked for a time.
    #[error("an event without timing has no time; make it by new_event() instead of new_event_untimed()")]
    EventWithoutTiming,

    // --- Peer access ---
    /// Peer access of a device to itself, or a peer operation with one device in both roles.
    #[error(
        "device {device} is accessor and owner at once: a device reaches its own memory without peer access"
    )]
    SameDevice {
        /// The device in both roles.
        device: u32,
    },

    /// The runtime says that the pair has no peer access in this direction.
    #[error(
        "device {accessor} cannot access the memory of device {owner}: the runtime says that the pair has no peer access in \
         this direction; copy by copy_peer_async, which stages through the host, or see `cuda-p2p topo` for pairs that can"
    )]
    PeerUnreachable {
        /// The device that wanted to access.
        accessor: u32,
        /// The device whose memory it is.
        owner: u32,
    },

    /// The accessor has as many peers as the hardware allows (711).
    #[error(
        "device {accessor} cannot enable access to device {owner}: it has reached its limit of peers (cudaErrorTooManyPeers, \
         711; eight on machines without NVSwitch); the pairs enabled before still work, disable one of them first"
    )]
    TooManyPeers {
        /// The device that wanted to access.
        accessor: u32,
        /// The device whose memory it is.
        owner: u32,
    },

    /// Access is not disabled while something still relies on it.
    #[error(
        "access of device {accessor} to device {owner} stays enabled: {others} other token(s) for the pair are alive; drop \
         them, and each Graph and GraphExec that relies on it (each counts as one), then disable"
    )]
    PeerAccessInUse {
        /// The device that accesses.
        accessor: u32,
        /// The device whose memory it is.
        owner: u32,
        /// How many other tokens are alive; a graph and an executable graph have one for each access that they rely on.
        others: usize,
    },

    /// A token from before a reset of one of its devices.
    #[error(
        "the token for access of device {accessor} to device {owner} is from before a reset of one of them, which disabled \
         the access; ask for a new one by enable_peer_access"
    )]
    StaleToken {
        /// The device that accessed.
        accessor: u32,
        /// The device whose memory it was.
        owner: u32,
    },

    /// The pair lacks native atomics, so read-modify-write on the peer's memory would lose updates.
    #[error(
        "device {accessor} has no native atomics on the memory of device {owner}: read-modify-write there would lose updates; \
         let the owner update its own memory, or use a pair whose p2p_attributes() say native_atomics_supported"
    )]
    NoNativeAtomics {
        /// The device that accesses.
        accessor: u32,
        /// The device whose memory it is.
        owner: u32,
    },

    // --- Copies ---
    /// A copy was to go direct, and nothing gives the one device access to the memory of the other that it would have to use.
    #[error(
        "no direct copy from device {source_device} to device {destination_device}: the device that is to do it has no access to the \
         other end; call enable_peer_access on it (for memory of a pool, enable_access_from on the pool) and keep the token, or let \
         copy_peer_async choose"
    )]
    NoDirectPath {
        /// The device that the bytes come from.
        source_device: u32,
        /// The device that they go to.
        destination_device: u32,
    },

    /// A copy was to be staged by this crate, which may not pin enough memory for it.
    #[error(
        "the staging limit of {limit} bytes leaves no room for a pipeline of pinned buffers, which takes {minimum}; raise it by \
         Runtime::set_staging_limit, or let copy_peer_async leave the copy to the driver"
    )]
    StagingOff {
        /// The limit, in bytes.
        limit: usize,
        /// The least that there is a pipeline for, in bytes.
        minimum: usize,
    },

    /// A copy by a kernel was allowed no block.
    #[error(
        "max_blocks is 0, and a copy by a kernel takes at least one block; allow one or more, or None for the fewest that reach the \
         full rate"
    )]
    NoBlocks,

    /// Source and destination differ in length.
    #[error(
        "the destination has {destination} elements and the source {source_len}; slice the longer one to the same length"
    )]
    SizeMismatch {
        /// Length of the destination, in elements.
        destination: usize,
        /// Length of the source, in elements.
        source_len: usize,
    },

    // --- Pools ---
    /// Memory of a pool that is not opened to the device that was to use it.
    #[error(
        "the pool of device {owner} that the memory comes from grants device {accessor} no access, and peer access does not cover \
         pools: call enable_access_from(&[device {accessor}]) on the MemPool first"
    )]
    PoolNotGranted {
        /// The device that wanted to access.
        accessor: u32,
        /// The device whose pool it is.
        owner: u32,
    },

    /// The grant of a pool is not taken away while a graph relies on it.
    #[error(
        "the pool of device {owner} stays opened to device {accessor}: a graph relies on that; drop the Graph and the GraphExec, then \
         disable"
    )]
    GrantInUse {
        /// The device that has access.
        accessor: u32,
        /// The device whose pool it is.
        owner: u32,
    },

    // --- Virtual memory ---
    /// Virtual memory that a device has no access to.
    #[error(
        "device {accessor} has no access to virtual memory that is mapped to device {owner}, and peer access does not cover it: call \
         enable_access_from(&[device {accessor}]) on the VirtualRange first"
    )]
    RangeNotGranted {
        /// The device that wanted to access.
        accessor: u32,
        /// The device whose memory it is.
        owner: u32,
    },

    /// A part of a range of virtual memory that a graph uses, or what was instantiated from one: it keeps the memory mapped, and the access
    /// to it.
    #[error(
        "a graph uses the memory that is mapped at bytes {start}..{end} of the range of virtual memory: drop the graph, and what was \
         instantiated from it or updated to it, first"
    )]
    RangeInUse {
        /// First byte.
        start: usize,
        /// First byte behind it.
        end: usize,
    },

    /// A part of a range of virtual memory, behind which there is no memory.
    #[error(
        "nothing is mapped at bytes {start}..{end} of the range of virtual memory: map physical memory there first"
    )]
    NotMapped {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
    },

    /// A place in the middle of a mapping, where one has to begin.
    #[error(
        "no mapping begins at byte {offset} of the range of virtual memory: the one of bytes {start}..{end} lies there; name it by \
         its first byte, {start}"
    )]
    InsideMapping {
        /// The byte.
        offset: usize,
        /// First byte of the mapping.
        start: usize,
        /// One past its last byte.
        end: usize,
    },

    /// A place in a range of virtual memory that is taken.
    #[error(
        "memory is mapped at bytes {start}..{end} of the range of virtual memory: unmap it first, or map elsewhere"
    )]
    AlreadyMapped {
        /// First byte of what is mapped.
        start: usize,
        /// One past its last byte.
        end: usize,
    },

    /// A size or a place that is no multiple of what memory is mapped in.
    #[error(
        "{what} is {bytes} bytes, and has to be a multiple of {granularity}, and not zero if it is a size"
    )]
    Granularity {
        /// What it is.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// What it has to be a multiple of.
        granularity: usize,
    },

    /// Memory of other code that the device cannot access.
    #[error("{}", text::not_accessible(*accessor, *owner))]
    NotAccessible {
        /// The device that wanted to access.
        accessor: u32,
        /// The device whose memory it is. If both are the same, not even its own kernels can access it.
        owner: u32,
    },

    // --- Elements and slices ---
    /// A range that does not lie within the slice.
    #[error("the range {start}..{end} is not within 0..{len}; give a range with start <= end <= len")]
    OutOfBounds {
        /// First element of the range.
        start: usize,
        /// One past its last element.
        end: usize,
        /// Length of what was sliced, in elements.
        len: usize,
    },

    /// A slice cannot be seen as one of another element type.
    #[error(
        "{bytes} bytes at an address that is {misalignment} past a multiple of {align} are no whole number of aligned \
         {size}-byte elements; slice at a multiple of both"
    )]
    BadCast {
        /// Length of the slice, in bytes.
        bytes: usize,
        /// The address modulo the alignment that is needed.
        misalignment: usize,
        /// Size of the element type, in bytes.
        size: usize,
        /// Alignment of the element type, in bytes.
        align: usize,
    },

    /// A length whose size in bytes does not fit the address space.
    #[error("{len} elements of {size} bytes are more than the address space holds; allocate less")]
    TooLarge {
        /// Length, in elements.
        len: usize,
        /// Size of one element, in bytes.
        size: usize,
    },

    /// The memory that the runtime gave is not aligned for the element type.
    #[error(
        "the memory that CUDA gave is {misalignment} bytes past a multiple of {align}, the alignment of the element type; use \
         an element type of smaller alignment (CUDA promises 256 bytes)"
    )]
    Misaligned {
        /// The address modulo the alignment that is needed.
        misalignment: usize,
        /// Alignment of the element type, in bytes.
        align: usize,
    },

    // --- Kernels ---
    /// A module has no machine code for GPUs.
    #[error(
        "the kernels {module:?} were built without machine code, because there was no nvcc; install the CUDA toolkit, set \
         CUDA_HOME (or NVCC) and build again"
    )]
    NoMachineCode {
        /// The module's name.
        module: &'static str,
    },

    /// A module has no host code for the simulator.
    #[error(
        "the kernels {module:?} were built without host code, so the simulator cannot run them; build with the feature `sim` \
         of cuda-p2p, and the .cu file as C++ by cuda-p2p-build"
    )]
    NoHostCode {
        /// The module's name.
        module: &'static str,
    },

    /// A module has no machine code for this device's architecture (209).
    #[error(
        "the kernels {module:?} have no machine code for this device (cudaErrorNoKernelImageForDevice, 209, while getting \
         {kernel}); add its architecture to CUDA_P2P_ARCHS (sm_90 is \"90\") and build again with nvcc"
    )]
    NoKernelImage {
        /// The module's name.
        module: &'static str,
        /// The kernel that was asked for.
        kernel: &'static str,
    },

    /// A module has no kernel of that name (500).
    #[error(
        "the kernels {module:?} have none named {kernel:?}; it must be declared `extern \"C\" __global__` \
         under exactly that name"
    )]
    UnknownKernel {
        /// The module's name.
        module: &'static str,
        /// The name that was looked for.
        kernel: &'static str,
    },

    /// A kernel was declared with another number of parameters than it was compiled with.
    #[error(
        "kernel {kernel} is declared with {declared} parameters and compiled with {compiled}; make the declaration in kernels! \
         match the .cu file"
    )]
    ParameterCount {
        /// The kernel.
        kernel: &'static str,
        /// Parameters in the Rust declaration.
        declared: usize,
        /// Parameters of the compiled kernel.
        compiled: usize,
    },

    /// A parameter was declared with another size than it was compiled with.
    #[error(
        "parameter {index} of kernel {kernel} is declared with {declared} bytes and compiled with {compiled}; make the \
         declaration in kernels! match the .cu file"
    )]
    ParameterSize {
        /// The kernel.
        kernel: &'static str,
        /// Which parameter, from 0.
        index: usize,
        /// Size in the Rust declaration, in bytes.
        declared: usize,
        /// Size in the compiled kernel, in bytes.
        compiled: usize,
    },

    /// The arguments of a launch do not meet a condition that the kernel's declaration states.
    #[error(
        "kernel {kernel} was not launched: its declaration demands `{condition}`, which these arguments do not meet"
    )]
    Precondition {
        /// The kernel.
        kernel: &'static str,
        /// The condition, as it is written in the declaration.
        condition: &'static str,
    },

    // --- The simulator ---
    /// `CUDA_P2P_SIM` or the program asks for the simulator, and it was not built in.
    #[error(
        "{asked_by} asks for simulated devices, and this program was built without them; build it with the feature `sim` of \
         cuda-p2p, or unset the variable"
    )]
    SimulatorNotBuilt {
        /// Who asks.
        asked_by: &'static str,
    },

    /// `CUDA_P2P_SIM` holds something that is no machine.
    #[error("CUDA_P2P_SIM={value:?} describes no simulated machine: {problem}")]
    SimulatorConfig {
        /// The value as it was found.
        value: String,
        /// What is wrong, naming the word.
        problem: String,
    },

    /// The simulator did not start.
    #[error("the simulator did not start: {problem}")]
    SimulatorStart {
        /// The simulator's own words.
        problem: String,
    },

    /// A driver is there, and no runtime library: simulating would hide real devices.
    #[error(
        "this machine has an NVIDIA driver, so devices are not simulated in its place, and there is no runtime library to \
         reach it; set CUDA_P2P_SIM to simulate all the same. {load}"
    )]
    DriverWithoutLibrary {
        /// Why there is no library.
        load: Box<LoadError>,
    },
}
