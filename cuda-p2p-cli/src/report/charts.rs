//! Which pictures the documents give.

use super::documents::{Bench, Documents, Measured};
use super::figure::Figure;
use super::heat::{Cell, heat_map};
use super::markup::size;
use super::sweep::{Series, sweep};
use crate::bench::{Place, Test, Unit};
use crate::options::OrderedPair;
use crate::topo::{Link, Machine};

/// Every picture, in the order of the page.
pub(super) fn charts(documents: &Documents) -> Vec<Figure> {
    let Some(bench) = &documents.bench else { return Vec::new() };
    if bench.machine.simulated {
        // Its times mean nothing.
        return Vec::new();
    }
    let mut charts: Vec<Figure> = sweep_of(bench).into_iter().collect();
    let limit = wires(&bench.machine).map(|(rate, _)| rate);
    for (test, bytes) in matrices(bench) {
        charts.push(matrix(bench, test, bytes, limit));
    }
    charts
}

/// Why there is no picture, where there is none.
pub(super) fn none_because(documents: &Documents) -> &'static str {
    match &documents.bench {
        None => "nothing that 'bench' measured is shown, and pictures are of that",
        Some(bench) if bench.machine.simulated => {
            "a simulated machine has no speeds, and pictures are of those"
        }
        Some(_) => "no pair was measured",
    }
}

/// Each test of ordered pairs with the size at which it is shown: the one of large copies, or each of the small ones.
fn matrices(bench: &Bench) -> Vec<(Test, u64)> {
    let mut shown: Vec<(Test, u64)> = Vec::new();
    for result in of_pairs(bench) {
        let small = Test::SMALL.contains(&result.test);
        let swept = !small && result.bytes != 0 && result.bytes != bench.bytes;
        // Of small copies one size is enough of a picture; all of them are in the table.
        let left_out = small && result.bytes != 4 << 10;
        if !swept && !left_out && !shown.contains(&(result.test, result.bytes)) {
            shown.push((result.test, result.bytes));
        }
    }
    shown
}

fn of_pairs(bench: &Bench) -> impl Iterator<Item = &Measured> {
    bench.results.iter().filter(|result| matches!(result.place, Place::Pair(_)))
}

fn matrix(bench: &Bench, test: Test, bytes: u64, limit: Option<f64>) -> Figure {
    let devices: Vec<u32> = bench.machine.devices.iter().map(|device| device.ordinal).collect();
    let find = |pair: OrderedPair| {
        of_pairs(bench).find(|result| {
            result.test == test
                && result.bytes == bytes
                && matches!(result.place, Place::Pair(at) if at == pair)
        })
    };
    let highest = of_pairs(bench)
        .filter(|result| result.test == test && result.bytes == bytes)
        .filter_map(|result| result.median)
        .fold(0.0, f64::max);
    let both =
        matches!(test, Test::EngineBoth | Test::KernelBoth | Test::DriverStagedBoth | Test::StagedBoth);
    // Rates by what the wires carry, so that the colours of two matrices compare; times by the longest.
    let full = match limit {
        Some(limit) if test.unit() == Unit::GigabytesPerSecond => limit * if both { 2.0 } else { 1.0 },
        _ => highest,
    };
    let of = if bytes == 0 { String::new() } else { format!(", {}", size(bytes)) };
    let title = format!("{}{of}: {}", test.title(), test.unit());
    let name = format!("{}-{bytes}", name_of(test));
    heat_map(&name, title, &devices, full, |pair| match find(pair) {
        Some(Measured { median: Some(value), .. }) => Cell::Value(*value),
        Some(result) if result.outcome == "wrong_data" => Cell::Wrong,
        Some(result) if result.outcome == "failed" => Cell::Word("failed".to_owned()),
        Some(_) => Cell::Word("no result".to_owned()),
        None => Cell::Word("-".to_owned()),
    })
}

/// The test's name in JSON.
fn name_of(test: Test) -> String {
    serde_json::to_value(test).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn sweep_of(bench: &Bench) -> Option<Figure> {
    let names = ["copy engine reads", "copy engine writes", "kernel reads", "kernel writes"];
    let series: Vec<Series> = Test::SWEPT
        .into_iter()
        .zip(names)
        .map(|(test, name)| Series { name: name.to_owned(), points: points(bench, test) })
        .filter(|line| line.points.len() > 1)
        .collect();
    let title = "Rate of one copy by its size, one way: GB/s (median of all ordered pairs, and from lowest to highest)";
    sweep("sizes", title.to_owned(), &series, wires(&bench.machine))
}

/// By size: lowest, median and highest of all pairs.
fn points(bench: &Bench, test: Test) -> Vec<(u64, [f64; 3])> {
    let mut sizes: Vec<u64> =
        of_pairs(bench).filter(|result| result.test == test).map(|result| result.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let at = |bytes: u64| {
        let mut rates: Vec<f64> = of_pairs(bench)
            .filter(|result| result.test == test && result.bytes == bytes)
            .filter_map(|result| result.median)
            .collect();
        rates.sort_by(f64::total_cmp);
        let [low, .., high] = rates[..] else {
            return rates.first().map(|rate| (bytes, [*rate; 3]));
        };
        Some((bytes, [low, rates[rates.len() / 2], high]))
    };
    sizes.into_iter().filter_map(at).collect()
}

/// What the NVLinks of a pair carry in one direction, in GB/s, and how that comes about: of the pair with the fewest.
fn wires(machine: &Machine) -> Option<(f64, String)> {
    let links = machine.pairs.iter().filter_map(|pair| match pair.link {
        Some(Link::Nvlink { links }) => Some((links, pair.pair.accessor)),
        _ => None,
    });
    let (links, accessor) = links.min()?;
    let device = machine.devices.iter().find(|device| device.ordinal == accessor)?;
    let each = device.nvlinks?.link_bytes_per_second? as f64 / 1e9;
    let rate = each * f64::from(links);
    Some((
        rate,
        format!("{links} NVLinks carry {each:.1} GB/s each, in each direction, before their own overhead"),
    ))
}
