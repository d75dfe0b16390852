//! GPU peer-to-peer access: checked enable and disable, peer copies, kernels that dereference peer pointers.
//!
//! One GPU of a machine can read, write and copy another GPU's memory directly, over NVLink or PCIe, if somebody
//! checks that the pair can, enables it in each direction, and uses it rightly. This crate is a thin safe layer over
//! the CUDA runtime that does.
//!
#![cfg_attr(feature = "sim", doc = "```")]
#![cfg_attr(not(feature = "sim"), doc = "```no_run")]
//! use cuda_p2p::{LaunchConfig, Runtime, SimulatorPolicy, builtin};
//!
//! # fn main() -> cuda_p2p::Result<()> {
//! // Real devices; where there are none, simulated ones, which say so.
//! let runtime = Runtime::builder().simulator(SimulatorPolicy::WhenNoDevice).open()?;
//! println!("{}", runtime.origin());
//! let (accessor, owner) = (runtime.device(0)?, runtime.device(1)?);
//!
//! // The proof that device 0 may use device 1's memory.
//! let access = accessor.enable_peer_access(&owner)?;
//!
//! let theirs = owner.alloc_from(&[1.0f32; 1000])?;
//! let mut ours = accessor.alloc_from(&[2.0f32; 1000])?;
//! let stream = accessor.new_stream()?;
//!
//! // A kernel on device 0 reads device 1's memory ...
//! let kernels = builtin::Kernels::load(&runtime)?;
//! kernels.add_f32(&stream, LaunchConfig::for_elements(1000), &mut ours, access.slice(&theirs)?, 1000)?;
//! assert_eq!(ours.to_vec()?, [3.0; 1000]);
//!
//! // ... and a copy engine does; the answer says which way it went.
//! println!("{}", stream.copy_peer_async(&mut ours, &theirs)?);
//! assert_eq!(ours.to_vec()?, [1.0; 1000]);
//! # Ok(())
//! # }
//! ```
//!
//! # Architecture
//! - [`Runtime`]: a table of the CUDA runtime's functions, from a library, the simulator (feature `sim`) or the
//!   program.
//! - [`Device`]: one GPU. Makes [`Stream`]s, [`Event`]s and memory, and answers questions.
//! - [`DeviceBuffer`], [`DeviceSlice`], [`DeviceSliceMut`]: a device's memory; [`PinnedBuffer`]: the host's, which it looks at by
//!   [`PinnedRead`] and [`PinnedWrite`].
//! - [`MemPool`]: stream-ordered memory, opened to each accessor by a grant.
//! - [`VirtualRange`]: addresses, behind which [`PhysicalMemory`] of several devices is mapped.
//! - [`PointerInfo`]: what an address is, and who can use it now.
//! - [`PeerAccess`]: the proof that one device, the *accessor*, may use the memory of another, the *owner*.
//!   [`PeerSlice`], [`PeerSliceMut`], [`PeerAtomicSlice`]: views of memory that it gives.
//! - Copies are functions of [`Stream`]; one between devices answers with its [`CopyPath`]. [`PitchedSlice`] and
//!   [`PitchedSliceMut`] are boxes of rows and slices, of a [`Shape`].
//! - [`Stream::capture`] records work into a [`Graph`], and a [`GraphExec`] of it runs that as a whole.
//! - [`kernels!`] declares a user's kernels, [`builtin`] has this crate's own. [`LaunchConfig`] is the shape of a
//!   launch.
//! - [`Error`]: a status code of the runtime, or a mistake that was caught before it.
//!
//! # Who validates what
//! - `cuda-p2p-sys` checks that the library is of the major that the bindings were made for.
//! - This crate checks, before the runtime is asked, what the runtime does not: that objects belong together (one
//!   runtime, the right device), that lengths agree, that handles and tokens are not stale, that a kernel is given
//!   memory which its device may touch, that nothing is freed or taken away while in use.
//! - The runtime checks all else, and its answer is the answer: every call is judged by the status that it returned,
//!   peer access is asked for each time, and what the runtime can tell is not remembered.
//! - The author of a [`kernels!`] declaration answers for what the kernels do.
//! - Code that goes around this crate, by [`Runtime::table`] or raw handles, answers for leaving alone what objects
//!   of this crate use.
//!
//! # Order between streams
//! Work in one stream is done in order. Across streams, and across devices, a read waits for the writes, and a write
//! for all the work, that other streams have on the same [`DeviceBuffer`] or [`PinnedBuffer`]. That is arranged when
//! the second stream takes the memory (an event on the one, a wait on the other, 2 microseconds), and costs next to
//! nothing on one stream. `unordered` leaves it out, in unsafe code, for kernels that talk to each other.
//!
//! Memory is kept until the work on it is done, whatever is dropped or forgotten when. Dropping never waits
//! and never panics; what it cannot do is in [`Runtime::deferred_errors`].
//!
//! # C and C++ in the same program
//! Streams, events and memory of other code can be borrowed (`borrow_raw`), or taken over (`from_raw`), and those of this crate be
//! shown (`as_raw`) or given away (`into_raw`): see [`Stream::borrow_raw`], [`DeviceBuffer::borrow_raw`] and
//! [`DeviceSliceMut::as_raw_on`], which puts foreign work in its place among this crate's. With an owner, by
//! [`DeviceBuffer::borrow_raw_with`], memory of another library is kept until the work on it is done.
//!
//! So is memory of other crates and of other languages' libraries: cudarc's, PyTorch's, whatever exports DLPack. The examples have an
//! adapter for cudarc, and tensors of PyTorch.
//!
//! A capture that other code has under way stays valid: what waits, asks, allocates or frees here is done in relaxed capture mode.
//! Only [`Device::synchronize`], and [`PeerAccess::disable`] by it, do not go with one.
//!
//! # Threads
//! Handles, memory and tokens may be sent to and shared between threads: the CUDA runtime's handles may be used from any thread,
//! and what this crate keeps beside them is locked. Slices follow the rules of `&` and `&mut`.
//!
//! # The thread's state
//! The current device, and the pending error that `cudaGetLastError` would give, are after every call what they were
//! before, whether it succeeded or not.
//!
//! # Features
//! - `bindgen` (default): bindings from this machine's CUDA headers, where there are some.
//! - `dlpack`: `DlpackTensor`, tensors of PyTorch, JAX, CuPy and others, without a copy.
//! - `sim`: simulated devices. `CUDA_P2P_SIM` asks for them, and describes them.
//! - `serde`: [`IpcMemHandle`] and [`IpcEventHandle`] by serde.
//! - `link-shared`, `link-static`: links the program against the CUDA runtime, for `Runtime::linked`; with both, the shared
//!   library. Without either it is opened when the program runs. See [`cuda_p2p_sys::linked`].
#![deny(unsafe_code)]

