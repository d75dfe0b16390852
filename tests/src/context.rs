//! What a case works with: calls that are compared and recorded. `calls` has the forms in which cases make them.

use std::cell::{Cell, OnceCell};
use std::ffi::CStr;
use std::fmt::Debug;

use cuda_p2p_sys::{CudaRuntime, cudaError, cudaError_t};

use crate::arm::Arm;
pub(crate) use crate::calls::{answers, fails, must, quiet, record, refuses};
use crate::case::Ends;
use crate::divergences::Divergence;
use crate::driver::Driver;
use crate::kernels::Library;
use crate::partner::Partner;
use crate::report::Line;

/// A case's view of the runtime.
#[derive(Debug)]
pub(crate) struct Cx {
    pub(crate) arm: Arm,
    pub(crate) table: &'static CudaRuntime,
    /// The case's name.
    pub(crate) case: String,
    /// Stands before every line: which of the case's processes this is.
    who: &'static str,
    /// This project's kernels, once loaded.
    pub(crate) library: OnceCell<Library>,
    /// The kernels of the tests, once loaded.
    pub(crate) test_library: OnceCell<Library>,
    /// The driver's functions, once a runtime without its own needed them.
    pub(crate) driver: OnceCell<Driver>,
    checks: Cell<usize>,
    /// What may be answered otherwise here, each with whether it was.
    divergences: Vec<(Divergence, Cell<bool>)>,
    /// The code of the call before, if that was a divergence: it is the last error then.
    diverged: Cell<Option<u32>>,
}

/// What an answer is held against.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    /// This code.
    Code(u32),
    /// Any code but 0.
    Failure,
    /// Nothing: it is only recorded.
    Anything,
    /// 0, or the case cannot go on.
    Success,
}

impl Cx {
    /// `divergences` are those of the case on this arm.
    pub(crate) fn new(
        arm: Arm,
        table: &'static CudaRuntime,
        case: &str,
        partner: bool,
        divergences: Vec<Divergence>,
    ) -> Self {
        Self {
            arm,
            table,
            case: case.to_owned(),
            who: if partner { "other: " } else { "" },
            library: OnceCell::new(),
            test_library: OnceCell::new(),
            driver: OnceCell::new(),
            checks: Cell::new(0),
            divergences: divergences.into_iter().map(|divergence| (divergence, Cell::new(false))).collect(),
            diverged: Cell::new(None),
        }
    }

    /// Starts the case's second process, which has the same devices.
    pub(crate) fn partner(&self) -> Partner {
        Partner::start(self, None)
    }

    /// Starts the case's second process with some devices of this one, as its devices 0, 1, ...
    pub(crate) fn partner_seeing(&self, devices: &[usize]) -> Partner {
        Partner::start(self, Some(devices))
    }

    /// Expectations that were looked at so far.
    pub(crate) fn checks(&self) -> usize {
        self.checks.get()
    }

    /// Says that a call is being made, so that a crash in it can be told.
    pub(crate) fn trying(&self, call: &str) {
        Line::Try(format!("{}{call}", self.who)).print();
    }

    /// Records an answer and compares it.
    ///
    /// # Panics
    /// If a set-up call failed: the child's frame ends the case.
    pub(crate) fn answered(&self, call: &str, got: cudaError_t, want: Want) -> cudaError_t {
        // The compiler breaks the text of a long call into lines.
        let call = &call.lines().map(str::trim_start).collect::<Vec<_>>().join(" ");
        Line::Record(format!("{}{call} -> {}", self.who, got.0)).print();
        if let Some(divergence) = self.divergence(call) {
            let hardware = match want {
                Want::Code(code) => Some(code.to_string()),
                Want::Success => Some("0".to_owned()),
                Want::Failure | Want::Anything => None,
            };
            self.hold_to(divergence, &got.0.to_string(), hardware.as_deref());
            self.diverged.set(Some(got.0));
            return got;
        }
        self.diverged.set(None);
        match want {
            Want::Code(code) => {
                let want = cudaError(code);
                self.compare(got == want, || {
                    format!("{call}\n     got {}\n  wanted {}", self.named(got), self.named(want))
                });
            }
            Want::Failure => self.compare(got != cudaError::cudaSuccess, || {
                format!("{call}\n     got {}\n  wanted a failure", self.named(got))
            }),
            Want::Anything => {}
            Want::Success => {
                assert!(got == cudaError::cudaSuccess, "set-up failed: {call} -> {}", self.named(got));
            }
        }
        got
    }

