//! What the user sees: tables for people, JSON for programs, a progress bar while it works.
//!
//! Each function makes a text from a result; only `main` prints.

mod bench;
mod by_size;
mod details;
mod doctor;
#[cfg(test)]
pub(crate) mod fixtures;
mod matrix;
mod progress;
mod report;
mod soak;
mod style;
mod topo;
mod verify;

pub(crate) use bench::{bench, bench_last_line};
pub(crate) use doctor::{doctor, doctor_last_line};
pub(crate) use progress::Progress;
pub(crate) use report::report;
pub(crate) use soak::{soak, soak_last_line};
pub(crate) use style::Style;
pub(crate) use topo::{topo, topo_last_line};
pub(crate) use verify::{verify, verify_last_line};

use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use crate::options::OrderedPair;
use crate::topo::Machine;

/// Columns that every screen fits in.
const WIDTH: usize = 80;

/// Columns between two columns of a table.
const GAP: u16 = 2;

/// One JSON object, ending in a newline.
pub(crate) fn json(result: &impl Serialize) -> std::io::Result<String> {
    let mut text = serde_json::to_string_pretty(result)?;
    text.push('\n');
    Ok(text)
}

/// What a screen begins with: which machine it is about, and whether it is one.
fn heading(machine: &Machine, style: Style) -> String {
    let mut text = String::new();
    if let Some(mark) = simulated(machine) {
        let note = format!("{mark}. Nothing below is about real hardware.");
        text += &style.warning(&wrap(&note, ""));
        if let Some(config) = &machine.simulated_config {
            text += &wrap(&format!("Machine: {config}"), "  ");
        }
    }
    let driver = machine.driver_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let library = machine.runtime_library.as_deref().map(|path| format!(" ({path})")).unwrap_or_default();
    text += &wrap(&format!("CUDA runtime {}{library}", machine.runtime_version), "  ");
    text + &wrap(&format!("driver{driver} for CUDA {}", machine.driver_cuda_version), "  ")
}

/// "SIMULATED", and why; nothing for a real machine.
fn simulated(machine: &Machine) -> Option<String> {
    let because = machine.simulated_because.as_deref().unwrap_or("asked for");
    machine.simulated.then(|| format!("SIMULATED: {because}"))
}

/// A table without lines, whose columns are as wide as what they hold.
fn table<const N: usize>(header: [&str; N], right_aligned: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(header);
    for index in 0..N {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, GAP));
            if right_aligned.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// The table's lines, without the blanks at their ends.
fn lines_of(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// `text` in lines of at most [`WIDTH`] columns, broken at blanks, and lists without blanks after commas. The first keeps its
/// indent, the others begin with `indent`.
pub(crate) fn wrap(text: &str, indent: &str) -> String {
    let words = text.trim_start();
    let mut wrapped = String::new();
    let mut line = text[..text.len() - words.len()].to_owned();
    let mut begun = false;
    for word in words.split_whitespace() {
        let room = WIDTH - indent.chars().count();
        for (index, piece) in pieces(word, room).into_iter().enumerate() {
            if begun && (index > 0 || line.chars().count() + 1 + piece.chars().count() > WIDTH) {
                wrapped += &line;
                wrapped.push('\n');
                line = indent.to_owned();
            } else if begun {
                line.push(' ');
            }
            line += &piece;
            begun = true;
        }
    }
    wrapped + &line + "\n"
}

/// `text`, of which only the lines that are too wide are [wrapped](wrap): the others keep their columns.
pub(crate) fn wrap_wide(text: &str, indent: &str) -> String {
    let fits = |line: &str| line.chars().count() <= WIDTH;
    text.lines().map(|line| if fits(line) { format!("{line}\n") } else { wrap(line, indent) }).collect()
}

/// A word that does not fit `room`, broken after commas. What has none, as a path, stays whole: half of it is of no use.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for part in word.split_inclusive(',') {
        match pieces.last_mut() {
            Some(last) if last.is_empty() || last.chars().count() + part.chars().count() <= room => {
                *last += part
            }
            _ => pieces.push(part.to_owned()),
        }
    }
    pieces
}

/// Bytes as people write them: exact, in the largest binary unit that divides them.
fn bytes(count: u64) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        let scale = 1_u64 << shift;
        if count >= scale && count.is_multiple_of(scale) {
            return format!("{} {unit}", count >> shift);
        }
    }
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// A count and its noun.
fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Ordered pairs, those of one accessor together, neighbours as a range: "0->1-3 1->0,2,3".
fn pair_names(pairs: &[OrderedPair]) -> String {
    let mut accessors: Vec<(u32, Vec<u32>)> = Vec::new();
    for pair in pairs {
        match accessors.iter_mut().find(|(accessor, _)| *accessor == pair.accessor) {
            Some((_, owners)) => owners.push(pair.owner),
            None => accessors.push((pair.accessor, vec![pair.owner])),
        }
    }
    let listed = accessors.iter().map(|(accessor, owners)| format!("{accessor}->{}", ranges(owners)));
    listed.collect::<Vec<_>>().join(" ")
}

