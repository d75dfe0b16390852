//! Memory of another process, which it fills and checks, and which the accessor opens.
//!
//! # Safety
//! The two processes take turns: the other one answers when its work on the memory is done, and is asked only when this one's is.
#![allow(unsafe_code, reason = "opens another process's memory; see the paragraph on safety above")]

use std::io::ErrorKind;
use std::ops::Range as Bytes;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use cuda_p2p::ipc::LeasedMemHandle;
use cuda_p2p::{
    Device, DeviceSlice, DeviceSliceMut, IpcBuffer, KernelSlice, KernelSliceMut, PeerAccess, Result,
};

use super::diagnosis::{Earlier, Poison};
use super::guarded::Place;
use super::kernels::ProofKernels;
use super::lend::LendJob;
use super::memory::{End, Held, Launch, Owner, part};
use super::pattern::Pattern;
use super::record::Fault;
use super::report::{Finding, Range};
use super::wire::{Answer, Operation, Request, receive, send};
use crate::options::MachineChoice;
use crate::worker::{Work, command_for};

/// How long the owner's process may take to go when it is not needed any more.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether it has.
const POLL: Duration = Duration::from_millis(2);

/// The owner's process.
pub(super) struct Partner {
    process: Child,
    socket: Option<UnixStream>,
}

impl Partner {
    /// Starts it. It ends with this one, whatever becomes of this one.
    pub(super) fn start(machine: &MachineChoice, job: LendJob) -> std::result::Result<Self, Fault> {
        command_for(machine, &Work::Lend(job)).and_then(Self::of).map_err(|error| {
            Fault::Failed(format!("cannot start the process that lends the owner's memory ({error})"))
        })
    }

    /// That of a command, which gets its end of the socket as standard input.
    pub(super) fn of(mut command: Command) -> std::io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let process = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        Ok(Self { process, socket: Some(ours) })
    }

    /// Lets it do something, and waits for that.
    fn ask(&mut self, request: Request) -> std::result::Result<Answer, Fault> {
        let Some(socket) = &self.socket else { return Err(self.has_gone()) };
        match send(socket, &request).and_then(|()| receive(socket)) {
            Ok(Some(Answer::Failed(text))) => Err(Fault::Failed(format!("the owner's process: {text}"))),
            Ok(Some(Answer::Unsupported(text))) => Err(Fault::Unsupported(text)),
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.has_gone()),
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => {
                Err(self.has_gone())
            }
            Err(error) => Err(Fault::Failed(format!("cannot speak to the owner's process ({error})"))),
        }
    }

    /// As `ask`, and refuses an answer to something else.
    fn expect<T>(
        &mut self,
        request: Request,
        take: impl FnOnce(Answer) -> Option<T>,
    ) -> std::result::Result<T, Fault> {
        let nonsense = || Fault::Failed("the owner's process answered what was not asked".to_owned());
        take(self.ask(request)?).ok_or_else(nonsense)
    }

    fn has_gone(&mut self) -> Fault {
        self.socket = None;
        let how = match self.end() {
            Some(status) => format!("{status}"),
            None => "it does not go".to_owned(),
        };
        Fault::Failed(format!("the process that lends the owner's memory ended too early ({how})"))
    }

    /// Waits for its end; kills it if that takes long.
    fn end(&mut self) -> Option<ExitStatus> {
        // Without a socket it ends by itself.
        self.socket = None;
        self.wait().or_else(|| {
            // It may have gone by now.
            let (Ok(()) | Err(_)) = self.process.kill();
            self.wait()
        })
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(None) if started.elapsed() < PATIENCE => std::thread::sleep(POLL),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.end();
    }
}

/// Memory that the partner lends, open for the accessor.
pub(super) struct Borrowed<'a> {
    partner: &'a mut Partner,
    memory: IpcBuffer<u8>,
    held: Held,
}

