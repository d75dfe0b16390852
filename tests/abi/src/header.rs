//! What the preprocessed header says where no C expression can ask: which names are tags, and which functions there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// The names that a header declares.
#[derive(Debug, Default)]
pub struct Header {
    /// `struct`, `union` or `enum` by the tag that follows it.
    pub tags: BTreeMap<String, &'static str>,
    /// Each function's declaration, by its symbol.
    pub functions: BTreeMap<String, String>,
    /// The file to include.
    pub file: PathBuf,
    /// The folder to look for its own includes in.
    pub include: PathBuf,
}

impl Header {
    /// Runs the C preprocessor over `file`, with `include` among its folders.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], [`Error::Probe`].
    pub fn read(file: &Path, include: &Path) -> Result<Self, Error> {
        let compiler = c_compiler();
        let output = Command::new(&compiler)
            .args(["-E", "-P", "-x", "c", "-I"])
            .args([include, file])
            .output()
            .map_err(|source| Error::NoCompiler { program: compiler, variable: "CC", source })?;
        if !output.status.success() {
            let output = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Probe { language: "C", output });
        }
        let mut header = Self::parse(&String::from_utf8_lossy(&output.stdout));
        header.file = file.to_owned();
        header.include = include.to_owned();
        Ok(header)
    }

    /// Reads preprocessed C.
    pub fn parse(source: &str) -> Self {
        let tokens = without_attributes(&tokens(source));
        let mut header = Self::default();
        for pair in tokens.windows(2) {
            let keyword = ["struct", "union", "enum"].into_iter().find(|keyword| *keyword == pair[0]);
            if let (Some(keyword), true) = (keyword, is_name(pair[1])) {
                header.tags.entry(pair[1].to_owned()).or_insert(keyword);
            }
        }
        let mut declaration: Vec<&str> = Vec::new();
        let mut depth = 0_usize;
        for token in tokens {
            match token {
                "{" => depth += 1,
                // The end of a body or of a record's fields; what follows it, up to a semicolon, declares no function.
                "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => {
                    header.add_declaration(&declaration);
                    declaration.clear();
                    continue;
                }
                _ => {}
            }
            declaration.push(token);
        }
        header
    }

    /// `extern cudaError_t cudaMalloc(void **devPtr, size_t size)`
    fn add_declaration(&mut self, tokens: &[&str]) {
        if tokens.contains(&"typedef") || tokens.contains(&"{") {
            return;
        }
        let Some(open) = tokens.iter().position(|token| *token == "(") else { return };
        let Some(name) = open.checked_sub(1).map(|before| tokens[before]).filter(|name| is_name(name)) else {
            return;
        };
        let text = tokens.iter().filter(|token| **token != "extern").copied().collect::<Vec<_>>().join(" ");
        let text = text
            .replace(" (", "(")
            .replace("( ", "(")
            .replace(" )", ")")
            .replace(" ,", ",")
            .replace("* ", "*");
        self.functions.insert(name.to_owned(), text);
    }
}

/// What `CC` names, or `cc`.
pub(crate) fn c_compiler() -> String {
    std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".to_owned())
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Words, and single characters of everything else.
fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let length = if word > 0 { word } else { first.len_utf8() };
        if !first.is_whitespace() {
            tokens.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    tokens
}

fn without_attributes<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut tokens = tokens.iter().copied().peekable();
    while let Some(token) = tokens.next() {
        match token {
            "__attribute__" | "__asm__" => {
                let mut depth = 0_usize;
                for token in tokens.by_ref() {
                    match token {
                        "(" => depth += 1,
                        ")" => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            "__extension__" | "__restrict" | "__inline" => {}
            other => kept.push(other),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_functions_are_found_past_attributes() {
        let header = Header::parse(
            "struct __attribute__((aligned(8))) pair { int a; int (*f)(int); };\n\
             typedef struct pair pair_t; typedef int number(int); enum colour { red };\n\
             extern __attribute__((device)) int first(void **p, const struct pair *q);\n\
             static inline int second(int a) { return a; } extern int third[4];\n\
             extern const char *fourth(void);",
        );
        assert_eq!(header.tags["pair"], "struct");
        assert_eq!(header.tags["colour"], "enum");
        assert_eq!(header.functions["first"], "int first(void **p, const struct pair *q)");
        assert_eq!(header.functions["fourth"], "const char *fourth(void)");
        assert_eq!(header.functions.len(), 2, "{:?}", header.functions);
    }
}
