//! Finds the kernels in preprocessed source, and makes of it what the C++ compiler gets. `host/kernel.h` turns CUDA's
//! words into the marks that this looks for.

#[cfg(test)]
mod tests;
mod token;

use std::ops::Range;

use crate::BuildError;
use token::{Kind, Token};

/// A kernel's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name in the source.
    pub(crate) name: String,
    /// How C++ at global scope names it after the renaming: with the namespaces around it.
    pub(crate) path: String,
    /// First argument of `__launch_bounds__`, a C++ expression.
    pub(crate) max_threads: Option<String>,
}

/// What became of a source.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// The kernels that it defines, in order.
    pub(crate) kernels: Vec<Kernel>,
    /// The source with the marks replaced by C++, and `prefix` before the name of each kernel: two modules of a
    /// program may have kernels of one name, and C names share one space.
    pub(crate) text: String,
}

/// Scans `source`.
pub(crate) fn scan(source: &str, prefix: &str) -> Result<Scanned, BuildError> {
    let tokens = token::tokens(source);
    let mut scan =
        Scan { tokens: &tokens, prefix, scopes: vec![], statement: 0, found: vec![], edits: vec![] };
    for at in 0..tokens.len() {
        scan.step(at)?;
    }
    let mut text = String::with_capacity(source.len());
    let mut done = 0;
    scan.edits.sort_by_key(|(range, _)| range.start);
    for (range, replacement) in scan.edits {
        text.push_str(&source[done..range.start]);
        text.push_str(&replacement);
        done = range.end;
    }
    text.push_str(&source[done..]);
    Ok(Scanned { kernels: scan.found, text })
}

const LAUNCH_BOUNDS: &str = "cuda_p2p_mark_launch_bounds";

enum Scope {
    ExternC,
    Namespace(String),
    /// A class, a function, an initialiser: whatever is not a place for kernels.
    Other,
}

struct Scan<'a> {
    tokens: &'a [Token<'a>],
    prefix: &'a str,
    scopes: Vec<Scope>,
    /// Where the current statement starts.
    statement: usize,
    found: Vec<Kernel>,
    /// Places in the source that change. They do not overlap.
    edits: Vec<(Range<usize>, String)>,
}

