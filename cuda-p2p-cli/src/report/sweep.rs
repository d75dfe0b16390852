//! Rates over sizes, both on logarithmic axes, with what the wires carry drawn in.

use super::figure::Figure;
use super::markup::{escaped, number, size};

const SIZE: (f64, f64) = (600.0, 380.0);
/// Left, top, right and bottom.
const MARGIN: (f64, f64, f64, f64) = (50.0, 16.0, 16.0, 44.0);
/// Height of a line of the legend, and how far it is from the right end: rates rise to the right, so there is room below.
const LINE: f64 = 19.0;
const LEGEND: f64 = 190.0;

/// One line of the picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// What it is.
    pub(super) name: String,
    /// By size in bytes: the lowest, the median and the highest rate of all pairs, in GB/s.
    pub(super) points: Vec<(u64, [f64; 3])>,
}

/// Where values lie in the picture.
struct Axes {
    bytes: (f64, f64),
    rate: (f64, f64),
}

impl Axes {
    fn of(series: &[Series], limit: Option<f64>) -> Option<Self> {
        let points = || series.iter().flat_map(|line| &line.points);
        let sizes = points().map(|(bytes, _)| (*bytes as f64).log2());
        let rates =
            points().flat_map(|(_, rates)| *rates).chain(limit).filter(|rate| *rate > 0.0).map(f64::log10);
        let span = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(None, |span: Option<(f64, f64)>, value| {
                let (low, high) = span.unwrap_or((value, value));
                Some((low.min(value), high.max(value)))
            })
        };
        let (bytes, rate) = (span(&mut { sizes })?, span(&mut { rates })?);
        // Something to divide by, and whole decades.
        Some(Self {
            bytes: (bytes.0, bytes.1.max(bytes.0 + 1.0)),
            rate: (rate.0.floor(), rate.1.ceil().max(rate.0.floor() + 1.0)),
        })
    }

    fn x(&self, bytes: u64) -> f64 {
        let part = ((bytes as f64).log2() - self.bytes.0) / (self.bytes.1 - self.bytes.0);
        MARGIN.0 + part * (SIZE.0 - MARGIN.0 - MARGIN.2)
    }

    fn y(&self, rate: f64) -> f64 {
        let part = (rate.max(f64::MIN_POSITIVE).log10() - self.rate.0) / (self.rate.1 - self.rate.0);
        SIZE.1 - MARGIN.3 - part.clamp(0.0, 1.0) * (SIZE.1 - MARGIN.1 - MARGIN.3)
    }
}

/// The picture, or nothing if there is no size to draw; `limit` is what the wires carry, in GB/s, and why.
pub(super) fn sweep(
    name: &str,
    title: String,
    series: &[Series],
    limit: Option<(f64, String)>,
) -> Option<Figure> {
    let axes = Axes::of(series, limit.as_ref().map(|(rate, _)| *rate))?;
    let mut body = grid(&axes, series);
    let right = SIZE.0 - MARGIN.2;
    if let Some((rate, why)) = &limit {
        let y = axes.y(*rate);
        body += &format!(
            "<line class=\"limit\" x1=\"{0}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"><title>{1}</title></line>\
             <text class=\"muted\" x=\"{2}\" y=\"{3:.1}\">the wires: {4}</text>",
            MARGIN.0,
            escaped(why),
            MARGIN.0 + 8.0,
            y - 5.0,
            number(*rate)
        );
    }
    for (index, line) in series.iter().enumerate() {
        let colour = format!("var(--s{})", index % 4);
        body += &drawn(line, &axes, &colour);
        let y = SIZE.1 - MARGIN.3 - 14.0 - LINE * (series.len() - 1 - index) as f64;
        body += &format!(
            "<line class=\"line\" style=\"stroke:{colour}\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/><text x=\"{3}\" y=\"{y}\">{4}</text>",
            right - LEGEND,
            right - LEGEND + 22.0,
            y - 4.0,
            right - LEGEND + 30.0,
            escaped(&line.name)
        );
    }
    Some(Figure { name: name.to_owned(), title, size: SIZE, body })
}

fn drawn(line: &Series, axes: &Axes, colour: &str) -> String {
    let path =
        |which: usize| line.points.iter().map(move |(bytes, rates)| (axes.x(*bytes), axes.y(rates[which])));
    let text = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    };
    let lower = line.points.iter().rev().map(|(bytes, rates)| (axes.x(*bytes), axes.y(rates[0])));
    let mut body = format!(
        "<polygon class=\"band\" style=\"fill:{colour}\" points=\"{}\"/><polyline class=\"line\" style=\"stroke:{colour}\" points=\"{}\"/>",
        text(&mut path(2).chain(lower)),
        text(&mut path(1))
    );
    for ((bytes, [low, median, high]), (x, y)) in line.points.iter().zip(path(1)) {
        body += &format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" style=\"fill:{colour}\"><title>{}, {}: {} GB/s ({} to {})</title></circle>",
            escaped(&line.name),
            size(*bytes),
            number(*median),
            number(*low),
            number(*high)
        );
    }
    body
}

fn grid(axes: &Axes, series: &[Series]) -> String {
    let (bottom, right) = (SIZE.1 - MARGIN.3, SIZE.0 - MARGIN.2);
    let mut body = String::new();
    for decade in axes.rate.0 as i32..=axes.rate.1 as i32 {
        let rate = 10f64.powi(decade);
        let y = axes.y(rate);
        body +=
            &format!("<line class=\"grid\" x1=\"{}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>", MARGIN.0);
        body += &format!(
            "<text class=\"muted\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{rate}</text>",
            MARGIN.0 - 8.0,
            y + 4.0
        );
    }
    let mut sizes: Vec<u64> =
        series.iter().flat_map(|line| line.points.iter().map(|(bytes, _)| *bytes)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut free = f64::MIN;
    for bytes in sizes {
        let x = axes.x(bytes);
        body += &format!(
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{bottom}\" y2=\"{}\"/>",
            bottom + 5.0
        );
        // As many names as have room.
        if x - free > 52.0 {
            body += &format!(
                "<text class=\"muted\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                size(bytes)
            );
            free = x;
        }
    }
    body + &format!(
        "<text class=\"muted\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">bytes of a copy</text>",
        (MARGIN.0 + right) / 2.0,
        SIZE.1 - 6.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, rates: &[(u64, f64)]) -> Series {
        let points = rates.iter().map(|(bytes, rate)| (*bytes, [rate * 0.9, *rate, rate * 1.1])).collect();
        Series { name: name.to_owned(), points }
    }

    #[test]
    fn every_point_is_there_and_the_limit_is_named() {
        let lines = [
            line("engine", &[(4096, 1.5), (1 << 20, 200.0), (1 << 30, 396.0)]),
            line("kernel", &[(4096, 1.6)]),
        ];
        let figure = sweep("n", "t".to_owned(), &lines, Some((478.0, "18 links".to_owned()))).unwrap();
        for part in [
            "engine, 4 KiB: 1.50 GB/s (1.35 to 1.65)",
            "kernel, 4 KiB",
            "the wires: 478",
            "<title>18 links</title>",
        ] {
            assert!(figure.body.contains(part), "{part} in {}", figure.body);
        }
        assert_eq!(figure.body.matches("<circle").count(), 4);
    }

    #[test]
    fn nothing_measured_is_no_picture() {
        assert!(sweep("n", "t".to_owned(), &[], None).is_none());
        assert!(sweep("n", "t".to_owned(), &[line("x", &[])], Some((1.0, String::new()))).is_none());
    }
}
