//! Time by events, of work that is held back until all of it is queued.

use std::time::Duration;

use cuda_p2p::builtin::Kernels;
use cuda_p2p::{Event, LaunchConfig, Stream};

use super::data::Fault;

/// How long the work is held back at first, and how long each piece of it may take to queue at first, in nanoseconds. A device that idles
/// is slower afterwards, so not longer than most hosts need.
const HOLD: u64 = 60_000;
const HOLD_EACH: u64 = 10_000;

/// How often a sample is taken again, with twice the time, because the host was slower than that.
const ATTEMPTS: u32 = 9;

/// One thread.
const ONE: LaunchConfig = LaunchConfig::new(1, 1);

/// Streams whose work is timed together: on the clock of the first one's device.
pub(super) struct Timer<'t> {
    pub(super) kernels: &'t Kernels,
    pub(super) first: &'t Stream,
    pub(super) others: &'t [&'t Stream],
    /// Whether a sample counts for which the host was too slow: on a simulated machine, where times mean nothing, and for copies
    /// that the driver stages, which it queues only as they go on.
    pub(super) may_be_late: bool,
}

impl Timer<'_> {
    /// The time from the start of what `queue` puts into the streams, in so many pieces, to the end of all of it.
    pub(super) fn time(
        &self,
        pieces: u64,
        mut queue: impl FnMut() -> Result<(), Fault>,
    ) -> Result<Duration, Fault> {
        let mut hold = HOLD + pieces * HOLD_EACH;
        for _ in 0..ATTEMPTS {
            let device = self.first.device();
            let (start, end, gate) = (device.new_event()?, device.new_event()?, device.new_event_untimed()?);
            self.kernels.delay(self.first, ONE, hold)?;
            self.first.record(&start)?;
            self.first.record(&gate)?;
            for stream in self.others {
                stream.wait_event(&gate)?;
            }
            queue()?;
            let held = !start.is_done()?;
            for stream in self.others {
                let done: Event = stream.device().new_event_untimed()?;
                stream.record(&done)?;
                self.first.wait_event(&done)?;
            }
            self.first.record(&end)?;
            end.synchronize()?;
            if held || self.may_be_late {
                return Ok(end.elapsed_since(&start)?);
            }
            hold *= 2;
        }
        Err(Fault::Said("the host was too slow to queue the work before it began".to_owned()))
    }
}

/// Median, lowest and highest of samples.
pub(super) fn spread(mut samples: Vec<f64>) -> (f64, f64, f64) {
    samples.sort_by(f64::total_cmp);
    let last = samples.len() - 1;
    (samples[last / 2], samples[0], samples[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(spread(vec![3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert_eq!(spread(vec![5.0]), (5.0, 5.0, 5.0));
    }
}
