//! The screen of `bench`.

use super::by_size::by_size;
use super::matrix::matrix;
use super::{Style, bytes, heading, lines_of, simulated, table, wrap};
use crate::bench::{BenchResult, Comparison, Due, Outcome, Place, Report, Test, Unit};
use crate::exit::Exit;
use crate::options::OrderedPair;

/// The whole screen.
pub(crate) fn bench(report: &Report, style: Style) -> String {
    let mut text = heading(&report.machine, style);
    if report.machine.simulated {
        text += &wrap(
            "Times of a simulated machine mean nothing, so none is shown: ok = moved, and checked.",
            "  ",
        );
    } else {
        let samples = report.samples;
        text += &wrap(
            &format!("{} in each large copy; the median of {samples} samples", bytes(report.bytes)),
            "  ",
        );
    }
    for test in large_tests() {
        let due = Due { test, bytes: if Test::LATENCY.contains(&test) { 0 } else { report.bytes } };
        text += &pairs(report, due, style);
    }
    text += &small(report, style);
    text += &sweep(report, style);
    text += &many(report, style);
    text += &problems(report, style);
    text += &comparisons(report, style);
    text.push('\n');
    text + &bench_last_line(report, style)
}

/// One line: how many figures there are.
pub(crate) fn bench_last_line(report: &Report, style: Style) -> String {
    let measured =
        report.results.iter().filter(|result| matches!(result.outcome, Outcome::Measured(_))).count();
    let mark = simulated(&report.machine).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let word = if report.machine.simulated { "carried out and checked" } else { "measured and checked" };
    let text = wrap(&format!("{measured} of {} {word}{mark}", report.results.len()), "  ");
    match report.verdict {
        Exit::Proven => style.good(&text),
        Exit::NothingToTest => style.warning(&text),
        _ => style.bad(&text),
    }
}

fn large_tests() -> impl Iterator<Item = Test> {
    Test::WITHOUT_ACCESS.into_iter().chain(Test::BANDWIDTH).chain(Test::LATENCY)
}

/// A matrix, accessor by owner, if there is a result for it.
fn pairs(report: &Report, due: Due, style: Style) -> String {
    let ordinals = ordinals(report);
    let result = |accessor, owner| report.result(Place::Pair(OrderedPair { accessor, owner }), due);
    if !report.results.iter().any(|result| result.test == due.test && result.bytes == due.bytes) {
        return String::new();
    }
    let title = format!("{}, {}", due.test.title(), due.test.unit());
    format!("\n{}\n", style.title(&title))
        + &matrix(&ordinals, |accessor, owner| match (accessor == owner, result(accessor, owner)) {
            (true, _) => "X".to_owned(),
            (false, Some(result)) => cell(result),
            (false, None) => "-".to_owned(),
        })
}

/// The devices that something was measured of as one of a pair.
fn ordinals(report: &Report) -> Vec<u32> {
    let places = || report.results.iter().map(|result| result.place);
    let is_of = |device: u32| {
        places().any(
            |place| matches!(place, Place::Pair(pair) if pair.accessor == device || pair.owner == device),
        )
    };
    report.machine.devices.iter().map(|device| device.ordinal).filter(|device| is_of(*device)).collect()
}

pub(super) fn cell(result: &BenchResult) -> String {
    match (&result.outcome, result.median()) {
        (Outcome::Measured(_), Some(median)) => number(median, result.unit),
        (Outcome::Measured(_), None) => "ok".to_owned(),
        (Outcome::WrongData { .. }, _) => "WRONG".to_owned(),
        (Outcome::Skipped { .. }, _) => "skipped".to_owned(),
        (Outcome::Failed { .. } | Outcome::NotMeasured { .. }, _) => "failed".to_owned(),
    }
}

pub(super) fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::GigabytesPerSecond if value < 10.0 => format!("{value:.2}"),
        Unit::GigabytesPerSecond => format!("{value:.1}"),
        Unit::Microseconds => format!("{value:.2}"),
        Unit::Nanoseconds => format!("{value:.0}"),
    }
}

