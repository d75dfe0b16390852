//! A picture: SVG that takes its colours from the page, or has its own where it stands alone.

use super::markup::escaped;

/// Colours of a picture that stands alone, light and dark; on the page the page's own have the same names.
const COLOURS: &str = ":root{--ink:#16202c;--muted:#5b6877;--line:#d4dbe3;--surface:#ffffff;--low:#e8f0fb;--high:#1d4ed8;\
--on-high:#ffffff;--bad:#b42318;--s0:#1d4ed8;--s1:#c2410c;--s2:#0f766e;--s3:#7e22ce}\
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf2;--muted:#9aa7b6;--line:#37424f;--surface:#11161d;--low:#1a2431;\
--high:#3b82f6;--on-high:#ffffff;--bad:#ff8a7a;--s0:#60a5fa;--s1:#fb923c;--s2:#2dd4bf;--s3:#c084fc}}";

/// What the classes in a picture mean, here as on the page.
pub(super) const STYLE: &str = "svg text{font:13px system-ui,sans-serif;fill:var(--ink)}svg .muted{fill:var(--muted)}\
svg .grid{stroke:var(--line);stroke-width:1}svg .limit{stroke:var(--muted);stroke-width:1.5;stroke-dasharray:6 4}\
svg .cell{fill:color-mix(in oklab,var(--high) var(--p),var(--low));stroke:var(--surface);stroke-width:2}\
svg .none{fill:none;stroke:var(--line)}svg .wrong{fill:var(--bad)}svg .on-high,svg .on-bad{fill:var(--on-high)}\
svg .line{fill:none;stroke-width:2}svg .band{opacity:.15;stroke:none}";

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Name of its file, without the ending.
    pub(crate) name: String,
    /// What it shows, with unit and direction.
    pub(crate) title: String,
    /// How wide and high it is, in units of its own.
    pub(crate) size: (f64, f64),
    /// What is in it.
    pub(crate) body: String,
}

impl Figure {
    /// For the page. At its own width, or the column's if that is narrower.
    pub(super) fn inline(&self) -> String {
        let Self { title, size: (width, height), body, .. } = self;
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\" role=\"img\" aria-label=\"{}\">{body}</svg>",
            escaped(title)
        )
    }

    /// As a file of its own.
    pub(super) fn standalone(&self) -> String {
        let Self { title, size: (width, height), body, .. } = self;
        let (title, top) = (escaped(title), 28.0);
        let whole = height + top;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" width=\"{width}\" height=\"{whole}\">\
             <style>{COLOURS}{STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"var(--surface)\"/>\
             <text x=\"8\" y=\"18\" font-weight=\"600\">{title}</text><g transform=\"translate(0 {top})\">{body}</g></svg>\n"
        )
    }

    /// The colours, for the page.
    pub(super) fn colours() -> &'static str {
        COLOURS
    }
}
