//! One device's half of the proof: a buffer between canaries, and the device's own means to fill and to check it.
//!
//! Everything here goes through the device's own stream, engines and kernels, never through the peer.

use std::ops::Range as Bytes;

use cuda_p2p::builtin::CheckResult;
use cuda_p2p::{Device, DeviceBuffer, Result, Stream};
use serde::{Deserialize, Serialize};

use super::cases::ALIGNMENT;
use super::diagnosis::Poison;
use super::kernels::ProofKernels;
use super::memory::{Held, Memory, canary};
use super::pattern::Pattern;
use super::record::Fault;
use super::report::{Finding, Range};
use super::sample;

/// Bytes of the self-test: more than a launch's threads look at once.
const SELF_TEST: usize = 4097;

/// Room for every misalignment of a case, in bytes.
const SLACK: usize = 16;

/// One device's half of the proof.
pub(super) struct Side {
    pub(super) device: Device,
    pub(super) stream: Stream,
    pub(super) memory: Memory,
    /// Where the kernel `check` leaves what it found.
    found: DeviceBuffer<CheckResult>,
    /// How many checks there were.
    checks: u64,
    seed: u64,
    pub(super) held: Held,
}

/// What the kernel `check` found.
struct Found {
    wrong: u64,
    first: u64,
}

