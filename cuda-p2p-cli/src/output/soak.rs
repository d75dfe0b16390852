//! The screen of `verify --minutes`: what was counted, by path and by pair, and the first error of each.

use std::collections::BTreeMap;

use super::details::{described, described_finding, indented};
use super::topo::access;
use super::verify::{devices, outcome_name, pair_table, sentence, skipped_paths, wrong_data_hint};
use super::{Style, bytes, heading, lines_of, plural, table, wrap};
use crate::verify::{FirstError, PairOutcome, PairTally, SoakReport, StepOutcome, Tally, Trouble};

/// First errors that are shown; of more, each is in the JSON.
const SHOWN: usize = 8;

/// The whole screen.
pub(crate) fn soak(report: &SoakReport, style: Style) -> String {
    let mut text = heading(&report.machine, style);
    if !report.machine.devices.is_empty() {
        text += &wrap(&devices(&report.machine), "  ");
    }
    if report.pairs.is_empty() {
        text += &access(&report.machine, style);
        return text + "\n" + &soak_last_line(report, style);
    }
    let sizes = report.sizes.iter().map(|size| bytes(*size)).collect::<Vec<_>>().join(" to ");
    text += &wrap(&format!("Sizes drawn from {sizes}; seed {}.", report.seed), "  ");
    text += &format!("\n{}\n", style.title("Paths, all ordered pairs together"));
    text += &paths(report);
    text += &format!("\n{}\n", style.title("Ordered pairs, accessor->owner: errors by path"));
    text += &pairs(report);
    let skipped = report.pairs.iter().flat_map(|pair| {
        let paths = pair.paths.iter();
        paths.filter_map(|path| Some((pair.pair, path.path, path.tally.skipped.as_deref()?)))
    });
    text += &skipped_paths(skipped);
    text += &errors(report, style);
    if report.verdict.wrong > 0 {
        text += &wrong_data_hint("");
    }
    text.push('\n');
    text + &soak_last_line(report, style)
}

/// The verdict: one sentence, on several lines if it has to list many pairs.
pub(crate) fn soak_last_line(report: &SoakReport, style: Style) -> String {
    let pairs: Vec<_> = report.pairs.iter().map(|pair| (pair.pair, pair.outcome)).collect();
    let rounds: u64 = report.pairs.iter().map(|pair| pair.rounds).sum();
    let errors: u64 =
        report.pairs.iter().flat_map(PairTally::tallies).map(|(_, tally)| tally.error_count()).sum();
    let after = match report.interrupted {
        true => format!(", interrupted after {} of {}", time(report.took_ms), time(report.asked_ms)),
        false => format!(" in {}", time(report.took_ms)),
    };
    let rounds = format!("{rounds} {}", if rounds == 1 { "round" } else { "rounds" });
    let errors = match errors {
        0 => "no error".to_owned(),
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    let remark = match report.pairs.is_empty() {
        true => String::new(),
        false => format!("; {rounds}, {errors}{after}"),
    };
    sentence(&report.machine, &pairs, &report.verdict, &remark, style)
}

/// One row a path.
fn paths(report: &SoakReport) -> String {
    let mut sums: Vec<(&str, Tally)> = Vec::new();
    for (name, tally) in report.pairs.iter().flat_map(PairTally::tallies) {
        match sums.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => sum.add_all(tally),
            None => sums.push((name, tally.clone())),
        }
    }
    let mut table = table(["path", "rounds", "moves", "moved", "errors"], &[1, 2, 3]);
    for (name, sum) in sums {
        let is_path = name != PairTally::SETUP;
        if !is_path && sum.error_count() == 0 {
            continue;
        }
        let shown = |text: String, is: bool| if is { text } else { "-".to_owned() };
        table.add_row([
            name.to_owned(),
            shown(sum.rounds.to_string(), is_path),
            shown(sum.moves.to_string(), sum.moves > 0),
            shown(volume(sum.bytes), sum.moves > 0),
            kinds(&sum.errors),
        ]);
    }
    lines_of(&table)
}

/// One row a pair: errors of each path, and rounds.
fn pairs(report: &SoakReport) -> String {
    let mut names: Vec<&str> = report.paths.iter().map(|path| path.name()).collect();
    names.insert(0, "access");
    let mut all = Vec::new();
    for pair in &report.pairs {
        let cell = |tally: &Tally| match (pair.outcome, tally.error_count()) {
            (PairOutcome::Unreachable, _) => "-".to_owned(),
            (_, 0) if tally.skipped.is_some() => "skipped".to_owned(),
            (_, 0) if tally.rounds == 0 && pair.rounds == 0 => "-".to_owned(),
            (_, 0) => "ok".to_owned(),
            (_, count) => short(count),
        };
        let mut row = vec![match pair.outcome {
            PairOutcome::Unreachable => "none".to_owned(),
            _ => cell(&pair.setup),
        }];
        row.extend(pair.paths.iter().map(|path| cell(&path.tally)));
        row.push(outcome_name(pair.outcome).to_owned());
        all.push((pair.pair, row));
    }
    pair_table(&names, all)
}

/// The first error of each path of each pair, the earliest first.
fn errors(report: &SoakReport, style: Style) -> String {
    let mut first: Vec<(&PairTally, &str, &Tally, &FirstError)> = Vec::new();
    for pair in &report.pairs {
        let tallies = pair.tallies();
        first.extend(
            tallies.filter_map(|(name, tally)| Some((pair, name, tally, tally.first_error.as_ref()?))),
        );
    }
    first.sort_by_key(|(_, _, _, error)| error.at_ms);
    let mut text = String::new();
    for (pair, name, tally, error) in first.iter().take(SHOWN) {
        text.push('\n');
        let what = format!(
            "{}: {name}: {}; the first after {}, in round {}",
            pair.pair,
            kinds(&tally.errors),
            time(error.at_ms),
            error.round
        );
        text += &style.bad(&wrap(&what, "    "));
        if let Some(step) = &error.step {
            text += &indented(&described(step));
            match &step.outcome {
                StepOutcome::Wrong { findings, note } => {
                    text += &note.as_deref().map(indented).unwrap_or_default();
                    text += &findings.iter().map(|finding| described_finding(*finding)).collect::<String>();
                }
                StepOutcome::Failed { error } => text += &indented(error),
                _ => {}
            }
        }
        text += &error.ending.as_ref().map(|ending| indented(&ending.to_string())).unwrap_or_default();
        let sizes = error.sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let pair = format!("{}:{}", pair.pair.accessor, pair.pair.owner);
        text += &indented(&format!("again: --pairs {pair} --seed {} --sizes {sizes}", error.seed));
    }
    if first.len() > SHOWN {
        let left = plural(first.len() - SHOWN, "other path", "other paths");
        text += &wrap(&format!("\nThe first errors of {left} are in what --json prints."), "");
    }
    text
}

fn kinds(errors: &BTreeMap<Trouble, u64>) -> String {
    let count: u64 = errors.values().sum();
    let kinds: Vec<String> = errors.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    if count == 0 { "none".to_owned() } else { kinds.join(", ") }
}

/// A count in at most five columns, rounded down.
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{}k", count / 1000),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// Bytes, rounded.
fn volume(count: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(shift, _)| count >= 1 << shift);
    match unit {
        Some((shift, name)) => format!("{:.1} {name}", count as f64 / (1_u64 << shift) as f64),
        None => bytes(count),
    }
}

/// A time in hours, minutes and seconds.
fn time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        (0, _) => format!("{minutes} min {rest} s"),
        _ => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
#[path = "soak_tests.rs"]
mod tests;
