//! How long devices take for work, of several ways to do it, in turns: by events, and held back until all of it is queued.

use std::error::Error;

use cuda_p2p::{LaunchConfig, Stream, builtin};

use super::measure::{Cost, costs};

/// Nanoseconds that work is held back at first, and as much again for each piece of it.
const HOLD: u64 = 60_000;
const HOLD_EACH: u64 = 4_000;
/// How often it is done again, held back twice as long, because the host was slower than that.
const ATTEMPTS: u32 = 8;

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// One way to do the work. It says how long that took.
pub(crate) struct Work<'w> {
    pub(crate) name: &'static str,
    /// At a place of this number, which the ways of a turn share: time depends on where in the caches memory lies.
    pub(crate) nanoseconds: Box<dyn FnMut(usize) -> Outcome<f64> + 'w>,
}

/// Measures every way in turns, so that what drifts, and where memory lies, is the same for all of them.
pub(crate) fn compare(turns: usize, ways: &mut [Work<'_>]) -> Outcome<Vec<Cost>> {
    let mut times = vec![Vec::with_capacity(turns); ways.len()];
    let warm_up = turns / 4;
    for turn in 0..warm_up + turns {
        for index in 0..ways.len() {
            // Each way comes after every other.
            let index = (index + turn) % ways.len();
            let took = (ways[index].nanoseconds)(turn)?;
            if turn >= warm_up {
                times[index].push(took);
            }
        }
    }
    let names: Vec<_> = ways.iter().map(|way| way.name).collect();
    Ok(costs(&names, times))
}

/// The nanoseconds from the start of what `queue` puts into the streams, in so many pieces, to the end of all of it. The work must be such
/// that it can be done again.
pub(crate) fn timed(
    kernels: &builtin::Kernels,
    streams: (&Stream, Option<&Stream>),
    pieces: u64,
    mut queue: impl FnMut() -> Outcome,
) -> Outcome<f64> {
    timed_again(kernels, streams, pieces, &mut (), |_| Ok(()), |_| queue())
}

/// The same of work that changes what it begins with: `ready` makes that ready each time.
pub(crate) fn timed_again<W>(
    kernels: &builtin::Kernels,
    (first, second): (&Stream, Option<&Stream>),
    pieces: u64,
    with: &mut W,
    mut ready: impl FnMut(&mut W) -> Outcome,
    mut queue: impl FnMut(&mut W) -> Outcome,
) -> Outcome<f64> {
    let mut hold = HOLD + pieces * HOLD_EACH;
    for _ in 0..ATTEMPTS {
        ready(with)?;
        let device = first.device();
        let (start, end) = (device.new_event()?, device.new_event()?);
        kernels.delay(first, LaunchConfig::new(1, 1), hold)?;
        first.record(&start)?;
        if let Some(second) = second {
            second.wait_event(&start)?;
        }
        queue(with)?;
        let held = !start.is_done()?;
        if let Some(second) = second {
            let done = second.device().new_event_untimed()?;
            second.record(&done)?;
            first.wait_event(&done)?;
        }
        first.record(&end)?;
        end.synchronize()?;
        if held {
            return Ok(end.elapsed_since(&start)?.as_secs_f64() * 1e9);
        }
        hold *= 2;
    }
    Err("the host was too slow to queue the work before it began".into())
}
