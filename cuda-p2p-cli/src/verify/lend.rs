//! The owner's process: lends memory of one device to the accessor's, fills it and looks at it.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use cuda_p2p::sys::{cudaDeviceAttr, cudaMemAllocationHandleType};
use cuda_p2p::{Device, DeviceBuffer, MemPoolOptions, Runtime};
use serde::{Deserialize, Serialize};

use super::guarded::Side;
use super::kernels::ProofKernels;
use super::memory::{End, Memory};
use super::record::Fault;
use super::wire::{Answer, Operation, Request, receive, send};
use crate::machine::{MachineError, open};
use crate::options::MachineChoice;

/// How long the other process may take to close what it has open. It says that it has, before it asks for the memory's end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whose memory it is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LendJob {
    /// The owner.
    pub(crate) owner: u32,
    /// Whether the machine was a simulated one when it was looked at.
    pub(crate) simulated: bool,
}

/// Does what it is asked for, until the other side goes.
pub(crate) fn lend(choice: &MachineChoice, job: LendJob, socket: &UnixStream) {
    let mut lender = Lender { choice, job, opened: None, side: None };
    while let Ok(Some(request)) = receive(socket) {
        let answer = lender.answer(request).unwrap_or_else(Answer::of);
        let shares = matches!((request, &answer), (Request::Share { .. }, Answer::Done));
        // Who does not take the answer has gone.
        if send(socket, &answer).is_err() || shares && lender.send_memory(socket).is_err() {
            return;
        }
    }
}

/// Memory of a pool that other processes can open.
fn of_pool(device: &Device, length: usize) -> Result<DeviceBuffer<u8>, Fault> {
    check_exports(
        device.ordinal(),
        device.attribute(cudaDeviceAttr::cudaDevAttrMemoryPoolSupportedHandleTypes)?,
    )?;
    let options = MemPoolOptions { shareable: true, ..MemPoolOptions::default() };
    let allocate = || device.new_stream()?.alloc_zeroed_async(&device.new_mem_pool(options)?, length);
    allocate().map_err(Fault::unless_unsupported)
}

/// Whether a device with these kinds of handles, a bit each, makes pools that go to other processes by a descriptor.
fn check_exports(device: u32, kinds: i32) -> Result<(), Fault> {
    let descriptor = cudaMemAllocationHandleType::cudaMemHandleTypePosixFileDescriptor.0;
    if kinds.cast_unsigned() & descriptor != 0 {
        return Ok(());
    }
    Err(Fault::Unsupported(format!(
        "device {device} makes no pools that go to other processes by a descriptor \
         (cudaDevAttrMemoryPoolSupportedHandleTypes is {kinds})"
    )))
}

struct Lender<'a> {
    choice: &'a MachineChoice,
    job: LendJob,
    opened: Option<(Runtime, ProofKernels)>,
    side: Option<Side>,
}

impl Lender<'_> {
    fn answer(&mut self, request: Request) -> Result<Answer, Fault> {
        match request {
            Request::Share { largest, seed, pooled } => {
                self.share(largest, seed, pooled).map(|()| Answer::Done)
            }
            Request::On(operation) => self.operate(operation),
            Request::TakeBack => self.take_back().map(|()| Answer::Done),
        }
    }

    fn operate(&mut self, operation: Operation) -> Result<Answer, Fault> {
        let (Some((_, kernels)), Some(side)) = (&self.opened, &mut self.side) else {
            return Err(Fault::Failed("the owner's process has no memory that it lent".to_owned()));
        };
        Ok(match operation {
            Operation::Fill { place, pattern } => {
                side.fill(kernels, place, pattern)?;
                Answer::Done
            }
            Operation::Poison { place, expected } => Answer::Poisoned(side.poison(place, expected)?),
            Operation::Findings { place, range, expected } => {
                Answer::Found(side.findings(kernels, place, range, expected)?)
            }
            Operation::Read { start, end } => Answer::Bytes(End::read(side, start..end)?),
        })
    }

    fn share(&mut self, largest: usize, seed: u64, pooled: bool) -> Result<(), Fault> {
        let (runtime, kernels) = match &mut self.opened {
            Some(opened) => opened,
            None => {
                let runtime = open(self.choice)?;
                if runtime.is_simulated() != self.job.simulated {
                    return Err(MachineError::Changed.into());
                }
                let kernels = ProofKernels::load(&runtime)?;
                self.opened.insert((runtime, kernels))
            }
        };
        let device = runtime.device(self.job.owner)?;
        let length = Side::length(largest);
        let buffer = if pooled { of_pool(&device, length) } else { Ok(device.alloc_zeroed(length)?) }?;
        let shared = buffer.share().map_err(|error| Fault::unless_unsupported(error.into()))?;
        let mut side = Side::of(device, Memory::Shared(shared), seed)?;
        side.self_test(kernels)?;
        self.side = Some(side);
        Ok(())
    }

    fn send_memory(&self, socket: &UnixStream) -> cuda_p2p::Result<()> {
        match self.side.as_ref().map(|side| &side.memory) {
            Some(Memory::Shared(shared)) => shared.send(socket),
            _ => Ok(()),
        }
    }

    /// Frees the memory, which has to be closed over there.
    fn take_back(&mut self) -> Result<(), Fault> {
        match self.side.take().map(|side| side.memory) {
            Some(Memory::Shared(shared)) => {
                shared.wait_until_closed(PATIENCE)?;
                drop(shared.take_back().map_err(cuda_p2p::Error::from)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_exports_no_pool_is_no_failure() {
        // A descriptor, a fabric handle, and both.
        assert!(check_exports(1, 1).is_ok() && check_exports(1, 9).is_ok());
        for kinds in [0, 8] {
            let Err(Fault::Unsupported(reason)) = check_exports(1, kinds) else { panic!("{kinds}") };
            assert!(reason.contains("device 1") && reason.ends_with(&format!("is {kinds})")), "{reason}");
        }
    }
}
