//! What a C++ program calls to write into a peer's memory.
//!
//! The program owns its streams, events and memory. It passes their raw handles, which are borrowed here for the length of a
//! call, by `borrow_raw` of `cuda-p2p`'s types: what is borrowed is not destroyed and not freed when the value is dropped.
//! What this library makes for itself, it gives back: when the link is closed, or when the work on it is done.
//!
//! Errors are statuses, whose text [`peer_last_error`] gives. A panic, which only a bug can cause, is a status too.

mod link;
mod status;

pub use link::{PeerLink, peer_link_close, peer_link_open, peer_link_send, peer_link_write};
pub use status::{PeerStatus, peer_last_error};
