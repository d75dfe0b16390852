//! Measurements of several sizes: a row for each size.

use super::bench::{cell, number};
use super::{ROWS, Style, bytes, lines_of, table, wrap};
use crate::bench::{BenchResult, Due, Outcome, Place, Report, Test, Unit};

/// A table for each pair, with a column for each test; of many pairs a table for each test, with what all of them come to.
pub(super) fn by_size(
    report: &Report,
    title: &str,
    tests: &[Test; 4],
    header: [&str; 5],
    style: Style,
) -> String {
    let of_tests = || report.results.iter().filter(|result| tests.contains(&result.test));
    let mut places: Vec<Place> = of_tests().map(|result| result.place).collect();
    places.dedup();
    if places.len() > ROWS {
        return together(report, title, tests, style);
    }
    let mut text = String::new();
    for place in places {
        let mut rows = table(header, &[0, 1, 2, 3, 4]);
        for size in sizes(of_tests().filter(|result| result.place == place)) {
            let cells = tests.map(|test| {
                report.result(place, Due { test, bytes: size }).map_or_else(|| "-".to_owned(), cell)
            });
            let [a, b, c, d] = cells;
            rows.add_row([bytes(size), a, b, c, d]);
        }
        text += &format!("\n{}\n{}", style.title(&format!("{title}: {place}")), lines_of(&rows));
    }
    text
}

fn sizes<'r>(results: impl Iterator<Item = &'r BenchResult>) -> Vec<u64> {
    let mut sizes: Vec<u64> = results.map(|result| result.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn together(report: &Report, title: &str, tests: &[Test; 4], style: Style) -> String {
    let mut text = format!("\n{}\n", style.title(&format!("{title}: all ordered pairs together")));
    text += &wrap("What each pair has is in what --json prints.", "  ");
    for test in tests {
        let of_test: Vec<&BenchResult> =
            report.results.iter().filter(|result| result.test == *test).collect();
        let mut rows =
            table(["bytes", "pairs", "lowest", "median", "highest", "slowest pair"], &[0, 1, 2, 3, 4]);
        for size in sizes(of_test.iter().copied()) {
            let all: Vec<&BenchResult> =
                of_test.iter().copied().filter(|result| result.bytes == size).collect();
            rows.add_row(row(size, &all));
        }
        text += &format!("\n{}\n{}", test.title(), lines_of(&rows));
    }
    text
}

/// One size of all pairs.
fn row(size: u64, all: &[&BenchResult]) -> [String; 6] {
    let measured: Vec<&BenchResult> =
        all.iter().copied().filter(|result| matches!(result.outcome, Outcome::Measured(_))).collect();
    let pairs = match measured.len() == all.len() {
        true => all.len().to_string(),
        false => format!("{} of {}", measured.len(), all.len()),
    };
    let mut figures: Vec<(f64, &BenchResult)> =
        measured.iter().filter_map(|result| Some((result.median()?, *result))).collect();
    figures.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let [(lowest, low), .., (highest, high)] = figures[..] else {
        // One figure, or none, as of a simulated machine.
        let only = measured.first().map_or_else(|| "-".to_owned(), |result| cell(result));
        return [bytes(size), pairs, only.clone(), only.clone(), only, "-".to_owned()];
    };
    let shown = |value| number(value, low.unit);
    let slowest = if low.unit == Unit::GigabytesPerSecond { low } else { high };
    let median = figures[(figures.len() - 1) / 2].0;
    [bytes(size), pairs, shown(lowest), shown(median), shown(highest), slowest.place.to_string()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Figures;
    use crate::options::OrderedPair;
    use crate::output::fixtures::machine;

    /// Four devices whose pairs have the figures 1 to 12, and the text of their small copies.
    fn text(outcome: impl Fn(f64) -> Outcome, devices: u32) -> String {
        let machine = machine(devices, devices, None);
        let mut results = Vec::new();
        for (number, info) in (1..).zip(&machine.pairs) {
            let due = Due { test: Test::SmallEngineRead, bytes: 4096 };
            results.push(BenchResult::new(Place::Pair(info.pair), due, outcome(f64::from(number))));
        }
        let report = Report::new(machine, 1 << 30, 7, results, Vec::new());
        by_size(&report, "Small", &Test::SMALL, ["bytes", "a", "b", "c", "d"], Style::plain())
    }

    fn measured(median: Option<f64>) -> Outcome {
        Outcome::Measured(Figures { median, low: median, high: median, checked_bytes: 1, path: None })
    }

    fn last_row(text: &str) -> Vec<&str> {
        text.lines().find(|line| line.trim_start().starts_with("4 KiB")).unwrap().split_whitespace().collect()
    }

    #[test]
    fn few_pairs_have_a_table_each_and_many_share_one() {
        let four = text(|figure| measured(Some(figure)), 4);
        assert_eq!(four.matches("Small: ").count(), 12, "{four}");
        let five = text(|figure| measured(Some(figure)), 5);
        assert_eq!(five.matches("Small: ").count(), 1, "{five}");
        let slowest = OrderedPair { accessor: 4, owner: 3 }.to_string();
        assert_eq!(last_row(&five), ["4", "KiB", "20", "1.00", "10.00", "20.00", &slowest]);
    }

    #[test]
    fn what_was_not_measured_is_not_counted() {
        let failed = || Outcome::Failed { error: "no".to_owned() };
        let some = text(|figure| if figure > 18.0 { failed() } else { measured(Some(figure)) }, 5);
        assert_eq!(last_row(&some)[2..], ["18", "of", "20", "1.00", "9.00", "18.00", "4->1"]);
        assert_eq!(last_row(&text(|_| failed(), 5))[2..], ["0", "of", "20", "-", "-", "-", "-"]);
        assert_eq!(last_row(&text(|_| measured(None), 5))[2..], ["20", "ok", "ok", "ok", "-"]);
    }
}