mod allocation;
mod bounds;
mod buffer;
mod capture;
mod copy;
mod copy_path;
mod copy_peer;
mod copy_peer_pitched;
mod copy_pitched;
mod copy_view;
mod deferred;
mod device;
#[cfg(feature = "dlpack")]
mod dlpack;
mod error;
mod event;
mod ffi;
mod foreign;
mod fork;
mod gate;
mod graph;
mod graph_contents;
mod graph_exec;
mod graveyard;
mod housekeeping;
pub mod ipc;
mod keeper;
mod kernel;
mod kernel_copy;
mod kernel_param;
mod kernel_slice;
mod kernels_macro;
mod library;
mod links;
mod open;
mod origin;
mod pair;
mod parameters;
mod peer;
mod peer_matrix;
mod peer_slice;
mod peers;
mod pinned;
mod pitched;
mod pointer;
mod pool;
mod queue;
mod runtime;
mod seam;
mod shape;
mod slice;
mod staging;
mod status;
mod stream;
mod sync;
mod twins;
mod uses;
mod uuid;
mod view;
mod virtual_memory;

pub mod builtin;
#[cfg(feature = "sim")]
pub mod sim;

pub use bytemuck;
pub use cuda_p2p_sys as sys;
pub use cuda_p2p_sys::kernel_module::KernelModule;
pub use cuda_p2p_sys::linked::{Link, LinkError};
pub use cuda_p2p_sys::loaded::LoadError;
pub use half;

pub use buffer::DeviceBuffer;
pub use capture::Capture;
pub use copy_path::{CopyPath, CopyRoute, StagedReason};
pub use deferred::DeferredError;
pub use device::{Device, MemoryInfo};
#[cfg(feature = "dlpack")]
pub use dlpack::{DlpackElement, DlpackTensor};
pub use error::{
    CaptureError, Error, ForeignError, GraphChange, GraphError, IpcError, Result, ShapeError, TensorError,
};
pub use event::Event;
pub use graph::Graph;
pub use graph_exec::GraphExec;
pub use ipc::{IpcBuffer, IpcEventHandle, IpcMemHandle, SharedBuffer, SharedEvent};
pub use kernel::{Kernel, LaunchConfig};
pub use kernel_copy::{KernelCopied, KernelCopy, KernelCopyDirection, KernelCopyOptions, KernelCopySide};
pub use kernel_param::{IntoParam, KernelParam};
pub use kernel_slice::{KernelSlice, KernelSliceMut};
pub use open::RuntimeBuilder;
pub use origin::{Origin, SimulatorPolicy, SimulatorReason, Version};
pub use pair::Disabled;
pub use peer::{DisableError, PeerAccess};
pub use peer_matrix::{PeerMatrix, PeerPair};
pub use peer_slice::{PeerAtomicSlice, PeerSlice, PeerSliceMut};
pub use peers::P2pAttributes;
pub use pinned::{PinnedBuffer, PinnedRead, PinnedWrite};
pub use pitched::{PitchedSlice, PitchedSliceMut};
pub use pointer::{AddressRange, PointerInfo, PointerKind, Residence};
pub use pool::{MemPool, MemPoolOptions, MemPoolReuse, MemPoolUsage};
pub use runtime::Runtime;
pub use shape::Shape;
pub use slice::{DeviceSlice, DeviceSliceMut};
pub use status::{CudaError, ErrorClass};
pub use stream::{Stream, StreamOptions};
#[doc(hidden)]
pub use uses::{Behind, Held, Sole};
pub use uuid::Uuid;
pub use virtual_memory::{MapError, PhysicalMemory, VirtualRange};

/// The README's lesson, compiled and run.
#[cfg(all(doctest, feature = "sim"))]
#[doc = include_str!("../../README.md")]
pub struct Readme;
