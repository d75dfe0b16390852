//! A simulated CUDA runtime: several devices, no GPU.
//!
//! [`start`] gives a [`CudaRuntime`](cuda_p2p_sys::CudaRuntime) table whose functions act on one simulated machine. Kernels are
//! the same `.cu` files, compiled as C++ by `cuda-p2p-build`; they run for real, and each of their accesses is checked
//! against what their device may touch. The machine is described by [`MachineConfig`], in code or by the environment
//! variable `CUDA_P2P_SIM`. It is never chosen silently: a program asks for it.
//!
//! ```
//! use cuda_p2p_sim::{MachineConfig, start};
//!
//! let runtime = start(MachineConfig::pair())?;
//! let mut can = 0;
//! // SAFETY: `can` takes one int.
//! let status = unsafe { runtime.cudaDeviceCanAccessPeer.expect("present")(&mut can, 0, 1) };
//! assert_eq!((status.0, can), (0, 1));
//! # Ok::<(), cuda_p2p_sim::StartError>(())
//! ```
//!
//! # What is supported
//! - Devices: count, current device of each thread, attributes, properties, PCI ids, limits, flags, reset, synchronisation.
//! - Peers: asked, enabled in one direction, disabled; asymmetric pairs; the limit on enabled peers (711).
//! - Device memory: allocated, freed, measured, filled; rows and slices; copies of every kind and shape, peer copies too. Pinned
//!   and registered host memory. Pointers told apart.
//! - Streams: legacy, blocking, non-blocking, with priorities that are kept; events; waits across devices; host functions.
//!   Work is done on a thread of each device, so calls return before it is done where they do so on hardware.
//! - Pools: the default ones and others, with a limit or without, grants, stream-ordered allocation, and their export to other processes.
//! - Virtual memory: ranges of addresses, physical memory of the devices, mapped there and taken out, with rights for each device.
//! - Capture in all modes, and the graphs that it makes: instantiated, launched, updated, looked at. A graph's copy takes the way
//!   that was open when it was instantiated, and ends in error 719 if that is closed.
//! - Libraries of host modules, kernels, launches, kernel attributes and parameters; a fatbin loads, as lazily as garbage
//!   does on hardware, and has no kernel for a simulated device (209).
//! - The driver functions of [`cuda_p2p_sys::driver`], by `cudaGetDriverEntryPointByVersion`. Those for parameters, and
//!   for work in a null stream, need a context: error 201 on a thread that has made no call of the runtime which makes one current.
//! - Memory and events of other processes, by IPC handles: between processes of one user that see each other's numbers, each of which
//!   simulates the same machine. [`MachineConfig::visible`] is their `CUDA_VISIBLE_DEVICES`.
//! - Releases of the runtime from CUDA 12.0 on, where recordings of them differ: see [`MachineConfig::runtime`].
//! - Last errors, which "not ready" (600) never becomes; stale handles.
//! - Faults: 700 for an access that is not allowed, 716 for a misaligned one, 710 for a failed assertion, 719 for a trap. From then on
//!   every call that needs a device answers with that code, in all threads and for all devices, and after `cudaDeviceReset` with 46.
//! - Defects, so that programs can be tested against machines that lie or break: lost writes, private mirrors, flipped bits,
//!   transfers that hang, calls that fail, devices that are reset or lost. See [`Defect`].
//!
//! # What is rejected
//! With the code that the real runtime gives where a device or driver lacks the ability:
//! - 801: managed memory, its advice and prefetching; CUDA arrays; pools of host memory; physical memory
//!   of the host, rights to read alone, and what an address is beyond its kind, its device, its allocation and its pool; the per-thread default stream;
//!   attributes of streams; cooperative and cluster launches; library globals, and files that are there; batches of copies;
//!   graphs built node by node, or edited, and what they say of themselves beyond the number and the types of their nodes;
//!   user objects; allocations and event nodes inside a capture; asynchronous notifications;
//!   `cudaChooseDevice` and `cudaSetValidDevices`. Every bound function is there: one that is not modelled answers so.
//! - 400: handles that were destroyed, or were the handles of a device before its reset, or of another machine.
//! - 3: every call before any machine is started, and in a process that was forked from the one that started it, but for
//!   `cudaGetDeviceCount` and `cudaRuntimeGetVersion`, which the forked one still answers.
//! - 800: calls from inside a host function.
//!
//! # Divergence from hardware
//! - Accesses are checked to the byte, and freed memory is not used again while there is other: what a GPU lets pass by luck is
//!   error 700 here, and the address just behind an allocation is nobody's. A stale handle, which may crash a real process, is
//!   error 400, and a missing place error 1.
//! - Memory of a device is memory of this process: host code that dereferences such a pointer reads and writes it, where a real
//!   process crashes. Nothing here notices.
//! - A kernel's copy of a whole struct (that is no vector type) at an address which is no multiple of the struct's alignment works;
//!   on a GPU it is error 716. So does a misaligned access to a variable of the thread's own.
//! - A fault is told as soon as it happens, so a query right behind the launch may see it.
//! - An argument that is wrong in two ways gets one of the two codes; where hardware was not asked, it may be the other.
//! - Virtual memory is mapped inside its range alone, where hardware lets a mapping reach beyond the end; and a copy from addresses
//!   where nothing is mapped is error 1, where hardware's library ends the process.
//! - `cudaFree` waits for the owner's device alone. What another device still does with the memory faults.
//! - Times and bandwidths mean nothing; only their order does.
//! - Memory of a pool is there from the call on, so a use that is not ordered behind its allocation is not noticed. What a
//!   pool keeps in reserve is counted, and others can have it all the same.
//! - Registers, caches, occupancy and the number of multiprocessors are those of no real device.
//! - Memory that its maker has freed faults in the other processes that have it open, and reads as zeros there; on hardware they have it
//!   until they close it. Nor does an event open that its maker has destroyed, or anything whose maker has ended.
//! - A stream that is told to wait for another device's interprocess event gets error 400; hardware's library ends the process.
//! - Each process has its own schedule, its own faults, and its own count of the memory that is free: an adversarial schedule does not
//!   hold up what another process waits for, and a fault poisons one process. What memory of another process costs
//!   the limit of peers, and what is answered where the two GPUs are no peers (217), hardware was not asked.
//! - A [`Defect`] of a link touches what crosses it in the process that touches the memory: each process counts its own writes, and has
//!   its own private mirrors. Of a store whose bit flips, another process may see the right bytes for a moment.
//! - A copy through the host and a direct one take the same way, but that no [`Defect`] of a link touches the former, other than the
//!   part of it between memory of another process and the device that opened it.
//!
//! # Determinism
//! Without a seed, operations that are ready start on each device in the order in which they were submitted, copies one after
//! the other, kernels side by side. With [`MachineConfig::seed`] the schedule is adversarial: streams have random
//! priorities that change at random points, one operation of the whole machine moves at a time, copies are interrupted
//! half-way, and nothing moves but when a call lets it: each grants a random number of turns, often none, and one that waits
//! as many as it needs. Any order that streams and events allow can occur, so a wait that is missing shows as a stale or a
//! half-written value under some seed. The choices depend on the seed and on the program's calls alone: a program of one
//! thread that waits by CUDA calls meets the same schedule each time, as long as its kernels do not wait for each other.
//! A program that waits on memory instead goes on after 20 ms. The seed is part of every fault's text.

mod call;
mod capture;
mod config;
mod context;
mod copy;
mod device;
mod driver;
mod engine;
mod error;
mod event;
// Public for this crate's own tests alone: no part of its interface.
#[doc(hidden)]
pub mod exec;
mod fault;
mod graph;
mod graph_update;
mod handle;
mod host;
mod image;
mod ipc;
mod kernel;
mod launch;
mod library;
mod link;
mod machine;
mod memcpy;
mod memcpy3d;
mod memory;
mod peer;
mod poison;
mod pool;
mod properties;
mod queue;
mod refused;
mod release;
mod rng;
mod script;
// Public for this crate's own tests alone: no part of its interface.
#[doc(hidden)]
pub mod space;
mod start;
mod stream;
mod table;
mod virtual_memory;
mod worker;

pub use config::{
    ConfigError, Defect, ENVIRONMENT_VARIABLE, MAX_DEVICES, MachineConfig, Means, PeerLink, Peers,
};
pub use fault::Fault;
pub use start::{Counters, StartError, counters, last_fault, restart, running, start};
