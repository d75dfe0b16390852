//! The time that a call takes to return, of several ways to make it, in turns.

use std::time::Instant;

/// Calls of one turn. Far fewer than a stream takes before it makes the host wait.
const CALLS: u32 = 32;
/// Turns of each way. Each begins with an idle device.
const TURNS: usize = 2000;
/// As many of a call that takes long.
const FEW_TURNS: usize = 200;
/// Turns that are not counted.
const WARM_UP: usize = 50;

/// One way to make a call.
pub(crate) struct Way<'a> {
    pub(crate) name: &'static str,
    /// Makes the call so many times.
    pub(crate) make: Box<dyn FnMut(u32) + 'a>,
}

impl<'a> Way<'a> {
    /// `call` is inlined into the loop that is measured.
    pub(crate) fn new(name: &'static str, mut call: impl FnMut() + 'a) -> Self {
        let make = Box::new(move |calls| {
            for _ in 0..calls {
                call();
            }
        });
        Self { name, make }
    }
}

/// What was measured of one way, in nanoseconds a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    pub(crate) median: f64,
    /// A tenth of the turns took less.
    pub(crate) low: f64,
    /// A tenth of the turns took more.
    pub(crate) high: f64,
    /// What it took more than the first way: the median over the turns.
    pub(crate) more: f64,
    /// What it took of what the first way took: the median over the turns.
    pub(crate) ratio: f64,
}

/// Measures every way in turns, so that what drifts, drifts for all of them. `settle` waits until the device is idle.
pub(crate) fn compare(ways: &mut [Way<'_>], settle: impl FnMut()) -> Vec<Cost> {
    compare_in(TURNS, ways, settle)
}

/// As [`compare`], of calls that take tens of microseconds.
pub(crate) fn compare_briefly(ways: &mut [Way<'_>], settle: impl FnMut()) -> Vec<Cost> {
    compare_in(FEW_TURNS, ways, settle)
}

fn compare_in(turns: usize, ways: &mut [Way<'_>], mut settle: impl FnMut()) -> Vec<Cost> {
    let mut times = vec![Vec::with_capacity(turns); ways.len()];
    for turn in 0..WARM_UP + turns {
        for index in 0..ways.len() {
            // Each way comes after every other.
            let index = (index + turn) % ways.len();
            settle();
            let start = Instant::now();
            (ways[index].make)(CALLS);
            let took = start.elapsed();
            if turn >= WARM_UP {
                times[index].push(took.as_secs_f64() * 1e9 / f64::from(CALLS));
            }
        }
    }
    settle();
    let names: Vec<_> = ways.iter().map(|way| way.name).collect();
    costs(&names, times)
}

/// What the turns say of each way, of which each has as many as the first.
pub(crate) fn costs(names: &[&'static str], times: Vec<Vec<f64>>) -> Vec<Cost> {
    let first = times[0].clone();
    let cost = |(&name, mut times): (&&'static str, Vec<f64>)| {
        let mut more: Vec<f64> = times.iter().zip(&first).map(|(time, first)| time - first).collect();
        let mut ratio: Vec<f64> = times.iter().zip(&first).map(|(time, first)| time / first).collect();
        let (more, ratio) = (at(&mut more, 5), at(&mut ratio, 5));
        let (low, median, high) = (at(&mut times, 1), at(&mut times, 5), at(&mut times, 9));
        Cost { name, median, low, high, more, ratio }
    };
    names.iter().zip(times).map(cost).collect()
}

/// The value that so many tenths are below.
fn at(values: &mut [f64], tenths: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * tenths / 10]
}
