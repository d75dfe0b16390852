//! Preprocessed C++ as words, strings and punctuation, each with its line in the file that it came from.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Identifier or keyword.
    Word,
    /// String literal, with its quotes.
    String,
    /// Number or character literal.
    Literal,
    /// One character of punctuation.
    Punct,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Place in the preprocessed text.
    pub(super) start: usize,
    pub(super) file: &'a str,
    pub(super) line: u32,
}

impl Token<'_> {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Punct)
    }
}

/// The tokens of a preprocessor's output, which holds no comments but `# line "file"` markers.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut file, mut line) = ("", 1);
    let mut rest = source;
    let mut line_start = true;
    while let Some(c) = rest.chars().next() {
        if c == '\n' {
            line += 1;
            line_start = true;
            rest = &rest[1..];
            continue;
        }
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            continue;
        }
        if line_start && c == '#' {
            let (directive, after) = rest.split_once('\n').unwrap_or((rest, ""));
            line += 1;
            if let Some((number, name)) = marker(directive) {
                (line, file) = (number, name);
            }
            rest = after;
            continue;
        }
        line_start = false;
        let (kind, length) = token(rest, c);
        let text = &rest[..length];
        found.push(Token { kind, text, start: source.len() - rest.len(), file, line });
        line += u32::try_from(text.matches('\n').count()).unwrap_or(0);
        rest = &rest[length..];
    }
    found
}

/// `# 12 "file" flags`, or `#line 12 "file"`. A pragma is neither.
fn marker(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start_matches('#').trim_start();
    let text = text.strip_prefix("line").unwrap_or(text).trim_start();
    let (number, rest) = text.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?;
    Some((number.parse().ok()?, &name[..name.find('"')?]))
}

fn token(rest: &str, first: char) -> (Kind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if first.is_ascii_digit() {
        let length = rest
            .char_indices()
            .find(|&(_, c)| !(is_word(c) || c == '.' || c == '\''))
            .map_or(rest.len(), |(at, _)| at);
        return (Kind::Literal, length);
    }
    if is_word(first) {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        // A prefix of a literal: u8"", L'', R"".
        return match (rest[length..].chars().next(), &rest[..length]) {
            (Some('"'), "R" | "u8R" | "uR" | "UR" | "LR") => {
                (Kind::String, length + raw_string(&rest[length..]))
            }
            (Some('"'), "u8" | "u" | "U" | "L") => (Kind::String, length + quoted(&rest[length..], '"')),
            (Some('\''), "u8" | "u" | "U" | "L") => (Kind::Literal, length + quoted(&rest[length..], '\'')),
            _ => (Kind::Word, length),
        };
    }
    match first {
        '"' => (Kind::String, quoted(rest, '"')),
        '\'' => (Kind::Literal, quoted(rest, '\'')),
        _ => (Kind::Punct, first.len_utf8()),
    }
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// `"tag(text)tag"`.
fn raw_string(rest: &str) -> usize {
    let Some(open) = rest.find('(') else { return rest.len() };
    let end = format!("){}\"", &rest[1..open]);
    rest[open..].find(&end).map_or(rest.len(), |at| open + at + end.len())
}
