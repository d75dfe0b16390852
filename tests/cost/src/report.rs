//! What was measured, for people and for programs.

use crate::measure::Cost;

/// Groups of ways to make a call; the first of each is what the others are held against.
#[derive(Default)]
pub(crate) struct Report(Vec<(String, Vec<Cost>)>);

impl Report {
    pub(crate) fn add(&mut self, group: &str, costs: Vec<Cost>) {
        self.0.push((group.to_owned(), costs));
    }

    /// A line a way: median, then what a tenth of the turns were below and above.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (group, costs) in &self.0 {
            text += &format!("{group}, ns\n");
            for (index, cost) in costs.iter().enumerate() {
                let Cost { name, median, low, high, more, ratio } = cost;
                text += &format!("  {name:24} {median:6.0} ({low:5.0} {high:5.0})");
                if index > 0 {
                    text += &format!("  {more:+6.0}, {ratio:.3} of the first");
                }
                text.push('\n');
            }
        }
        text
    }

    /// One object. The names are this program's own, and need no escapes.
    pub(crate) fn json(&self) -> String {
        let way = |cost: &Cost| {
            let Cost { name, median, low, high, more, ratio } = cost;
            format!(
                r#"{{"name": "{name}", "median": {median:.1}, "low": {low:.1}, "high": {high:.1}, "more": {more:.1}, "ratio": {ratio:.5}}}"#
            )
        };
        let group = |(name, costs): &(String, Vec<Cost>)| {
            let ways: Vec<String> = costs.iter().map(way).collect();
            format!("{{\"name\": \"{name}\", \"ways\": [\n  {}\n]}}", ways.join(",\n  "))
        };
        let groups: Vec<String> = self.0.iter().map(group).collect();
        format!(
            "{{\"schema\": \"cuda-p2p.cost/1\", \"unit\": \"ns\", \"groups\": [\n{}\n]}}\n",
            groups.join(",\n")
        )
    }
}