/// Pairs up to which each has a row of its own; of more, those that are alike share one.
const ROWS: usize = 12;

/// Rows of a table of ordered pairs: each pair's name before its cells, or, where there are many pairs, a letter and a count for
/// those that are alike; and the lines that say which pairs a letter stands for.
fn pair_rows(pairs: Vec<(OrderedPair, Vec<String>)>) -> (Vec<Vec<String>>, String) {
    let together = pairs.len() > ROWS;
    let mut groups: Vec<(Vec<OrderedPair>, Vec<String>)> = Vec::new();
    for (pair, cells) in pairs {
        match groups.iter_mut().find(|(_, other)| together && *other == cells) {
            Some((pairs, _)) => pairs.push(pair),
            None => groups.push((vec![pair], cells)),
        }
    }
    let mut legend = String::new();
    let mut rows = Vec::new();
    for (index, (pairs, cells)) in groups.into_iter().enumerate() {
        let name = match pairs.as_slice() {
            [pair] => pair.to_string(),
            _ => {
                let letter = alphabetic(index);
                legend += &wrap(&format!("{letter}: {}", pair_names(&pairs)), "   ");
                format!("{letter}: {}", pairs.len())
            }
        };
        rows.push(std::iter::once(name).chain(cells).collect());
    }
    (rows, legend)
}

/// 0 is "a", 26 is "aa".
fn alphabetic(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{}{letter}", alphabetic(index / 26 - 1)) }
}

/// Numbers, three or more in a row as a range.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let named = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    named.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_one_accessor_are_named_together() {
        let pair = |(accessor, owner)| OrderedPair { accessor, owner };
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 2), (1, 3), (2, 0)].map(pair);
        assert_eq!(pair_names(&pairs), "0->1-3 1->0,2,3 2->0");
    }

    #[test]
    fn many_pairs_that_are_alike_share_a_row() {
        let pairs = |count: u32| -> Vec<_> {
            let pair = |owner| (OrderedPair { accessor: 0, owner }, vec![(owner == 3).to_string()]);
            (1..=count).map(pair).collect()
        };
        let (rows, legend) = pair_rows(pairs(12));
        assert_eq!((rows.len(), legend.as_str()), (12, ""));
        let (rows, legend) = pair_rows(pairs(13));
        assert_eq!(rows, [["a: 12", "false"], ["0->3", "true"]]);
        assert_eq!(legend, "a: 0->1,2,4-13\n");
        assert_eq!(
            (alphabetic(25), alphabetic(26), alphabetic(27)),
            ("z".to_owned(), "aa".to_owned(), "ab".to_owned())
        );
    }

    #[test]
    fn bytes_stay_exact() {
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(4097), "4097 bytes");
        assert_eq!(bytes(4096), "4 KiB");
        assert_eq!(bytes(64 << 20), "64 MiB");
        assert_eq!(bytes((1 << 30) + 1), "1073741825 bytes");
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word() {
        let text = (0..200).map(|number| format!("{number}->{}", number + 1)).collect::<Vec<_>>().join(", ");
        let wrapped = wrap(&text, "    ");
        assert!(wrapped.lines().all(|line| line.len() <= WIDTH));
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("    ")));
        assert_eq!(
            wrapped.split_whitespace().collect::<Vec<_>>(),
            text.split_whitespace().collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_list_without_blanks_is_broken_after_commas() {
        let list = (0..60).map(|number| format!("{number}>{}", number + 1)).collect::<Vec<_>>().join(",");
        let wrapped = wrap(&format!("Machine: devices=61 peers={list}"), "  ");
        assert!(wrapped.lines().all(|line| line.len() <= WIDTH), "{wrapped}");
        assert!(wrapped.lines().count() < 10, "{wrapped}");
        let joined: String = wrapped.split_whitespace().collect();
        assert_eq!(joined, format!("Machine:devices=61peers={list}"));
        assert!(wrapped.lines().skip(1).all(|line| !line.trim_start().contains(' ')), "{wrapped}");
    }

    #[test]
    fn a_word_wider_than_the_screen_stands_alone() {
        let path = "/".repeat(100);
        assert_eq!(wrap(&format!("in {path} found"), "  "), format!("in\n  {path}\n  found\n"));
        assert_eq!(wrap("    indented", ""), "    indented\n");
    }
}
