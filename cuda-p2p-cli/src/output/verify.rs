//! The screen of `verify`: one row a pair, what was wrong, the verdict.

use super::topo::access;
use super::{ROWS, Style, bytes, heading, lines_of, pair_names, pair_rows, simulated, table, wrap};
use crate::child::Ending;
use crate::exit::Exit;
use crate::options::OrderedPair;
use crate::topo::Machine;
use crate::verify::{Finding, PairOutcome, PairReport, Report, Step, StepOutcome, StepReport};

/// What to look at when bytes are wrong although every call succeeds.
const WRONG_DATA_HINT: &str = "Every call succeeded and the data is wrong: on real machines an IOMMU or PCIe ACS that \
     redirects peer traffic is the usual cause. Run 'cuda-p2p doctor' as root, which looks for both, do what it says, \
     and verify again with --seed {seed}.";

/// The columns of the table between the pair and the result, and the steps that each stands for.
const COLUMNS: [(&str, &[Step]); 8] = [
    ("ask", &[Step::Query]),
    ("enable", &[Step::Enable]),
    ("engine\nread", &[Step::EngineRead]),
    ("engine\nwrite", &[Step::EngineWrite]),
    ("kernel\nread", &[Step::KernelRead]),
    ("kernel\nwrite", &[Step::KernelWrite]),
    ("flags", &[Step::Flags]),
    ("staged", &[Step::Disable, Step::StagedRead, Step::StagedWrite]),
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
        text += &rows(&report.pairs);
        text += &report.pairs.iter().map(|pair| details(pair, style)).collect::<String>();
        if report.verdict.wrong > 0 {
            text.push('\n');
            text += &wrap(&WRONG_DATA_HINT.replace("{seed}", &report.seed.to_string()), "");
        }
    }
    text.push('\n');
    text + &verify_last_line(report, style)
}

