//! The screen of `doctor`: findings, the worst first, then what could not be read, then the verdict.

use super::{Style, heading, pair_names, plural, simulated, wrap};
use crate::doctor::{Certainty, Effect, Finding, Report, TrialOutcome};
use crate::topo::Machine;

/// Indent of what belongs to a finding.
const INDENT: &str = "   ";

/// Indent of its further lines.
const FURTHER: &str = "     ";

/// The whole screen.
pub(crate) fn doctor(report: &Report, style: Style) -> String {
    let snapshot = &report.snapshot;
    let mut text = match &snapshot.cuda.machine {
        Some(machine) => {
            let alone = match machine.devices.len() {
                0 | 1 => {
                    machine.nothing_to_test().map(|reason| wrap(&format!("Nothing to try: {reason}."), "  "))
                }
                _ => None,
            };
            heading(machine, style) + &wrap(&examined(machine, report), "  ") + &alone.unwrap_or_default()
        }
        None => style.warning(&wrap("CUDA does not start on this machine.", "  ")),
    };
    for (index, finding) in report.findings.iter().enumerate() {
        text += &described(index + 1, finding, style);
    }
    if !report.gaps.is_empty() {
        text += &format!("\n{}\n", style.title("Not read"));
        text += &report.gaps.iter().map(|gap| wrap(&format!("{INDENT}{gap}"), FURTHER)).collect::<String>();
    }
    text.push('\n');
    text + &doctor_last_line(report, style)
}

/// What was looked at, in a line.
fn examined(machine: &Machine, report: &Report) -> String {
    let trials = &report.snapshot.cuda.trials;
    let proven = trials.iter().filter(|trial| trial.outcome == TrialOutcome::Proven).count();
    let tried = match trials.len() {
        0 => "none tried".to_owned(),
        count => format!("{count} tried, {proven} proven"),
    };
    format!(
        "{}, {}: {tried}",
        plural(machine.devices.len(), "device", "devices"),
        plural(machine.pairs.len(), "ordered pair", "ordered pairs")
    )
}

/// One line: how many problems, how many notices.
pub(crate) fn doctor_last_line(report: &Report, style: Style) -> String {
    let machine = report.snapshot.cuda.machine.as_ref();
    let mark = machine.and_then(simulated).map(|mark| format!(" ({mark})")).unwrap_or_default();
    let counts = [
        (Effect::Blocks, "that keeps pairs from working", "that keep pairs from working"),
        (Effect::Slows, "that slows them down", "that slow them down"),
    ];
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(effect, _, _)| report.count(*effect) > 0)
        .map(|(effect, one, many)| {
            let count = report.count(*effect);
            format!(
                "{count} {}",
                if count == 1 { format!("condition {one}") } else { format!("conditions {many}") }
            )
        })
        .collect();
    let sick = !parts.is_empty();
    if !sick {
        parts.push("no problem found".to_owned());
    }
    if report.count(Effect::Notice) > 0 {
        parts.push(plural(report.count(Effect::Notice), "notice", "notices"));
    }
    let text = wrap(&format!("{}{mark}", parts.join(", ")), "  ");
    if sick { style.bad(&text) } else { style.good(&text) }
}

fn described(number: usize, finding: &Finding, style: Style) -> String {
    let effect = match finding.effect {
        Effect::Blocks => "BLOCKS",
        Effect::Slows => "SLOWS",
        Effect::Notice => "note",
    };
    let certainty = match finding.certainty {
        Certainty::Certain => "certain",
        Certainty::Likely => "likely",
        Certainty::Possible => "possible",
    };
    let title = wrap(&format!("{number}. {effect}: {} ({certainty})", finding.condition.title()), INDENT);
    let title = match finding.effect {
        Effect::Blocks => style.bad(&title),
        Effect::Slows => style.warning(&title),
        Effect::Notice => style.title(&title),
    };
    let mut text = format!("\n{title}");
    if let Some(pairs) = &finding.pairs {
        text += &wrap(&format!("{INDENT}pairs: {}", pair_names(pairs)), FURTHER);
    }
    for evidence in &finding.evidence {
        text += &wrap(&format!("{INDENT}read: {}: {}", evidence.source, evidence.read), FURTHER);
    }
    text += &wrap(&format!("{INDENT}means: {}", finding.meaning), FURTHER);
    text + &wrap(&format!("{INDENT}do: {}", finding.remedy), FURTHER)
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
