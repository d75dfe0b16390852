//! Leases: how a maker learns that another process has closed what it opened, or has ended.

use std::fmt;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::descriptor::{IpcEventHandle, IpcMemHandle};
use super::socket;
use crate::error::{IpcError, Result};

/// Between two looks at the leases while waiting.
const LOOK: Duration = Duration::from_millis(1);

/// A descriptor that was sent by its maker, and the duty to say when it is closed: whoever opens it does so by dropping what was
/// opened. Dropped unopened, it says so at once.
pub struct Leased<H> {
    pub(super) handle: H,
    pub(super) lease: OwnedFd,
    /// The pool, of memory of one.
    pub(super) pool: Option<OwnedFd>,
}

/// Memory of another process, sent by [`SharedBuffer::send`](super::SharedBuffer::send).
pub type LeasedMemHandle = Leased<IpcMemHandle>;
/// An event of another process, sent by [`SharedEvent::send`](super::SharedEvent::send).
pub type LeasedEventHandle = Leased<IpcEventHandle>;

impl<H> Leased<H> {
    /// The descriptor.
    pub fn handle(&self) -> &H {
        &self.handle
    }
}

impl Leased<IpcMemHandle> {
    /// Receives what the maker sends over the other end of `socket`. Waits for it, as long as the socket's read timeout lets it.
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc) with [`IpcError::Socket`] if the other side is gone, is late, or sends something else; with
    /// [`IpcError::Descriptor`] if it sends an event.
    pub fn receive(socket: &UnixStream) -> Result<Self> {
        let (bytes, lease, pool) = socket::receive(socket)?;
        Ok(Self { handle: IpcMemHandle::from_bytes(&bytes)?, lease, pool })
    }
}

impl Leased<IpcEventHandle> {
    /// As for memory.
    ///
    /// # Errors
    /// [`Error::Ipc`](crate::Error::Ipc), as for memory.
    pub fn receive(socket: &UnixStream) -> Result<Self> {
        let (bytes, lease, pool) = socket::receive(socket)?;
        Ok(Self { handle: IpcEventHandle::from_bytes(&bytes)?, lease, pool })
    }
}

impl<H: fmt::Debug> fmt::Debug for Leased<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Leased").field(&self.handle).finish()
    }
}

/// The maker's side: who may have it open.
#[derive(Debug, Default)]
pub(super) struct Leases {
    /// Each reads its end when the other process has closed its own.
    open: Mutex<Vec<UnixStream>>,
    /// Whether a descriptor is about of which nobody learns when it is closed.
    given_out: AtomicBool,
}

impl Leases {
    /// Sends a descriptor, of memory of a pool with that, and notes its lease.
    pub(super) fn send(
        &self,
        socket: &UnixStream,
        descriptor: &[u8],
        pool: Option<BorrowedFd<'_>>,
    ) -> Result<()> {
        let failed =
            |error: std::io::Error| IpcError::Socket { what: "sending to", problem: error.to_string() };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        // Noted first: what was sent in part may have arrived.
        self.lock().push(ours);
        let along: Vec<BorrowedFd<'_>> = [theirs.as_fd()].into_iter().chain(pool).collect();
        socket::send(socket, descriptor, &along)
    }

    pub(super) fn give_out(&self) {
        self.given_out.store(true, Ordering::SeqCst);
    }

    /// How many are open now.
    pub(super) fn count(&self) -> usize {
        let mut open = self.lock();
        open.retain(is_open);
        open.len()
    }

    /// Refuses while anybody may have it open.
    pub(super) fn check(&self) -> Result<()> {
        match self.count() {
            0 if self.given_out.load(Ordering::SeqCst) => Err(IpcError::HandleGivenOut.into()),
            0 => Ok(()),
            count => Err(IpcError::StillOpen { count }.into()),
        }
    }

    pub(super) fn wait(&self, timeout: Duration) -> Result<()> {
        let start = Instant::now();
        loop {
            let outcome = self.check();
            match &outcome {
                Err(crate::Error::Ipc(IpcError::StillOpen { .. })) if start.elapsed() < timeout => {
                    std::thread::sleep(LOOK);
                }
                _ => return outcome,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnixStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the other end is open. Nothing is ever written to it.
fn is_open(mut lease: &UnixStream) -> bool {
    match lease.read(&mut [0]) {
        Ok(0) => false,
        Ok(_) => true,
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}