/// Which devices there are, those of one name together.
fn devices(machine: &Machine) -> String {
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
    let verdict = &report.verdict;
    let mark = simulated(&report.machine).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let sentence = if report.pairs.is_empty() {
        let reason = report.machine.nothing_to_test().unwrap_or_else(|| "no pair was asked for".to_owned());
        format!("nothing to test: {reason}")
    } else if verdict.unreachable == 0 && verdict.wrong == 0 && verdict.failed == 0 {
        format!("{} of {} ordered pairs proven", verdict.proven, report.pairs.len())
    } else if verdict.exit == Exit::NothingToTest && verdict.proven == 0 {
        let unreachable = names(&report.pairs, PairOutcome::Unreachable);
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
            (PairOutcome::Unreachable, verdict.unreachable, unreachable),
        ];
        let parts = counts.iter().filter(|(outcome, count, _)| *count > 0 || *outcome == PairOutcome::Proven);
        let parts = parts.map(|(outcome, count, word)| match outcome {
            PairOutcome::Proven => format!("{count} {word}"),
            listed => format!("{count} {word}: {}", names(&report.pairs, *listed)),
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let text = wrap(&format!("{sentence}{mark}"), "  ");
    if verdict.wrong > 0 || verdict.failed > 0 {
        style.bad(&text)
    } else if verdict.proven > 0 {
        style.good(&text)
    } else {
        style.warning(&text)
    }
}

fn names(pairs: &[PairReport], outcome: PairOutcome) -> String {
    let named: Vec<OrderedPair> =
        pairs.iter().filter(|pair| pair.outcome == outcome).map(|pair| pair.pair).collect();
    if named.len() > ROWS {
        return pair_names(&named);
    }
    named.iter().map(OrderedPair::to_string).collect::<Vec<_>>().join(", ")
}

fn rows(pairs: &[PairReport]) -> String {
    let mut header = [""; COLUMNS.len() + 2];
    header[0] = "pair";
    header[COLUMNS.len() + 1] = "result";
    for (place, (name, _)) in header[1..].iter_mut().zip(COLUMNS) {
        *place = name;
    }
    let mut table = table(header, &[]);
    let mut all = Vec::new();
    for pair in pairs {
        let mut row = Vec::new();
        row.extend(COLUMNS.iter().map(|(_, steps)| cell(pair, steps).to_owned()));
        row.push(
            match pair.outcome {
                PairOutcome::Proven => "proven",
                PairOutcome::WrongData => "WRONG DATA",
                PairOutcome::Failed => "FAILED",
                PairOutcome::Unreachable => "unreachable",
            }
            .to_owned(),
        );
        all.push((pair.pair, row));
    }
    let (rows, legend) = pair_rows(all);
    for row in rows {
        table.add_row(row);
    }
    lines_of(&table) + &legend
}

/// The worst of what `steps` came to.
fn cell(pair: &PairReport, steps: &[Step]) -> &'static str {
    if pair.outcome == PairOutcome::Unreachable {
        return if steps.contains(&Step::Query) { "no" } else { "-" };
    }
    let mut done = pair.steps.iter().filter(|report| steps.contains(&report.step)).peekable();
    if done.peek().is_none() {
        return "-";
    }
    let rank = |report: &StepReport| match report.outcome {
        StepOutcome::Passed => 0,
        StepOutcome::Unfinished => 1,
        StepOutcome::Failed { .. } => 2,
        StepOutcome::Wrong { .. } => 3,
    };
    match done.map(rank).max() {
        Some(3) => "WRONG",
        Some(2) => "FAILED",
        Some(1) if matches!(pair.ending, Some(Ending::Hung { .. })) => "HUNG",
        Some(1) => "DIED",
        _ if steps.contains(&Step::Query) => "yes",
        _ => "ok",
    }
}

/// What went wrong on a pair; nothing for a pair on which all is well.
fn details(pair: &PairReport, style: Style) -> String {
    let mut text = String::new();
    for step in &pair.steps {
        match &step.outcome {
            StepOutcome::Passed => {}
            StepOutcome::Wrong { findings, note } => {
                text +=
                    &style.bad(&wrap(&format!("{}: wrong bytes: {}", pair.pair, described(step)), "    "));
                text += &note.as_deref().map(indented).unwrap_or_default();
                text += &findings.iter().map(|finding| described_finding(*finding)).collect::<String>();
            }
            StepOutcome::Failed { error } => {
                text += &style.bad(&wrap(&format!("{}: failed: {}", pair.pair, described(step)), "    "));
                text += &indented(error);
            }
            StepOutcome::Unfinished => {
                text +=
                    &style.bad(&wrap(&format!("{}: not finished: {}", pair.pair, described(step)), "    "));
            }
        }
    }
    if let Some(ending) = pair.ending.as_ref().filter(|ending| **ending != Ending::Done) {
        let when = if pair.steps.is_empty() { "before the first step: " } else { "" };
        text += &wrap(&format!("{}: {when}{ending}", pair.pair), "    ");
        text += &pair.complaint.as_deref().map(indented).unwrap_or_default();
    } else if pair.outcome == PairOutcome::Failed && text.is_empty() {
        let steps = pair.not_run.iter().map(Step::to_string).collect::<Vec<_>>().join("; ");
        text += &wrap(&format!("{}: not run: {steps}", pair.pair), "    ");
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn described(step: &StepReport) -> String {
    let mut text = step.step.to_string();
    if let Some(size) = step.bytes {
        text += &format!(", {}", bytes(size));
    }
    if let Some((source, destination)) = step.offsets.filter(|offsets| *offsets != (0, 0)) {
        text +=
            &format!(", {source} bytes past alignment at the source and {destination} at the destination");
    }
    if let Some(path) = &step.path {
        text += &format!(" (path: {path})");
    }
    text
}

fn described_finding(finding: Finding) -> String {
    let Finding { device, range, bytes: size, wrong, first, expected, got, kind } = finding;
    let kind = kind.map(|kind| format!("; {kind}")).unwrap_or_default();
    let text = format!(
        "    {range} on device {device}: {wrong} of {} wrong, first at offset {first}: expected {expected:#04x}, got \
         {got:#04x}{kind}",
        bytes(size)
    );
    wrap(&text, "      ")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| wrap(&format!("    {line}"), "      ")).collect()
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
