//! The screen of `report`: which files it wrote.

use std::path::PathBuf;

use super::{Style, wrap};
use crate::report::Documents;

/// The whole screen; its last line alone if `quiet`.
pub(crate) fn report(documents: &Documents, files: &[PathBuf], quiet: bool, style: Style) -> String {
    let mark = if documents.is_simulated() { " (SIMULATED)" } else { "" };
    let Some((page, pictures)) = files.split_first() else { return String::new() };
    let mut text = String::new();
    if !quiet {
        for picture in pictures {
            text += &format!("wrote {}\n", picture.display());
        }
        text += &wrap("The page is one file: it needs nothing else, and asks for nothing.", "  ");
    }
    text + &style.good(&format!("wrote {}{mark}\n", page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_names_the_page() {
        let files = ["a.html", "b.svg"].map(PathBuf::from);
        let documents = Documents::default();
        let quiet = report(&documents, &files, true, Style::plain());
        assert_eq!(quiet, "wrote a.html\n");
        let text = report(&documents, &files, false, Style::plain());
        assert!(text.starts_with("wrote b.svg\n") && text.ends_with(&quiet), "{text}");
    }
}
