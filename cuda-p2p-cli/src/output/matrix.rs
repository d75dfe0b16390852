//! A square matrix, accessor by owner, in blocks of columns if it is too wide for the screen.

use super::WIDTH;

/// Columns between two cells.
const GAP: usize = 1;

/// The lines of a matrix: `cell(row, column)` for each pair of `ordinals`.
pub(super) fn matrix(ordinals: &[u32], cell: impl Fn(u32, u32) -> String) -> String {
    let rows: Vec<Vec<String>> =
        ordinals.iter().map(|row| ordinals.iter().map(|column| cell(*row, *column)).collect()).collect();
    let names: Vec<String> = ordinals.iter().map(u32::to_string).collect();
    let width = rows.iter().flatten().chain(&names).map(|text| text.chars().count()).max().unwrap_or(1);
    let margin = names.iter().map(String::len).max().unwrap_or(1).max("from".len());
    let most = ((WIDTH - margin) / (width + GAP + 1)).max(1);
    // Blocks of one width are easier to compare.
    let per_block = ordinals.len().div_ceil(ordinals.len().div_ceil(most).max(1)).max(1);
    let mut text = String::new();
    for block in (0..ordinals.len()).step_by(per_block) {
        let columns = block..ordinals.len().min(block + per_block);
        if block > 0 {
            text.push('\n');
        }
        push_line(&mut text, margin, width, "from", &names[columns.clone()]);
        for (name, cells) in names.iter().zip(&rows) {
            push_line(&mut text, margin, width, name, &cells[columns.clone()]);
        }
    }
    text
}

fn push_line(text: &mut String, margin: usize, width: usize, name: &str, cells: &[String]) {
    *text += &format!("{name:>margin$}");
    for cell in cells {
        *text += &format!("{:GAP$} {cell:>width$}", "");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_one_block() {
        let text =
            matrix(&[0, 1], |row, column| if row == column { "X".to_owned() } else { "NV18".to_owned() });
        assert_eq!(text, "from     0     1\n   0     X  NV18\n   1  NV18     X\n");
    }

    #[test]
    fn sixteen_devices_fit_the_screen() {
        let ordinals: Vec<u32> = (0..16).collect();
        let text = matrix(&ordinals, |_, _| "NV18".to_owned());
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        let cells = text.split_whitespace().filter(|word| *word == "NV18").count();
        assert_eq!(cells, 256);
    }
}
