//! The screen of `report`: which files it wrote.

use super::{Style, wrap};
use crate::report::Written;

/// The whole screen; its last line alone if `quiet`.
pub(crate) fn report(written: &Written, quiet: bool, style: Style) -> String {
    let mark = if written.simulated { " (SIMULATED)" } else { "" };
    let Some((page, pictures)) = written.files.split_first() else { return String::new() };
    let mut text = String::new();
    if !quiet {
        if let Some(reason) = written.no_pictures_because {
            text += &style.warning(&wrap(&format!("no picture is written: {reason}"), "  "));
        }
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
        let files = ["a.html", "b.svg"].map(Into::into).to_vec();
        let written = Written { schema: "", version: "", simulated: false, files, no_pictures_because: None };
        let quiet = report(&written, true, Style::plain());
        assert_eq!(quiet, "wrote a.html\n");
        let text = report(&written, false, Style::plain());
        assert!(text.starts_with("wrote b.svg\n") && text.ends_with(&quiet), "{text}");
    }
}
