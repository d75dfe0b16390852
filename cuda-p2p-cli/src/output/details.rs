//! What was wrong on a pair, step by step.

use std::collections::BTreeSet;

use super::{Style, bytes, plural, wrap};
use crate::child::Ending;
use crate::verify::{Finding, PairOutcome, PairReport, Step, StepOutcome, StepReport};

/// What went wrong on a pair; nothing for a pair on which all is well. Of the moves of one step that were wrong, the first.
pub(super) fn details(pair: &PairReport, style: Style) -> String {
    let mut text = String::new();
    for moves in pair.steps.chunk_by(|one, next| one.step == next.step) {
        let mut wrong: Vec<&StepReport> = Vec::new();
        for step in moves {
            match &step.outcome {
                StepOutcome::Passed | StepOutcome::Skipped { .. } => {}
                StepOutcome::Wrong { findings, note } => {
                    wrong.push(step);
                    if wrong.len() > 1 {
                        continue;
                    }
                    text += &headline(pair, "wrong bytes", step, style);
                    text += &note.as_deref().map(indented).unwrap_or_default();
                    text += &findings.iter().map(|finding| described_finding(*finding)).collect::<String>();
                }
                StepOutcome::Failed { error } => {
                    text += &headline(pair, "failed", step, style);
                    text += &indented(error);
                }
                StepOutcome::Unfinished => text += &headline(pair, "not finished", step, style),
            }
        }
        if let [_, others @ ..] = wrong.as_slice()
            && !others.is_empty()
        {
            let sizes: BTreeSet<u64> = others.iter().filter_map(|step| step.bytes).collect();
            let sizes = sizes.into_iter().map(bytes).collect::<Vec<_>>().join(", ");
            let left = plural(others.len(), "other move", "other moves");
            text += &indented(&format!(
                "wrong as well: {left} of this step, of {} in all ({sizes}); --json lists each",
                moves.len()
            ));
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

/// The pair, what came of the step, and which step it was.
fn headline(pair: &PairReport, what: &str, step: &StepReport, style: Style) -> String {
    style.bad(&wrap(&format!("{}: {what}: {}", pair.pair, described(step)), "    "))
}

pub(super) fn described(step: &StepReport) -> String {
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

pub(super) fn described_finding(finding: Finding) -> String {
    let Finding { device, range, bytes: size, wrong, first, expected, got, kind } = finding;
    let kind = kind.map(|kind| format!("; {kind}")).unwrap_or_default();
    // Both numbers in one unit.
    let unit = if size == 1 { "byte" } else { "bytes" };
    let text = format!(
        "    {range} on device {device}: {wrong} of {size} {unit} wrong, first at offset {first}: expected {expected:#04x}, got \
         {got:#04x}{kind}"
    );
    wrap(&text, "      ")
}

pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| wrap(&format!("    {line}"), "      ")).collect()
}
