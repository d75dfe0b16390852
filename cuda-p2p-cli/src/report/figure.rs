//! A picture: SVG that takes its colours from the page, or has its own where it stands alone.

use super::markup::escaped;

/// Colours by name, as the page has them too: where it is light, and where it is dark.
const COLOURS: [(&str, &str, &str); 12] = [
    ("ink", "#16202c", "#e6ebf2"),
    ("muted", "#5b6877", "#9aa7b6"),
    ("line", "#d4dbe3", "#37424f"),
    ("surface", "#ffffff", "#11161d"),
    ("low", "#e8f0fb", "#1a2431"),
    ("high", "#1d4ed8", "#3b82f6"),
    ("on-high", "#ffffff", "#ffffff"),
    ("bad", "#b42318", "#ff8a7a"),
    ("s0", "#1d4ed8", "#60a5fa"),
    ("s1", "#c2410c", "#fb923c"),
    ("s2", "#0f766e", "#2dd4bf"),
    ("s3", "#7e22ce", "#c084fc"),
];

/// What the classes in a picture mean, here as on the page.
pub(super) const STYLE: &str = "svg text{font:13px system-ui,sans-serif;fill:var(--ink)}svg .muted{fill:var(--muted)}\
svg .grid{stroke:var(--line);stroke-width:1}svg .limit{stroke:var(--muted);stroke-width:1.5;stroke-dasharray:6 4}\
svg .cell{fill:var(--low);stroke:var(--surface);stroke-width:2}svg .high{fill:var(--high)}\
svg .none{fill:none;stroke:var(--line)}svg .wrong{fill:var(--bad)}svg .on-high,svg .on-bad{fill:var(--on-high)}\
svg .line{fill:none;stroke-width:2}svg .band{opacity:.15;stroke:none}svg .title{font-weight:600}";

/// Which of the two sets of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// What a name stands for.
    fn colours(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        COLOURS
            .into_iter()
            .map(move |(name, light, dark)| (name, if self == Self::Light { light } else { dark }))
    }
}

/// Room around a picture that stands alone, and the least width of what is in it: its title takes that.
const EDGE: f64 = 12.0;
const LEAST_WIDTH: f64 = 380.0;
/// Height of a line of the title, and what a letter of it takes at most on average.
const TITLE_LINE: f64 = 18.0;
const LETTER: f64 = 7.2;

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

    /// As a file of its own, light or dark as who looks at it likes it.
    pub(super) fn standalone(&self) -> String {
        self.alone(&Self::colours())
    }

    /// The same in colours that are fixed, and said in place of their names: not every program knows variables.
    #[cfg(feature = "png")]
    pub(super) fn fixed(&self, theme: Theme) -> String {
        let named = self.alone("");
        theme.colours().fold(named, |svg, (name, colour)| svg.replace(&format!("var(--{name})"), colour))
    }

    fn alone(&self, colours: &str) -> String {
        let Self { title, size, body, .. } = self;
        let width = size.0.max(LEAST_WIDTH) + 2.0 * EDGE;
        let lines = title_lines(title, size.0.max(LEAST_WIDTH));
        let top = EDGE + TITLE_LINE * lines.len() as f64 + 6.0;
        let height = size.1 + top + EDGE;
        let title: String = (1..)
            .zip(&lines)
            .map(|(number, line)| {
                let y = EDGE + TITLE_LINE * f64::from(number) - 5.0;
                format!("<text class=\"title\" x=\"{EDGE}\" y=\"{y}\">{}</text>", escaped(line))
            })
            .collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
             <style>{colours}{STYLE}</style><rect width=\"100%\" height=\"100%\" style=\"fill:var(--surface)\"/>{title}\
             <g transform=\"translate({EDGE} {top})\">{body}</g></svg>\n"
        )
    }

    /// The colours as a style sheet has them, for the page.
    pub(super) fn colours() -> String {
        let of = |theme: Theme| {
            let named: Vec<String> =
                theme.colours().map(|(name, colour)| format!("--{name}:{colour}")).collect();
            format!(":root{{{}}}", named.join(";"))
        };
        format!("{}@media (prefers-color-scheme:dark){{{}}}", of(Theme::Light), of(Theme::Dark))
    }
}

/// The title in lines of at most `width`.
fn title_lines(title: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split(' ') {
        match lines.last_mut() {
            Some(line) if (line.len() + 1 + word.len()) as f64 * LETTER <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