impl<'a> Borrowed<'a> {
    /// Lets the partner allocate, of a pool if `pooled`, and send, and opens what it sends.
    pub(super) fn open(
        partner: &'a mut Partner,
        accessor: &Device,
        (largest, seed): (usize, u64),
        pooled: bool,
    ) -> std::result::Result<Self, Fault> {
        partner.expect(Request::Share { largest, seed, pooled }, done)?;
        let Some(socket) = &partner.socket else { return Err(partner.has_gone()) };
        let leased = LeasedMemHandle::receive(socket)?;
        // SAFETY: the lease keeps the memory in a process that lives as long as its socket, which this value borrows; all of it is
        // zeroed; the two take turns.
        let memory = unsafe { accessor.open_ipc(leased) }.map_err(Fault::unless_unsupported)?;
        let owner = memory.owner().unwrap_or(*accessor);
        Ok(Self { partner, memory, held: Held::new(&owner, seed) })
    }

    /// Closes the memory, and lets the partner free it.
    pub(super) fn close(self) -> std::result::Result<(), Fault> {
        self.memory.close()?;
        self.partner.expect(Request::TakeBack, done)
    }

    fn operate<T>(
        &mut self,
        operation: Operation,
        take: impl FnOnce(Answer) -> Option<T>,
    ) -> std::result::Result<T, Fault> {
        self.partner.expect(Request::On(operation), take)
    }
}

/// Takes the answer that says no more than that it is done.
fn done(answer: Answer) -> Option<()> {
    matches!(answer, Answer::Done).then_some(())
}

impl End for Borrowed<'_> {
    fn fill(
        &mut self,
        _kernels: &ProofKernels,
        place: Place,
        pattern: Pattern,
    ) -> std::result::Result<(), Fault> {
        self.held.hold(place, pattern);
        self.operate(Operation::Fill { place, pattern }, done)
    }

    fn poison(&mut self, place: Place, expected: Pattern) -> std::result::Result<Poison, Fault> {
        self.operate(Operation::Poison { place, expected }, |answer| match answer {
            Answer::Poisoned(poison) => Some(poison),
            _ => None,
        })
    }

    fn hold(&mut self, place: Place, pattern: Pattern) {
        self.held.hold(place, pattern);
    }

    fn held(&self, place: Place) -> Vec<Earlier> {
        self.held.at(place)
    }

    fn findings(
        &mut self,
        _kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> std::result::Result<Vec<Finding>, Fault> {
        self.operate(Operation::Findings { place, range, expected }, |answer| match answer {
            Answer::Found(findings) => Some(findings),
            _ => None,
        })
    }

    fn read(&mut self, bytes: Bytes<usize>) -> std::result::Result<Vec<u8>, Fault> {
        let Bytes { start, end } = bytes;
        self.operate(Operation::Read { start, end }, |answer| match answer {
            Answer::Bytes(bytes) if bytes.len() == end - start => Some(bytes),
            _ => None,
        })
    }
}

impl Owner for Borrowed<'_> {
    fn for_engine(&self, _accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSlice<'_, u8>> {
        self.memory.as_slice().slice(bytes)
    }

    fn for_engine_mut(&mut self, _accessor: &Device, bytes: Bytes<usize>) -> Result<DeviceSliceMut<'_, u8>> {
        part(self.memory.as_slice_mut(), bytes)
    }

    fn for_kernel<'a>(
        &'a self,
        _accessor: &Device,
        _access: Option<&'a PeerAccess>,
        bytes: Bytes<usize>,
    ) -> Result<KernelSlice<'a, u8>> {
        Ok(KernelSlice::Peer(self.memory.peer_slice()?.slice(bytes)?))
    }

    fn for_kernel_mut(
        &mut self,
        _accessor: &Device,
        _access: Option<&PeerAccess>,
        bytes: Bytes<usize>,
        launch: Launch<'_>,
    ) -> Result<()> {
        launch(KernelSliceMut::Peer(self.memory.peer_slice_mut()?.slice_mut(bytes)?))
    }
}
