//! The screen of `verify`: one row a pair, what was wrong, the verdict.

use comfy_table::Table;

use super::details::details;
use super::topo::access;
use super::{
    GAP, ROWS, Style, WIDTH, bytes, heading, lines_of, pair_names, pair_rows, plural, simulated, wrap,
};
use crate::child::Ending;
use crate::exit::Exit;
use crate::options::OrderedPair;
use crate::topo::Machine;
use crate::verify::{PairOutcome, PairReport, Path, Report, Step, StepOutcome, StepReport, Verdict};

/// What to look at when bytes are wrong although every call succeeds.
pub(super) fn wrong_data_hint(with: &str) -> String {
    let hint = format!(
        "Every call succeeded and the data is wrong: on real machines an IOMMU or PCIe ACS that redirects peer traffic is \
         the usual cause. Run 'cuda-p2p doctor' as root, which looks for both, do what it says, and verify again{with}."
    );
    format!("\n{}", wrap(&hint, ""))
}

/// A column of the table, and which steps it stands for.
type Column = (&'static str, fn(Step) -> bool);

/// The columns between the pair and the result, as far as their steps ran.
const COLUMNS: [Column; 10] = [
    ("access", |step| step.path().is_none()),
    ("engine", |step| step.path() == Some(Path::Engine)),
    ("kernel", |step| step.path() == Some(Path::Kernel)),
    ("flags", |step| step.path() == Some(Path::Flags)),
    ("pool", |step| step.path() == Some(Path::Pool)),
    ("graph", |step| step.path() == Some(Path::Graph)),
    ("staged", |step| step.path() == Some(Path::Staged)),
    ("virtual", |step| step.path() == Some(Path::Virtual)),
    ("ipc", |step| step.path() == Some(Path::Ipc)),
    ("ipc-pool", |step| step.path() == Some(Path::IpcPool)),
];

/// The whole screen.
pub(crate) fn verify(report: &Report, style: Style) -> String {
    let mut text = heading(&report.machine, style);
    if !report.machine.devices.is_empty() {
        text += &wrap(&devices(&report.machine), "  ");
    }
    if report.pairs.is_empty() {
        text += &access(&report.machine, style);
    } else {
        let sizes = report.sizes.iter().map(|size| bytes(*size)).collect::<Vec<_>>().join(", ");
        text += &wrap(&format!("Sizes {sizes}; seed {}.", report.seed), "  ");
        text += &format!("\n{}\n", style.title("Ordered pairs, accessor->owner"));
        text += &rows(&report.pairs, &report.paths);
        let skipped =
            report.pairs.iter().flat_map(|pair| pair.skipped().map(|(path, why)| (pair.pair, path, why)));
        text += &skipped_paths(skipped);
        text += &report.pairs.iter().map(|pair| details(pair, style)).collect::<String>();
        if report.verdict.wrong > 0 {
            text += &wrong_data_hint(&format!(" with --seed {}", report.seed));
        }
    }
    text.push('\n');
    text + &verify_last_line(report, style)
}

/// Which devices there are, those of one name together.
pub(super) fn devices(machine: &Machine) -> String {
    let mut names: Vec<(&str, Vec<String>)> = Vec::new();
    for device in &machine.devices {
        match names.iter_mut().find(|(name, _)| *name == device.name) {
            Some((_, ordinals)) => ordinals.push(device.ordinal.to_string()),
            None => names.push((&device.name, vec![device.ordinal.to_string()])),
        }
    }
    let listed = names.iter().map(|(name, ordinals)| {
        let word = if ordinals.len() == 1 { "device" } else { "devices" };
        format!("{word} {}: {name}", ordinals.join(", "))
    });
    listed.collect::<Vec<_>>().join("; ")
}

/// The verdict: one sentence, on several lines if it has to list many pairs.
pub(crate) fn verify_last_line(report: &Report, style: Style) -> String {
    let pairs: Vec<_> = report.pairs.iter().map(|pair| (pair.pair, pair.outcome)).collect();
    sentence(&report.machine, &pairs, &report.verdict, "", style)
}

/// What it comes to, with a remark behind it.
pub(super) fn sentence(
    machine: &Machine,
    pairs: &[(OrderedPair, PairOutcome)],
    verdict: &Verdict,
    remark: &str,
    style: Style,
) -> String {
    let mark = simulated(machine).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let sentence = if pairs.is_empty() {
        let reason = machine.nothing_to_test().unwrap_or_else(|| "no pair was asked for".to_owned());
        format!("nothing to test: {reason}")
    } else if verdict.proven == pairs.len() {
        format!("{} of {} ordered pairs proven", verdict.proven, pairs.len())
    } else if verdict.exit == Exit::NothingToTest && verdict.unreachable == pairs.len() {
        let unreachable = names(pairs, PairOutcome::Unreachable);
        format!("nothing to test, {} unreachable: {unreachable}", verdict.unreachable)
    } else {
        let unreachable = match verdict.exit {
            Exit::NothingToTest => "unreachable, though asked for",
            _ => "unreachable",
        };
        let counts = [
            (PairOutcome::Proven, verdict.proven, "proven"),
            (PairOutcome::WrongData, verdict.wrong, "WRONG DATA"),
            (PairOutcome::Failed, verdict.failed, "FAILED"),
            (PairOutcome::Untested, verdict.untested, "not tested"),
            (PairOutcome::Unreachable, verdict.unreachable, unreachable),
        ];
        let parts = counts.iter().filter(|(outcome, count, _)| *count > 0 || *outcome == PairOutcome::Proven);
        let parts = parts.map(|(outcome, count, word)| match outcome {
            PairOutcome::Proven => format!("{count} {word}"),
            listed => format!("{count} {word}: {}", names(pairs, *listed)),
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let skipped = match verdict.skipped {
        0 => String::new(),
        count => format!("; {} skipped", plural(count, "path", "paths")),
    };
    let text = wrap(&format!("{sentence}{skipped}{remark}{mark}"), "  ");
    if verdict.wrong > 0 || verdict.failed > 0 {
        style.bad(&text)
    } else if verdict.proven > 0 && verdict.untested == 0 {
        style.good(&text)
    } else {
        style.warning(&text)
    }
}

fn names(pairs: &[(OrderedPair, PairOutcome)], outcome: PairOutcome) -> String {
    let named: Vec<OrderedPair> =
        pairs.iter().filter(|(_, other)| *other == outcome).map(|(pair, _)| *pair).collect();
    if named.len() > ROWS {
        return pair_names(&named);
    }
    named.iter().map(OrderedPair::to_string).collect::<Vec<_>>().join(", ")
}

/// The paths that could not be had, those of one reason together; nothing if all could.
pub(super) fn skipped_paths<'a>(skipped: impl Iterator<Item = (OrderedPair, Path, &'a str)>) -> String {
    let mut reasons: Vec<(Path, &str, Vec<OrderedPair>)> = Vec::new();
    for (pair, path, reason) in skipped {
        match reasons.iter_mut().find(|(other, why, _)| (*other, *why) == (path, reason)) {
            Some((_, _, pairs)) => pairs.push(pair),
            None => reasons.push((path, reason, vec![pair])),
        }
    }
    let lines = reasons.iter().map(|(path, reason, pairs)| {
        wrap(&format!("Skipped: {path} of {}: {reason}", pair_names(pairs)), "  ")
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// In a word or two.
pub(super) fn outcome_name(outcome: PairOutcome) -> &'static str {
    match outcome {
        PairOutcome::Proven => "proven",
        PairOutcome::WrongData => "WRONG DATA",
        PairOutcome::Failed => "FAILED",
        PairOutcome::Unreachable => "unreachable",
        PairOutcome::Untested => "not tested",
    }
}

fn rows(pairs: &[PairReport], paths: &[Path]) -> String {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|(_, is)| Step::ALL.iter().any(|step| is(*step) && step.is_of(paths)))
        .collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut all = Vec::new();
    for pair in pairs {
        let mut row: Vec<String> = columns.iter().map(|(_, is)| cell(pair, *is).to_owned()).collect();
        row.push(outcome_name(pair.outcome).to_owned());
        all.push((pair.pair, row));
    }
    pair_table(&names, all)
}

/// A table of pairs, with a result behind the other columns; narrower than others if it has to be.
pub(super) fn pair_table(names: &[&str], pairs: Vec<(OrderedPair, Vec<String>)>) -> String {
    let header: Vec<&str> =
        std::iter::once("pair").chain(names.iter().copied()).chain(std::iter::once("result")).collect();
    let (rows, legend) = pair_rows(pairs);
    let with = |gap: u16, name: fn(&str) -> String, word: fn(&str) -> &str| {
        let mut table = Table::new();
        let header = header.iter().map(|text| name(text));
        table.load_style(comfy_table::presets::NOTHING).set_header(header);
        for column in table.column_iter_mut() {
            column.set_padding((0, gap));
        }
        for row in &rows {
            table.add_row(row.iter().map(|text| word(text)));
        }
        lines_of(&table)
    };
    let fits = |table: &String| table.lines().all(|line| line.chars().count() <= WIDTH);
    let wider = [(GAP, str::to_owned as fn(&str) -> String), (1, str::to_owned), (1, broken)];
    let mut tables = wider.into_iter().map(|(gap, name)| with(gap, name, |text| text));
    tables.find(fits).unwrap_or_else(|| with(1, broken, shorter)) + &legend
}

/// A name on as many lines as it has parts.
fn broken(name: &str) -> String {
    name.replace('-', "-\n")
}

/// A cell in fewer columns, if it has a shorter word.
fn shorter(cell: &str) -> &str {
    match cell {
        "skipped" => "skip",
        "FAILED" => "FAIL",
        "WRONG DATA" => "WRONG",
        // As in the column of access.
        "unreachable" => "none",
        "not tested" => "skip",
        other => other,
    }
}

/// The worst of what some steps came to.
fn cell(pair: &PairReport, is: fn(Step) -> bool) -> &'static str {
    if pair.outcome == PairOutcome::Unreachable {
        return if is(Step::Query) { "none" } else { "-" };
    }
    let mut done = pair.steps.iter().filter(|report| is(report.step)).peekable();
    if done.peek().is_none() {
        return "-";
    }
    let rank = |report: &StepReport| match report.outcome {
        StepOutcome::Passed => 0,
        StepOutcome::Skipped { .. } => 1,
        StepOutcome::Unfinished => 2,
        StepOutcome::Failed { .. } => 3,
        StepOutcome::Wrong { .. } => 4,
    };
    match done.map(rank).max() {
        Some(4) => "WRONG",
        Some(3) => "FAILED",
        Some(2) if matches!(pair.ending, Some(Ending::Hung { .. })) => "HUNG",
        Some(2) => "DIED",
        Some(1) => "skipped",
        _ => "ok",
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
