//! The progress bar, on standard error, and only if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows how far the work is, how long it will take yet, and what is being done.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `length` steps; hidden if not `wanted`, or if standard error is no terminal.
    pub(crate) fn new(length: usize, wanted: bool) -> Self {
        let target = if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(length as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len}, {eta} left  {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// As `new`, of work that takes a given time.
    pub(crate) fn timed(time: Duration, wanted: bool) -> Self {
        let progress = Self::new(usize::try_from(time.as_millis()).unwrap_or(usize::MAX), wanted);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {elapsed} gone, {eta} left  {wide_msg}") {
            progress.bar.set_style(style);
        }
        progress
    }

    /// Says that so much of the time has gone.
    pub(crate) fn reach(&self, elapsed: Duration) {
        self.bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
    }

    /// Says what is being done.
    pub(crate) fn begin(&self, what: String) {
        self.bar.set_message(what);
    }

    /// Counts `steps` as done.
    pub(crate) fn advance(&self, steps: usize) {
        self.bar.inc(steps as u64);
    }
}

impl Drop for Progress {
    /// Leaves the terminal as it was.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
