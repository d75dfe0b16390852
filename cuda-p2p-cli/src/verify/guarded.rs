//! One device's half of the proof: a buffer between canaries, and the device's own means to fill and to check it.
//!
//! Everything here goes through the device's own stream, engines and kernels, never through the peer.

use std::ops::Range as Bytes;

use cuda_p2p::builtin::CheckResult;
use cuda_p2p::{Device, DeviceBuffer, Result, Stream};

use super::cases::ALIGNMENT;
use super::kernels::ProofKernels;
use super::pattern::Pattern;
use super::report::{Finding, Range};

/// Buffers up to this size, in bytes, are also checked by the host, byte by byte.
const CHECKED_BY_HOST: usize = 64 << 10;

/// Room for every misalignment of a case, in bytes.
const SLACK: usize = 16;

/// One device's half of the proof.
pub(super) struct Side {
    pub(super) device: Device,
    pub(super) stream: Stream,
    pub(super) buffer: DeviceBuffer<u8>,
    /// Where the kernel `check` leaves what it found.
    found: DeviceBuffer<CheckResult>,
    seed: u64,
}

/// Where the data of a case lies in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    offset: usize,
    bytes: usize,
}

impl Place {
    /// `bytes` bytes, `offset` bytes past an aligned address.
    pub(super) fn new(offset: usize, bytes: usize) -> Self {
        Self { offset, bytes }
    }

    /// The data's range in the buffer.
    pub(super) fn data(self) -> Bytes<usize> {
        let start = ALIGNMENT + self.offset;
        start..start + self.bytes
    }

    /// The canaries around it.
    fn canaries(self) -> [(Range, Bytes<usize>); 2] {
        let Bytes { start, end } = self.data();
        [(Range::CanaryBefore, 0..start), (Range::CanaryAfter, end..end + ALIGNMENT)]
    }
}

impl Side {
    /// Allocates for data of up to `largest` bytes.
    pub(super) fn new(device: Device, largest: usize, seed: u64) -> Result<Self> {
        let length = largest.saturating_add(2 * ALIGNMENT + SLACK);
        let buffer = device.alloc_zeroed::<u8>(length)?;
        let found = device.alloc_from(&[CheckResult::CLEAN])?;
        Ok(Self { stream: device.new_stream()?, device, buffer, found, seed })
    }

    /// Writes the pattern by a kernel, and canaries around it.
    pub(super) fn fill(&mut self, kernels: &ProofKernels, place: Place, pattern: Pattern) -> Result<()> {
        self.write_canaries(place)?;
        kernels.fill(&self.stream, self.buffer.slice_mut(place.data())?, pattern)?;
        self.stream.synchronize()
    }

    /// Writes bytes that `expected` does not have, and canaries around them.
    pub(super) fn poison(&mut self, place: Place, expected: Pattern) -> Result<()> {
        self.write_canaries(place)?;
        let data = self.buffer.slice_mut(place.data())?;
        if place.bytes <= CHECKED_BY_HOST {
            // Each byte differs from what is to arrive, so that not one can be missing unseen.
            let poison: Vec<u8> = expected.bytes(place.bytes).iter().map(|byte| !byte).collect();
            self.stream.copy_from_host(data, &poison)?;
        } else {
            self.stream.fill_bytes_async(data, !expected.byte(0))?;
        }
        self.stream.synchronize()
    }

    /// Compares data and canaries with what they should be; `range` says what the data is called.
    pub(super) fn findings(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        findings.extend(self.data_finding(kernels, place, range, expected)?);
        for (range, bytes) in place.canaries() {
            findings.extend(self.host_finding(bytes, range, self.canary(range))?);
        }
        Ok(findings)
    }

    fn data_finding(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Option<Finding>> {
        self.stream.copy_from_host(&mut self.found, &[CheckResult::CLEAN])?;
        kernels.check(&self.stream, self.buffer.slice(place.data())?, expected, &mut self.found)?;
        let mut found = [CheckResult::CLEAN];
        self.stream.copy_to_host(&self.found, &mut found)?;
        let [CheckResult { mismatches: wrong, first }] = found;
        if wrong == 0 {
            // What the kernel's caches show and what lies in memory must agree.
            return match place.bytes <= CHECKED_BY_HOST {
                true => self.host_finding(place.data(), range, expected),
                false => Ok(None),
            };
        }
        let at = place.data().start + usize::try_from(first).unwrap_or(0);
        let mut got = [0];
        self.stream.copy_to_host(self.buffer.slice(at..at + 1)?, &mut got)?;
        Ok(Some(Finding {
            device: self.device.ordinal(),
            range,
            bytes: place.bytes as u64,
            wrong,
            first,
            expected: expected.byte(first),
            got: got[0],
        }))
    }

    fn host_finding(&self, bytes: Bytes<usize>, range: Range, expected: Pattern) -> Result<Option<Finding>> {
        let mut got = vec![0; bytes.len()];
        self.stream.copy_to_host(self.buffer.slice(bytes)?, &mut got)?;
        Ok(compare(self.device.ordinal(), range, expected, &got))
    }

    fn write_canaries(&mut self, place: Place) -> Result<()> {
        for (range, bytes) in place.canaries() {
            let canary = self.canary(range).bytes(bytes.len());
            self.stream.copy_from_host(self.buffer.slice_mut(bytes)?, &canary)?;
        }
        Ok(())
    }

    fn canary(&self, range: Range) -> Pattern {
        Pattern::derived(self.seed, &[u64::from(self.device.ordinal()), range as u64])
    }
}

/// What is wrong with `got`, if anything.
fn compare(device: u32, range: Range, expected: Pattern, got: &[u8]) -> Option<Finding> {
    let mut wrong = (0_u64..).zip(got).filter(|(offset, byte)| expected.byte(*offset) != **byte);
    let (first, byte) = wrong.next()?;
    Some(Finding {
        device,
        range,
        bytes: got.len() as u64,
        wrong: 1 + wrong.count() as u64,
        first,
        expected: expected.byte(first),
        got: *byte,
    })
}

#[cfg(test)]
#[path = "guarded_tests.rs"]
mod tests;
