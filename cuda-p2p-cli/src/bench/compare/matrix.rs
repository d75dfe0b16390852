//! The matrices of devices that NVIDIA's tools print.

use crate::options::OrderedPair;

/// The cells under the first line that has `title`, but for the diagonal, as (row, column, value).
pub(super) fn cells(text: &str, title: &str) -> Vec<(OrderedPair, f64)> {
    let mut lines = text.lines().skip_while(|line| !line.contains(title)).skip(1);
    let mut cells = Vec::new();
    // The line of the columns' numbers.
    let Some(_) = lines.next() else { return cells };
    for line in lines {
        let mut words = line.split_whitespace();
        let Some(row) = words.next().and_then(|word| word.parse::<u32>().ok()) else { break };
        for (column, word) in (0..).zip(words) {
            if let Ok(value) = word.parse::<f64>()
                && value.is_normal()
                && column != row
            {
                cells.push((OrderedPair { accessor: row, owner: column }, value));
            }
        }
    }
    cells
}
