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
    /// The time from the start of what `queue` puts into the streams, in so many pieces, to the end of all of it. The work must be such
    /// that it can be done again.
    pub(super) fn time(
        &self,
        pieces: u64,
        mut queue: impl FnMut() -> Result<(), Fault>,
    ) -> Result<Duration, Fault> {
        self.time_again(pieces, &mut (), |_| Ok(()), |_| queue())
    }

    /// The same of work that changes what it begins with: `ready` makes that ready each time.
    pub(super) fn time_again<W>(
        &self,
        pieces: u64,
        with: &mut W,
        mut ready: impl FnMut(&mut W) -> Result<(), Fault>,
        mut queue: impl FnMut(&mut W) -> Result<(), Fault>,
    ) -> Result<Duration, Fault> {
        let mut hold = HOLD + pieces * HOLD_EACH;
        for _ in 0..ATTEMPTS {
            ready(with)?;
            if let Some(took) = self.time_once(hold, || queue(with))? {
                return Ok(took);
            }
            hold *= 2;
        }
        Err(Fault::Said("the host was too slow to queue the work before it began".to_owned()))
    }

    /// `None` if the work was not held back until all of it was queued, and that counts.
    fn time_once(
        &self,
        hold: u64,
        queue: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<Option<Duration>, Fault> {
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
        Ok(if held || self.may_be_late { Some(end.elapsed_since(&start)?) } else { None })
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
    use std::thread::sleep;

    use cuda_p2p::Runtime;
    use cuda_p2p::sim::MachineConfig;

    use super::*;

    /// As a flag that was played once, which is at the number of rounds: what is played with it again is played at once.
    #[test]
    fn work_that_came_too_late_begins_anew() {
        let runtime = Runtime::simulated(MachineConfig::pair()).expect("the simulator");
        let stream = runtime.device(0).and_then(|device| device.new_stream()).expect("a stream");
        let kernels = Kernels::load(&runtime).expect("kernels");
        let timer = Timer { kernels: &kernels, first: &stream, others: &[], may_be_late: false };
        let (mut flag, mut games) = (7, 0);
        let ready = |flag: &mut u32| {
            *flag = 0;
            Ok(())
        };
        let took = timer.time_again(1, &mut flag, ready, |flag| {
            assert_eq!(*flag, 0);
            (*flag, games) = (7, games + 1);
            if games == 1 {
                sleep(Duration::from_millis(50));
            }
            Ok(())
        });
        assert!(took.is_ok(), "{:?}", took.err());
        assert!(games > 1);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(spread(vec![3.0, 1.0, 2.0]), (2.0, 1.0, 3.0));
        assert_eq!(spread(vec![5.0]), (5.0, 5.0, 5.0));
    }
}
