//! The page: one file, light and dark, at the width of a phone and of a desk.

use super::documents::Documents;
use super::figure::{Figure, STYLE};
use super::markup::escaped;
use super::sections;

const PAGE_STYLE: &str = "*{box-sizing:border-box}body{margin:0;background:var(--surface);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif}main{max-width:1120px;margin:0 auto;padding:24px 16px 64px}\
h1{font-size:1.6rem;margin:0 0 4px}h2{font-size:1.2rem;margin:40px 0 12px;border-bottom:1px solid var(--line);padding-bottom:6px}\
.foot{margin-top:48px}h3{font-size:1rem;margin:0 0 6px}p,li,figcaption{overflow-wrap:anywhere}p{margin:0 0 10px;max-width:75ch}.muted,.tags{color:var(--muted)}.tags{font-size:.85rem}\
.verdict{font-size:1.1rem;font-weight:600}.verdict.good{color:var(--good)}.bad h3,.verdict.bad{color:var(--bad)}.warn h3{color:var(--warn)}\
.simulated{background:var(--bad);color:var(--on-high);padding:10px 14px;border-radius:6px;font-weight:600;margin:0 0 16px}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}th,td{text-align:left;padding:5px 14px 5px 0;\
border-bottom:1px solid var(--line);white-space:nowrap}th{color:var(--muted);font-weight:600}\
section>div+h3,.charts+h3,.scroll+h3{margin-top:24px}.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--least,300px)),1fr));gap:24px}\
figure{margin:0;min-width:0}figcaption{font-size:.9rem;font-weight:600;margin-bottom:6px}figure.wide{grid-column:1/-1}\
svg{display:block;width:100%;height:auto}article{border:1px solid var(--line);border-left:4px solid var(--muted);border-radius:6px;\
padding:12px 16px;margin:0 0 14px}article.bad{border-left-color:var(--bad)}article.warn{border-left-color:var(--warn)}\
dt{margin-top:6px}dd{margin:0 0 0 16px;overflow-wrap:anywhere}code{font-size:.85em;overflow-wrap:anywhere}\
.pairs{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:8px}.pairs li{border:1px solid var(--line);border-radius:6px;padding:2px 10px;\
font-size:.9rem}.pairs .good b{color:var(--good)}.pairs .bad,.pairs .bad b{color:var(--bad);border-color:var(--bad)}";

const MORE_COLOURS: &str = ":root{--good:#166534;--warn:#9a5b00;color-scheme:light dark}\
@media (prefers-color-scheme:dark){:root{--good:#4ade80;--warn:#fbbf24}}";

/// A matrix wider than this has a row of its own, and scrolls where the window is narrower.
const WIDE: f64 = 420.0;
/// What has a row of its own becomes no narrower than this, so that it stays readable.
const LEAST: f64 = 400.0;

/// The whole file.
pub(super) fn page(documents: &Documents, charts: &[Figure]) -> String {
    let (class, verdict) = sections::verdict(documents);
    let mut body = "<h1>GPU peer-to-peer access</h1>".to_owned();
    if documents.is_simulated() {
        body += "<p class=\"simulated\">SIMULATED: no real hardware was looked at, and no speed was measured.</p>";
    }
    body += &format!("<p class=\"verdict {class}\">{}</p>", escaped(&verdict));
    if let Some(machine) = documents.machine() {
        body += &format!("<section><h2>Machine</h2>{}</section>", sections::machine(machine));
    }
    let parts = [
        ("Proof, accessor-&gt;owner", sections::pairs(documents)),
        ("Findings", sections::findings(documents)),
        ("Speed", speed(documents, charts)),
    ];
    for (title, html) in parts {
        if !html.is_empty() {
            body += &format!("<section><h2>{title}</h2>{html}</section>");
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>GPU peer-to-peer access</title>\
         <style>{}{MORE_COLOURS}{STYLE}{PAGE_STYLE}</style></head><body><main>{body}\
         <p class=\"muted foot\">Made by cuda-p2p {}.</p></main></body></html>\n",
        Figure::colours(),
        env!("CARGO_PKG_VERSION")
    )
}

fn speed(documents: &Documents, charts: &[Figure]) -> String {
    let Some(bench) = &documents.bench else { return String::new() };
    if bench.machine.simulated {
        return "<p>The copies were made and their data checked. A simulator's times mean nothing, so none are shown.</p>".to_owned();
    }
    let mut html = sections::method(bench.bytes, bench.samples);
    html += "<div class=\"charts\">";
    for chart in charts {
        let (class, least) =
            if chart.size.0 > WIDE { (" class=\"wide\"", chart.size.0.min(LEAST)) } else { ("", 0.0) };
        html += &format!(
            "<figure{class}><figcaption>{}</figcaption><div class=\"scroll\"><div style=\"min-width:{least}px\">{}</div></div></figure>",
            escaped(&chart.title),
            chart.inline()
        );
    }
    html + "</div>" + &sections::comparisons(&bench.comparisons)
}

#[cfg(test)]
#[path = "page_tests.rs"]
pub(super) mod tests;
