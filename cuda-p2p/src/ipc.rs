//! Memory and events that several processes have.
//!
//! One process, the *maker*, allocates and keeps; others open. What travels is a descriptor: [`IpcMemHandle`], [`IpcEventHandle`].
//!
//! | | maker | other process |
//! |---|---|---|
//! | memory | [`DeviceBuffer::share`](crate::DeviceBuffer::share), [`SharedBuffer::send`] | [`LeasedMemHandle::receive`](Leased::receive), [`Device::open_ipc`](crate::Device::open_ipc) |
//! | events | [`Device::new_event_interprocess`](crate::Device::new_event_interprocess), [`Event::share`](crate::Event::share), [`SharedEvent::send`] | [`LeasedEventHandle::receive`](Leased::receive), [`Device::open_ipc_event`](crate::Device::open_ipc_event) |
//!
//! # What is promised
//! - **Not freed before it is closed.** With a descriptor that was *sent* goes a lease: an end of a socket that the other process keeps
//!   until it has closed the memory, and that the system closes if the process ends in whatever way. The maker's [`SharedBuffer`]
//!   gives the memory back only when all leases are; dropped before, it leaves the memory allocated until the process ends, and says so
//!   among [`Runtime::deferred_errors`](crate::Runtime::deferred_errors). A descriptor that is carried otherwise has no lease: then that
//!   promise is the program's own, and so is that the maker does not *end* before: no lease can keep a process alive.
//! - **Not closed before work is done.** [`IpcBuffer`] is closed like other memory is freed: after the work that this process has put into
//!   streams with it.
//! - **Not promised: the order between the two processes.** Neither sees what the other puts into its streams. So to open is `unsafe`: the program orders the
//!   work, by events that both have, or by waiting and sending word.
//!
//! # Which device
//! Memory that was opened counts as memory of the device that opened it, as CUDA has it: kernels of that device take it as a
//! [`DeviceSlice`](crate::DeviceSlice) or, if another GPU owns it, as a [`PeerSlice`](crate::PeerSlice), without enabled peer access; no other device
//! reaches it, with or without. Measured on two H200 (driver 580): a GPU that the process does not see
//! (`CUDA_VISIBLE_DEVICES`) can be opened too, if [`even_if_hidden`](IpcMemHandle::even_if_hidden) asks for that.

mod buffer;
mod descriptor;
mod encoding;
mod event;
mod lease;
mod open;
mod shared;
mod socket;
#[cfg(feature = "serde")]
mod with_serde;

pub use buffer::IpcBuffer;
pub use descriptor::{IpcEventHandle, IpcMemHandle};
pub use event::SharedEvent;
pub use lease::{Leased, LeasedEventHandle, LeasedMemHandle};
pub use open::IpcSource;
pub use shared::{ShareError, SharedBuffer, TakeBackError};