/// Where the data of a case lies in the buffer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
    /// Bytes of memory that a side needs for data of up to `largest` bytes.
    pub(super) fn length(largest: usize) -> usize {
        largest.max(SELF_TEST).saturating_add(2 * ALIGNMENT + SLACK)
    }

    /// Allocates for data of up to `largest` bytes.
    pub(super) fn new(device: Device, largest: usize, seed: u64) -> Result<Self> {
        let buffer = device.alloc_zeroed::<u8>(Self::length(largest))?;
        Self::of(device, Memory::Buffer(buffer), seed)
    }

    /// Of memory of the device that has the [length](Self::length).
    pub(super) fn of(device: Device, memory: Memory, seed: u64) -> Result<Self> {
        let found = device.alloc_from(&[CheckResult::CLEAN])?;
        Ok(Self {
            stream: device.new_stream()?,
            device,
            memory,
            found,
            checks: 0,
            seed,
            held: Held::new(&device, seed),
        })
    }

    /// Writes the pattern by a kernel, and canaries around it.
    pub(super) fn fill(&mut self, kernels: &ProofKernels, place: Place, pattern: Pattern) -> Result<()> {
        self.write_canaries(place)?;
        kernels.fill(&self.stream, self.memory.slice_mut(&self.device, place.data())?, pattern)?;
        self.held.hold(place, pattern);
        self.stream.synchronize()
    }

    /// Writes bytes that `expected` does not have, and canaries around them. Gives what it wrote.
    pub(super) fn poison(&mut self, place: Place, expected: Pattern) -> Result<Poison> {
        self.write_canaries(place)?;
        let data = self.memory.slice_mut(&self.device, place.data())?;
        let value = !expected.byte(0);
        let poison = if place.bytes <= sample::WHOLE {
            // Each byte differs from what is to arrive, so that not one can be missing unseen.
            let poison: Vec<u8> = expected.bytes(place.bytes).iter().map(|byte| !byte).collect();
            self.stream.copy_from_host(data, &poison)?;
            Poison::Complement
        } else {
            self.stream.fill_bytes_async(data, value)?;
            Poison::Value(value)
        };
        self.stream.synchronize()?;
        Ok(poison)
    }

    /// Shows that this side can tell right bytes from wrong ones: if its check finds nothing wrong later on, that means something.
    ///
    /// # Errors
    /// It cannot, or a call failed.
    pub(super) fn self_test(&mut self, kernels: &ProofKernels) -> Result<(), Fault> {
        let place = Place::new(3, SELF_TEST);
        let [right, wrong] = [0, 1].map(|which| {
            Pattern::derived(self.seed, &[u64::from(self.device.ordinal()), SELF_TEST as u64, which])
        });
        self.fill(kernels, place, right)?;
        let due = compare(self.device.ordinal(), Range::Destination, wrong, 0, &right.bytes(SELF_TEST));
        for (pattern, due) in [(right, None), (wrong, due)] {
            let found = self.data_finding(kernels, place, Range::Destination, pattern)?;
            if found != due {
                return Err(Fault::Failed(format!(
                    "the kernels of device {} cannot tell right bytes from wrong ones in its own memory: of {SELF_TEST} \
                     bytes {} should differ, and {} did",
                    self.device.ordinal(),
                    due.map_or(0, |due| due.wrong),
                    found.map_or(0, |found| found.wrong),
                )));
            }
        }
        Ok(())
    }

    /// Compares data and canaries with what they should be; `range` says what the data is called.
    ///
    /// # Errors
    /// A call failed, or the check did not take place.
    pub(super) fn findings(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Vec<Finding>, Fault> {
        let mut findings = Vec::new();
        findings.extend(self.data_finding(kernels, place, range, expected)?);
        for (range, bytes) in place.canaries() {
            let got = self.read(bytes)?;
            findings.extend(compare(self.device.ordinal(), range, self.canary(range), 0, &got));
        }
        Ok(findings)
    }

    fn data_finding(
        &mut self,
        kernels: &ProofKernels,
        place: Place,
        range: Range,
        expected: Pattern,
    ) -> Result<Option<Finding>, Fault> {
        let Found { wrong, first } = self.check(kernels, place, expected)?;
        if wrong == 0 {
            // What the kernel's caches show and what lies in memory must agree.
            return Ok(self.sampled_finding(place, range, expected)?);
        }
        let at = place.data().start + usize::try_from(first).unwrap_or(0);
        let got = self.read(at..at + 1)?;
        Ok(Some(Finding {
            device: self.device.ordinal(),
            range,
            bytes: place.bytes as u64,
            wrong,
            first,
            expected: expected.byte(first),
            got: got[0],
            kind: None,
        }))
    }

    /// Lets the kernel look at all of the data, and believes it only if it says that it did.
    fn check(&mut self, kernels: &ProofKernels, place: Place, expected: Pattern) -> Result<Found, Fault> {
        let ordinal = u64::from(self.device.ordinal());
        // Numbers that no check leaves behind and no other check begins with: the kernel has to add to these.
        let [mismatches, compared] =
            [0, 1].map(|which| Pattern::derived(self.seed, &[ordinal, self.checks, which, 0]).seed);
        self.checks += 1;
        self.stream
            .copy_from_host(&mut self.found, &[CheckResult { mismatches, compared, ..CheckResult::CLEAN }])?;
        kernels.check(
            &self.stream,
            self.memory.slice(&self.device, place.data())?,
            expected,
            &mut self.found,
        )?;
        let mut found = [CheckResult { mismatches: 0, first: 0, compared: 0 }];
        self.stream.copy_to_host(&self.found, &mut found)?;
        let [CheckResult { mismatches: wrong, first, compared: all }] = found;
        let (wrong, all) = (wrong.wrapping_sub(mismatches), all.wrapping_sub(compared));
        let bytes = place.bytes as u64;
        let sensible = if wrong == 0 { first == u64::MAX } else { wrong <= bytes && first < bytes };
        if all == bytes && sensible {
            return Ok(Found { wrong, first });
        }
        let did = if all == 0 { "did not run".to_owned() } else { format!("says that it compared {all}") };
        Err(Fault::Failed(format!(
            "the kernel of device {ordinal} that was to compare {bytes} bytes {did}, though its launch succeeded"
        )))
    }

    /// What the host finds wrong, where it looks.
    fn sampled_finding(&self, place: Place, range: Range, expected: Pattern) -> Result<Option<Finding>> {
        for window in sample::windows(place.bytes, expected) {
            let start = place.data().start;
            let got = self.read(start + window.start..start + window.end)?;
            let finding = compare(self.device.ordinal(), range, expected, window.start as u64, &got);
            if let Some(finding) = finding {
                return Ok(Some(Finding { bytes: place.bytes as u64, ..finding }));
            }
        }
        Ok(None)
    }

    /// Bytes of the buffer, as the device has them.
    pub(super) fn read(&self, bytes: Bytes<usize>) -> Result<Vec<u8>> {
        let mut got = vec![0; bytes.len()];
        self.stream.copy_to_host(self.memory.slice(&self.device, bytes)?, &mut got)?;
        Ok(got)
    }

    fn write_canaries(&mut self, place: Place) -> Result<()> {
        for (range, bytes) in place.canaries() {
            let canary = self.canary(range).bytes(bytes.len());
            self.stream.copy_from_host(self.memory.slice_mut(&self.device, bytes)?, &canary)?;
        }
        Ok(())
    }

    fn canary(&self, range: Range) -> Pattern {
        canary(self.device.ordinal(), self.seed, range)
    }
}

/// What is wrong with `got`, if anything, which should be the bytes of `expected` from `start` on.
fn compare(device: u32, range: Range, expected: Pattern, start: u64, got: &[u8]) -> Option<Finding> {
    let mut wrong = (start..).zip(got).filter(|(offset, byte)| expected.byte(*offset) != **byte);
    let (first, byte) = wrong.next()?;
    Some(Finding {
        device,
        range,
        bytes: got.len() as u64,
        wrong: 1 + wrong.count() as u64,
        first,
        expected: expected.byte(first),
        got: *byte,
        kind: None,
    })
}

#[cfg(test)]
#[path = "guarded_tests.rs"]
mod tests;