    /// Whether the runtime is of an earlier release than that.
    pub(crate) fn is_older_than(&self, major: i32, minor: i32) -> bool {
        let mut version = 0;
        quiet!(self.cudaRuntimeGetVersion(&mut version));
        version < major * 1000 + minor * 10
    }

    /// What a launch answers whose grid or block cannot be.
    pub(crate) fn invalid_configuration(&self) -> u32 {
        if self.is_older_than(13, 0) { 9 } else { 1 }
    }

    /// Whether the runtime refuses, by error 400, to launch on a stream of a device that is not the current one. Before 12.8 it is the
    /// driver that launches, which does not.
    pub(crate) fn refuses_streams_of_other_devices(&self) -> bool {
        self.is_older_than(13, 0) && !self.is_older_than(12, 8)
    }

    /// A call that the table does not have: nothing can be said about it.
    ///
    /// # Panics
    /// Always: the child's frame ends the case.
    pub(crate) fn absent(&self, function: &str) -> ! {
        panic!("{function} is not in this runtime's table");
    }

    /// Compares something that a call gave back; `what` names it.
    pub(crate) fn value<T: PartialEq + Debug>(&self, what: &str, got: T, want: T) {
        self.see(what, &got);
        match self.divergence(what) {
            Some(divergence) => {
                self.hold_to(divergence, &format!("{got:?}"), Some(&format!("{want:?}")));
            }
            None => self.compare(got == want, || format!("{what}\n     got {got:?}\n  wanted {want:?}")),
        }
    }

    /// Records something that a call gave back, without comparing it. Not for what differs from run to run.
    pub(crate) fn see<T: Debug>(&self, what: &str, got: T) {
        Line::Record(format!("{}{what} = {got:?}", self.who)).print();
    }

    /// A claim about something that differs from run to run, a duration say: only whether it holds is recorded.
    pub(crate) fn holds(&self, claim: &str, holds: bool) {
        self.see(claim, holds);
        self.compare(holds, || format!("{claim}: does not hold"));
    }

    /// `cudaGetLastError` must answer `code`; clears it.
    pub(crate) fn last(&self, code: u32) {
        let code = self.diverged.take().unwrap_or(code);
        answers!(self.cudaGetLastError(), code);
    }

    /// Clears the last error, whatever it is, and records it: where hardware has not told us yet which it is.
    pub(crate) fn clear_last(&self) {
        record!(self.cudaGetLastError());
    }

    /// Verifies what must hold after every case: the state of a thread that calls do not leave changed, and that each
    /// divergence of the case was met.
    pub(crate) fn verify_end(&self, ends: Ends) {
        let before = self.checks();
        for (divergence, met) in &self.divergences {
            if !met.get() {
                Line::Fail(format!("an expected divergence was not met: {}", divergence.what)).print();
            }
        }
        if ends == Ends::Clean {
            let mut device = -1;
            answers!(self.cudaPeekAtLastError(), 0);
            answers!(self.cudaGetDevice(&mut device), 0);
            self.value("the current device after the case", device, 0);
            answers!(self.cudaDeviceSynchronize(), 0);
        }
        // What the harness checks by itself does not make a case that asserts nothing one that does.
        self.checks.set(before);
    }

    fn compare(&self, holds: bool, failure: impl FnOnce() -> String) {
        self.checks.set(self.checks() + 1);
        if !holds {
            Line::Fail(format!("{}{}", self.who, failure())).print();
        }
    }

    /// The divergence of that line, which is now met.
    fn divergence(&self, what: &str) -> Option<&Divergence> {
        let (divergence, met) = self.divergences.iter().find(|(divergence, _)| divergence.what == what)?;
        met.set(true);
        Some(divergence)
    }

    /// The simulator must answer as the divergence says, and not as hardware does.
    fn hold_to(&self, divergence: &Divergence, got: &str, hardware: Option<&str>) {
        let Divergence { what, simulator, reason, .. } = divergence;
        self.compare(got == *simulator && hardware != Some(got), || {
            let hardware = hardware.unwrap_or("unknown");
            format!(
                "an expected divergence is no more: {what}\n     got {got}\n  wanted {simulator} ({reason}); hardware: {hardware}"
            )
        });
    }

    /// A code with its name.
    fn named(&self, code: cudaError_t) -> String {
        let Some(name_of) = self.table.cudaGetErrorName else { return code.0.to_string() };
        // SAFETY: the function takes any value and gives a NUL-terminated constant.
        let name = unsafe { name_of(code) };
        if name.is_null() {
            return code.0.to_string();
        }
        // SAFETY: as above; it is not null.
        let name = unsafe { CStr::from_ptr(name) };
        format!("{} {}", code.0, name.to_string_lossy())
    }
}
