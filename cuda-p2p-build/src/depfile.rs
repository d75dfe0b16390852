//! The files that a compiler read, from the make rule that it writes for `-MMD`.

use std::path::PathBuf;

/// Prerequisites of the only rule in `text`. A backslash joins lines and escapes spaces; `$$` is a dollar.
pub(crate) fn parse(text: &str) -> Vec<PathBuf> {
    // The target may hold a colon of its own (a drive); the rule's is followed by white space.
    let Some((_, files)) = text.split_once(": ").or_else(|| text.split_once(":\n")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut name = String::new();
    let mut chars = files.chars().peekable();
    let mut finish = |name: &mut String| {
        if !name.is_empty() {
            let path = PathBuf::from(std::mem::take(name));
            if !found.contains(&path) {
                found.push(path);
            }
        }
    };
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
                finish(&mut name);
            }
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => name.extend(chars.next()),
            // A blank line or a second rule (-MP) ends the list.
            ('\n', _) => break,
            (c, _) if c.is_whitespace() => finish(&mut name),
            (c, _) => name.push(c),
        }
    }
    finish(&mut name);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_spaces_and_dollars() {
        let text = "out.fatbin : a.cu \\\n  /with\\ space/b.cuh \\\n c$$d.h a.cu\n\nother.h:\n";
        assert_eq!(parse(text), ["a.cu", "/with space/b.cuh", "c$d.h"].map(PathBuf::from));
    }

    #[test]
    fn no_rule_no_files() {
        assert_eq!(parse(""), Vec::<PathBuf>::new());
        assert_eq!(parse("x:\n"), Vec::<PathBuf>::new());
    }
}
