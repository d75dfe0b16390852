//! Memory and events that several processes have, each of which simulates the same machine.
//!
//! The maker's memory is a file that others open by its number under `/proc`, as it stands in the handle: so the two are of one user,
//! and see the same process numbers. What is still there, and how far an event is, stands on the maker's [board].

pub(crate) mod board;
pub(crate) mod event;
mod handle;
pub(crate) mod memory;
pub(crate) mod pool;
mod wait;
