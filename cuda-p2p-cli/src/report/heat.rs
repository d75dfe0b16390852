//! A matrix of ordered pairs: a row for each accessor, a column for each owner.

use super::figure::Figure;
use super::markup::{escaped, number};
use crate::options::OrderedPair;

/// Width and height of a cell.
const CELL: (f64, f64) = (60.0, 40.0);
/// Room for the names of the rows and of the columns.
const MARGIN: (f64, f64) = (84.0, 46.0);

/// From this part of the full colour on, a light text is the more readable one.
const DEEP: f64 = 0.65;

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// A figure.
    Value(f64),
    /// Nothing was measured, and why in a word.
    Word(String),
    /// The data was wrong.
    Wrong,
}

/// The matrix; what reaches `full` has the deepest colour.
pub(super) fn heat_map(
    name: &str,
    title: String,
    devices: &[u32],
    full: f64,
    cell: impl Fn(OrderedPair) -> Cell,
) -> Figure {
    let (left, top) = MARGIN;
    let (width, height) = CELL;
    let size = (left + width * devices.len() as f64 + 4.0, top + height * devices.len() as f64 + 4.0);
    let mut body = format!(
        "<text class=\"muted\" x=\"{left}\" y=\"14\">owner</text>\
         <text class=\"muted\" x=\"4\" y=\"{}\">accessor</text>",
        top - 12.0
    );
    for (index, device) in devices.iter().enumerate() {
        let (x, y) = (left + width * (index as f64 + 0.5), top + height * (index as f64 + 0.5) + 4.0);
        body += &format!("<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{device}</text>", top - 12.0);
        body += &format!("<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{device}</text>", left - 12.0);
    }
    for (row, accessor) in devices.iter().enumerate() {
        for (column, owner) in devices.iter().enumerate() {
            let (x, y) = (left + width * column as f64, top + height * row as f64);
            let inset = |by: f64| {
                let (x, y, width, height) = (x + by, y + by, width - 2.0 * by, height - 2.0 * by);
                format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\"")
            };
            // An outline lies within its cell, or the next one is drawn over it.
            let (place, within) = (inset(0.0), inset(1.5));
            if accessor == owner {
                body += &format!("<rect class=\"none\" {within}/>");
                continue;
            }
            let pair = OrderedPair { accessor: *accessor, owner: *owner };
            let (rect, class, text) = match cell(pair) {
                Cell::Value(value) => {
                    let part = if full > 0.0 { (value / full).clamp(0.0, 1.0) } else { 0.0 };
                    let class = if part > DEEP { "on-high" } else { "" };
                    // Two rectangles: every program that draws SVG can lay one over another, and few can mix colours.
                    let over =
                        format!("<rect class=\"cell high\" style=\"fill-opacity:{part:.2}\" {place}/>");
                    (format!("<rect class=\"cell\" {place}/>{over}"), class, number(value))
                }
                Cell::Word(word) => (format!("<rect class=\"none\" {within}/>"), "muted", word),
                Cell::Wrong => (format!("<rect class=\"wrong\" {place}/>"), "on-bad", "WRONG".to_owned()),
            };
            let text = escaped(&text);
            body += &format!("<g><title>{pair}: {text}</title>{rect}");
            let (x, y) = (x + width / 2.0, y + height / 2.0 + 4.0);
            body += &format!(
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{text}</text></g>"
            );
        }
    }
    Figure { name: name.to_owned(), title, size, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(full: f64, cell: impl Fn(OrderedPair) -> Cell) -> String {
        heat_map("name", "t".to_owned(), &[0, 1, 2], full, cell).body
    }

    #[test]
    fn each_ordered_pair_has_its_cell_and_no_device_one_with_itself() {
        let body = figure(6.0, |pair| Cell::Value(f64::from(10 * pair.accessor + pair.owner)));
        for pair in ["0->1: 1.00", "1->0: 10.0", "2->1: 21.0"] {
            assert!(body.contains(&format!("<title>{pair}</title>")), "{pair} in {body}");
        }
        assert_eq!(body.matches("<title>").count(), 6);
        assert!(body.contains("fill-opacity:0.17") && body.contains("fill-opacity:1.00"));
    }

    #[test]
    fn what_was_not_measured_has_no_colour() {
        let body = figure(0.0, |pair| match pair.accessor {
            0 => Cell::Wrong,
            1 => Cell::Word("<none>".to_owned()),
            _ => Cell::Value(1.0),
        });
        assert_eq!(body.matches("class=\"wrong\"").count(), 2);
        assert!(body.contains("&lt;none&gt;") && body.contains("fill-opacity:0.00"));
    }
}