impl Scan<'_> {
    fn step(&mut self, at: usize) -> Result<(), BuildError> {
        let token = &self.tokens[at];
        match (token.kind, token.text) {
            (Kind::Punct, "{") => {
                self.scopes.push(self.scope_opened(at));
                self.statement = at + 1;
            }
            (Kind::Punct, "}") => {
                self.scopes.pop();
                self.statement = at + 1;
            }
            (Kind::Punct, ";") => self.statement = at + 1,
            (Kind::Word, "cuda_p2p_mark_global") => {
                // Never inlined into its thunk, which is not instrumented.
                self.edits.push((token.range(), "__attribute__((noinline))".to_owned()));
                self.kernel(at)?;
            }
            (Kind::Word, "cuda_p2p_mark_device") => {
                self.edits.push((token.range(), String::new()));
                if self.outside() {
                    self.device_item(at)?;
                }
            }
            (Kind::Word, LAUNCH_BOUNDS) => {
                let last = &self.tokens[self.after_group(at + 1) - 1];
                self.edits.push((token.start..last.range().end, String::new()));
            }
            (Kind::Word, "cuda_p2p_mark_shared") => {
                return Err(refused(
                    token,
                    "__shared__ has no meaning on the simulator: write \
                    CUDA_P2P_SHARED(type, name, count) or CUDA_P2P_DYNAMIC_SHARED(type, name)",
                ));
            }
            (Kind::Word, "cuda_p2p_mark_constant" | "cuda_p2p_mark_managed") => {
                return Err(refused(
                    token,
                    "__constant__ and __managed__ variables have no copy for each simulated \
                    device: pass a pointer or the value as a parameter",
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// At namespace scope, or in `extern "C" {}`.
    fn outside(&self) -> bool {
        !self.scopes.iter().any(|scope| matches!(scope, Scope::Other))
    }

    fn scope_opened(&self, at: usize) -> Scope {
        let before = &self.tokens[self.statement..at];
        if let [.., first, second] = before
            && first.is("extern")
            && second.text == "\"C\""
        {
            return Scope::ExternC;
        }
        match before.iter().position(|token| token.is("namespace")) {
            Some(place) => Scope::Namespace(before[place + 1..].iter().map(|token| token.text).collect()),
            None => Scope::Other,
        }
    }

    /// Takes down the kernel whose `__global__` is at `at`. A mere declaration is renamed alone.
    fn kernel(&mut self, at: usize) -> Result<(), BuildError> {
        let mark = &self.tokens[at];
        let before = &self.tokens[self.statement..at];
        // The bounds may stand on either side of __global__.
        let mut max_threads = before
            .iter()
            .position(|token| token.is(LAUNCH_BOUNDS))
            .and_then(|place| self.first_argument(self.statement + place + 1));
        let mut next = at + 1;
        let name = loop {
            let Some(token) = self.tokens.get(next) else {
                return Err(refused(mark, "__global__ is not followed by a function"));
            };
            match token.text {
                LAUNCH_BOUNDS => {
                    max_threads = self.first_argument(next + 1);
                    next = self.after_group(next + 1);
                }
                "__attribute__" | "alignas" => next = self.after_group(next + 1),
                "(" => break &self.tokens[next - 1],
                _ => next += 1,
            }
        };
        let called = |what: &str| format!("kernel `{}` {what}", name.text);
        if before.iter().any(|token| token.is("template")) || name.kind != Kind::Word {
            return Err(refused(
                mark,
                &called(
                    "is a template or an instance of one: a kernel is found by its name, so \
                write one `extern \"C\" __global__` function for each type, which may call a template",
                ),
            ));
        }
        if !self.outside() {
            return Err(refused(mark, &called("is inside a class or a function: move it to file scope")));
        }
        if self.tokens[self.statement..next].iter().any(|token| token.is("static")) {
            return Err(refused(mark, &called("is static, so nobody can find it: remove `static`")));
        }
        let linkage = before.windows(2).any(|pair| pair[0].is("extern") && pair[1].text == "\"C\"");
        if !linkage && !self.scopes.iter().any(|scope| matches!(scope, Scope::ExternC)) {
            return Err(refused(mark, &called("has no C name: write `extern \"C\" __global__ void`")));
        }
        let mut after = self.after_group(next);
        // Attributes may stand here too.
        while self.tokens.get(after).is_some_and(|token| !token.is("{") && !token.is(";")) {
            after += 1;
        }
        self.edits.push((name.start..name.start, self.prefix.to_owned()));
        if !self.tokens.get(after).is_some_and(|token| token.is("{")) {
            return Ok(());
        }
        let namespaces = self.scopes.iter().filter_map(|scope| match scope {
            Scope::Namespace(path) if !path.is_empty() => Some(format!("{path}::")),
            _ => None,
        });
        let path = namespaces.chain([self.prefix.to_owned(), name.text.to_owned()]).collect();
        self.found.push(Kernel { name: name.text.to_owned(), path, max_threads });
        Ok(())
    }

    /// Functions and constants may be `__device__`; a variable may not.
    fn device_item(&self, at: usize) -> Result<(), BuildError> {
        let mut next = at + 1;
        let mut constant = self.tokens[self.statement..at].iter().any(is_constant);
        while let Some(token) = self.tokens.get(next) {
            match token.text {
                "__attribute__" | "alignas" | "decltype" => {
                    next = self.after_group(next + 1);
                    continue;
                }
                "(" | "{" | "operator" => return Ok(()),
                ";" | "=" | "[" if constant => return Ok(()),
                ";" | "=" | "[" => {
                    return Err(refused(
                        &self.tokens[at],
                        "a __device__ variable has no copy for each simulated \
                        device: pass a pointer as a parameter, or make it constexpr",
                    ));
                }
                _ => constant |= is_constant(token),
            }
            next += 1;
        }
        Ok(())
    }

    /// Index after the parenthesis that closes the one at `open`.
    fn after_group(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for (offset, token) in self.tokens[open..].iter().enumerate() {
            match token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return open + offset + 1;
            }
        }
        self.tokens.len()
    }

    /// The text of the first argument in the parentheses that open at `open`.
    fn first_argument(&self, open: usize) -> Option<String> {
        let inside = self.tokens.get(open + 1..self.after_group(open) - 1)?;
        let mut depth = 0i32;
        let mut words = Vec::new();
        for token in inside {
            match token.text {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                "," if depth == 0 => break,
                _ => {}
            }
            words.push(token.text);
        }
        Some(words.join(" "))
    }
}

fn is_constant(token: &Token<'_>) -> bool {
    token.is("const") || token.is("constexpr")
}

fn refused(token: &Token<'_>, problem: &str) -> BuildError {
    BuildError::Kernel { file: token.file.to_owned(), line: token.line, problem: problem.to_owned() }
}
