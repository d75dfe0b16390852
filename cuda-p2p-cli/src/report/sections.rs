//! The parts of the page that are words: the machine, what was proven, what the doctor says, other tools' figures.

use super::documents::{Comparison, Documents, Finding};
use super::markup::{escaped, number, size};
use crate::bench::Test;
use crate::topo::Machine;

/// One line below the title: how it stands.
pub(super) fn verdict(documents: &Documents) -> (&'static str, String) {
    let Some(verify) = &documents.verify else { return ("plain", "Not verified.".to_owned()) };
    let count = |outcome: &str| verify.pairs.iter().filter(|pair| pair.outcome == outcome).count();
    let (all, proven, unreachable) = (verify.pairs.len(), count("proven"), count("unreachable"));
    let untested = count("untested");
    let (wrong, broken) = (count("wrong_data"), all - proven - unreachable - untested);
    let mut text = format!("{proven} of {all} ordered pairs proven");
    if untested > 0 {
        text += &format!("; {untested} not tested");
    }
    match verify.verdict.skipped {
        0 => {}
        1 => text += "; 1 path skipped",
        skipped => text += &format!("; {skipped} paths skipped"),
    }
    match (wrong, broken) {
        (0, 0) if all == 0 => ("plain", "No pair to verify.".to_owned()),
        (0, 0) if unreachable > 0 => ("plain", format!("{text}; {unreachable} have no peer access.")),
        (0, 0) if untested > 0 => ("plain", format!("{text}.")),
        (0, 0) => ("good", format!("{text}.")),
        (0, _) => ("bad", format!("{text}; {broken} FAILED.")),
        _ => ("bad", format!("{text}; {wrong} with WRONG DATA, {} FAILED.", broken - wrong)),
    }
}

/// The devices.
pub(super) fn machine(machine: &Machine) -> String {
    let mut facts = vec![
        format!("CUDA runtime {}", machine.runtime_version),
        format!("driver for CUDA {}", machine.driver_cuda_version),
    ];
    facts.extend(machine.driver_version.iter().map(|version| format!("driver {version}")));
    let mut html = format!("<p>{}</p>", escaped(&facts.join(", ")));
    html += "<div class=\"scroll\"><table><thead><tr><th>#</th><th>name</th><th>bus id</th><th>NVML</th><th>memory</th></tr></thead><tbody>";
    for device in &machine.devices {
        let nvml = device.nvml_index.map_or("-".to_owned(), |index| index.to_string());
        let memory = device
            .memory_bytes
            .map_or("-".to_owned(), |bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
        html += &format!(
            "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{nvml}</td><td>{memory}</td></tr>",
            device.ordinal,
            escaped(&device.name),
            escaped(&device.bus_id)
        );
    }
    html + "</tbody></table></div>"
}

/// So many pairs are listed one by one; of more, those alone that are not proven.
const LISTED: usize = 12;

/// Each pair, if there is something to say of one.
pub(super) fn pairs(documents: &Documents) -> String {
    let Some(verify) = &documents.verify else { return String::new() };
    let all = verify.pairs.len() <= LISTED;
    let mut html = String::new();
    for pair in verify.pairs.iter().filter(|pair| all || pair.outcome != "proven") {
        let class = match pair.outcome.as_str() {
            "proven" => "good",
            "unreachable" | "untested" => "plain",
            _ => "bad",
        };
        html += &format!(
            "<li class=\"{class}\"><b>{}</b> {}</li>",
            escaped(&pair.pair.to_string()),
            escaped(&pair.outcome.replace('_', " "))
        );
    }
    if html.is_empty() {
        "<p>Every ordered pair is proven.</p>".to_owned()
    } else {
        format!("<ul class=\"pairs\">{html}</ul>")
    }
}

/// What the doctor says.
pub(super) fn findings(documents: &Documents) -> String {
    let Some(doctor) = &documents.doctor else { return String::new() };
    let mut html = String::new();
    if doctor.findings.is_empty() {
        html += "<p>Nothing found.</p>";
    }
    html += &doctor.findings.iter().map(finding).collect::<String>();
    if !doctor.gaps.is_empty() {
        html += "<h3>What could not be read</h3><ul>";
        html += &doctor.gaps.iter().map(|gap| format!("<li>{}</li>", escaped(gap))).collect::<String>();
        html += "</ul>";
    }
    html
}

fn finding(finding: &Finding) -> String {
    let class = if finding.effect == "blocks" {
        "bad"
    } else if finding.effect == "slows" {
        "warn"
    } else {
        "plain"
    };
    let pairs = finding.pairs.as_ref().map(|pairs| {
        let names: Vec<String> = pairs.iter().map(ToString::to_string).collect();
        format!(" · {}", names.join(", "))
    });
    let mut html = format!(
        "<article class=\"{class}\"><h3>{}</h3><p class=\"tags\">{} · {}{}</p>",
        escaped(&finding.condition.replace('_', " ")),
        escaped(&finding.effect),
        escaped(&finding.certainty),
        escaped(&pairs.unwrap_or_default())
    );
    html += &format!(
        "<p>{}</p><p><b>What to do:</b> {}</p>",
        escaped(&finding.meaning),
        escaped(&finding.remedy)
    );
    html += "<details><summary>What was read</summary><dl>";
    for evidence in &finding.evidence {
        html += &format!(
            "<dt><code>{}</code></dt><dd>{}</dd>",
            escaped(&evidence.source),
            escaped(&evidence.read)
        );
    }
    html + "</dl></details></article>"
}

/// Other tools' figures of the same run.
pub(super) fn comparisons(comparisons: &[Comparison]) -> String {
    let mut html = String::new();
    for comparison in comparisons {
        html += &format!("<h3>{}</h3>", escaped(&comparison.tool));
        if let Some(problem) = &comparison.problem {
            html += &format!("<p class=\"muted\">{}</p>", escaped(problem));
            continue;
        }
        html += "<div class=\"scroll\"><table><thead><tr><th>what</th><th>where</th><th>theirs</th><th>ours</th><th>ratio</th></tr></thead><tbody>";
        for figure in &comparison.figures {
            let small = Test::SMALL.contains(&figure.test);
            let of = if small { format!(", {}", size(figure.bytes)) } else { String::new() };
            html += &format!(
                "<tr><td>{}{of}</td><td>{}</td><td>{} {}</td><td>{} {}</td><td>{:.3}</td></tr>",
                escaped(figure.test.title()),
                figure.place,
                number(figure.theirs),
                figure.unit,
                number(figure.ours),
                figure.unit,
                figure.ratio
            );
        }
        html += "</tbody></table></div>";
    }
    html
}

/// How it was measured.
pub(super) fn method(bytes: u64, samples: u32) -> String {
    format!(
        "<p class=\"muted\">Large copies of {}. Each figure is the median of {samples} samples, timed by events with the stream held \
         back until all was queued, and counted only after the data was found right.</p>",
        size(bytes)
    )
}