/// Small copies: a row for each size, a column for each way, of each pair.
fn small(report: &Report, style: Style) -> String {
    let title = "Small copies in a stream of the accessor, us each";
    by_size(
        report,
        title,
        &Test::SMALL,
        ["bytes", "write: engine", "kernel", "read: engine", "kernel"],
        style,
    )
}

/// The sweep of sizes.
fn sweep(report: &Report, style: Style) -> String {
    let swept =
        report.results.iter().any(|result| result.test == Test::EngineRead && result.bytes != report.bytes);
    if !swept {
        return String::new();
    }
    let title = "By size of the copies, GB/s";
    by_size(report, title, &Test::SWEPT, ["bytes", "engine reads", "writes", "kernel reads", "writes"], style)
}

/// One device and all others.
fn many(report: &Report, style: Style) -> String {
    let of = |test, device| report.result(Place::One { device }, Due { test, bytes: report.bytes });
    let mut rows = table(["device", "all others write to it", "it writes to all others"], &[0, 1, 2]);
    let mut any = false;
    for device in report.machine.devices.iter().map(|device| device.ordinal) {
        if let (Some(to), Some(from)) = (of(Test::AllToOne, device), of(Test::OneToAll, device)) {
            any = true;
            rows.add_row([device.to_string(), cell(to), cell(from)]);
        }
    }
    if !any {
        return String::new();
    }
    format!(
        "\n{}\n{}",
        style.title("Copy engines, one device and all others at once, GB/s together"),
        lines_of(&rows)
    )
}

/// What was not measured, and why. The same reason is told once a place.
fn problems(report: &Report, style: Style) -> String {
    let mut told: Vec<(Place, String)> = Vec::new();
    for result in &report.results {
        let problem = match &result.outcome {
            Outcome::Measured(_) => continue,
            Outcome::WrongData { wrong, first } => {
                format!("{}: {wrong} bytes are wrong, the first at {first}", result.test.title())
            }
            Outcome::Failed { error } => error.clone(),
            Outcome::Skipped { reason } => format!("{}: skipped: {reason}", result.test.title()),
            Outcome::NotMeasured { because } => because.clone(),
        };
        if !told.contains(&(result.place, problem.clone())) {
            told.push((result.place, problem));
        }
    }
    if told.is_empty() {
        return String::new();
    }
    let lines: String =
        told.iter().map(|(place, problem)| wrap(&format!("{place}: {problem}"), "  ")).collect();
    format!("\n{}\n{lines}", style.title("Not measured"))
}

/// Other tools' figures beside ours.
fn comparisons(report: &Report, style: Style) -> String {
    report.comparisons.iter().map(|comparison| one_comparison(comparison, style)).collect()
}

fn one_comparison(comparison: &Comparison, style: Style) -> String {
    let title = style.title(&format!("Beside {}", comparison.tool));
    if let Some(problem) = &comparison.problem {
        return format!("\n{title}\n{}", wrap(&format!("  {problem}"), "  "));
    }
    let mut rows = table(["pair", "unit", "ours", "theirs", "ours/theirs", "what"], &[2, 3, 4]);
    for beside in &comparison.figures {
        let name = beside.test.name();
        let small = Test::SMALL.contains(&beside.test);
        rows.add_row([
            beside.place.to_string(),
            beside.unit.to_string(),
            number(beside.ours, beside.unit),
            number(beside.theirs, beside.unit),
            format!("{:.3}", beside.ratio),
            if small { format!("{name}, {}", bytes(beside.bytes)) } else { name },
        ]);
    }
    let times = comparison.figures.iter().any(|beside| beside.unit != Unit::GigabytesPerSecond);
    let note = if times { wrap("Of times, a ratio below 1 is the better one.", "") } else { String::new() };
    format!("\n{title}\n{}{note}", lines_of(&rows))
}

#[cfg(test)]
#[path = "bench_tests.rs"]
mod tests;
