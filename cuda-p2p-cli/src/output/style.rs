//! Colours, where somebody sees them.

use std::io::IsTerminal;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    coloured: bool,
}

impl Style {
    /// Colours on a terminal, unless `NO_COLOR` is set to anything or the terminal has none.
    pub(crate) fn of_stdout() -> Self {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { coloured: std::io::stdout().is_terminal() && !forbidden && !dumb }
    }

    /// No colours.
    #[cfg(test)]
    pub(super) fn plain() -> Self {
        Self { coloured: false }
    }

    pub(super) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(super) fn title(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if !self.coloured {
            return text.to_owned();
        }
        // A colour that reaches past the end of its line paints the rest of the screen in some terminals.
        let line = text.trim_end_matches('\n');
        format!("\x1b[{code}m{line}\x1b[0m{}", &text[line.len()..])
    }
}
