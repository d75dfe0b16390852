//! Compiles and runs the two programs that answer the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::Error;
use crate::header::{Header, c_compiler};
use crate::rows::{Question, Row};

/// What the C compiler and the C program said to the rows.
#[derive(Debug, Default)]
pub struct CAnswers {
    /// Numbers and symbols, by the row's index.
    pub values: BTreeMap<usize, String>,
    /// Rows whose two types are not the same.
    pub other_type: BTreeSet<usize>,
    /// Rows that do not compile: the header has no such thing.
    pub absent: BTreeSet<usize>,
}

/// Asks C.
///
/// # Errors
/// [`Error::NoCompiler`], [`Error::Probe`], [`Error::File`].
pub fn ask_c(rows: &[Row], header: &Header, scratch: &Path) -> Result<CAnswers, Error> {
    let mut answers = CAnswers::default();
    let program = scratch.join("probe-c");
    loop {
        let (source, lines) = c_source(rows, &header.file, &answers);
        let path = scratch.join("probe.c");
        std::fs::write(&path, source).map_err(Error::file(&path))?;
        let mut command = Command::new(c_compiler());
        command
            .args(["-std=gnu11", "-O0", "-w", "-I"])
            .arg(&header.include)
            .arg("-o")
            .arg(&program)
            .arg(&path);
        let output = run(command, "CC")?;
        if output.status.success() {
            break;
        }
        // Each row stands on a line of its own, so that the compiler's complaints tell which rows they are about. Those are
        // left out, and what is left is compiled again.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let mut news = false;
        for (line, message) in said.lines().filter_map(|line| error_line(line, "probe.c")) {
            if let Some(&row) = lines.get(&line) {
                let differs = message.contains("static assertion") || message.contains("static_assert");
                news |= if differs { &mut answers.other_type } else { &mut answers.absent }.insert(row);
            }
        }
        if !news {
            return Err(Error::Probe { language: "C", output: said });
        }
    }
    answers.values = printed(&program, "C")?;
    Ok(answers)
}

/// Asks Rust, of the bindings' `source`. Gives the numbers by the row's index.
///
/// # Errors
/// [`Error::NoCompiler`], [`Error::Probe`], also if the bindings do not compile; [`Error::File`].
pub fn ask_rust(rows: &[Row], source: &str, scratch: &Path) -> Result<BTreeMap<usize, String>, Error> {
    let bindings = scratch.join("bindings.rs");
    std::fs::write(&bindings, source).map_err(Error::file(&bindings))?;
    let path = scratch.join("probe.rs");
    std::fs::write(&path, rust_source(rows)).map_err(Error::file(&path))?;
    let program = scratch.join("probe-rust");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let mut command = Command::new(compiler);
    command.args([
        "--edition",
        "2024",
        "--cap-lints",
        "allow",
        "-C",
        "opt-level=0",
        "-C",
        "debuginfo=0",
        "-o",
    ]);
    command.arg(&program).arg(&path);
    let output = run(command, "RUSTC")?;
    if !output.status.success() {
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Probe { language: "Rust", output });
    }
    printed(&program, "Rust")
}

/// The C program, and which row each of its lines is about.
fn c_source(rows: &[Row], file: &Path, known: &CAnswers) -> (String, BTreeMap<usize, usize>) {
    let mut lines = vec![
        "#include <stddef.h>".to_owned(),
        "#include <stdio.h>".to_owned(),
        format!("#include \"{}\"", file.display()),
        "#define NAME_(name) #name".to_owned(),
        "#define NAME(name) NAME_(name)".to_owned(),
    ];
    let mut rows_of_lines = BTreeMap::new();
    let open = |index: &usize| !known.absent.contains(index) && !known.other_type.contains(index);
    let rows: Vec<(usize, &Row)> = rows.iter().enumerate().filter(|(index, _)| open(index)).collect();
    for (index, row) in &rows {
        if let Question::SameType { c, rust, .. } = &row.question {
            lines.push(format!(
                "_Static_assert(__builtin_types_compatible_p(__typeof__({c}), __typeof__({rust})), \"\");"
            ));
            rows_of_lines.insert(lines.len(), *index);
        }
    }
    lines.push("static const struct { int row; long long number; const char *name; } rows[] = {".to_owned());
    for (index, row) in &rows {
        lines.push(match &row.question {
            Question::Number { c, .. } => format!("{{ {index}, (long long)({c}), 0 }},"),
            Question::Symbol { function, .. } => {
                format!("{{ {index}, sizeof(&{function}), NAME({function}) }},")
            }
            Question::SameType { .. } => continue,
        });
        rows_of_lines.insert(lines.len(), *index);
    }
    lines.push(C_MAIN.to_owned());
    (lines.join("\n"), rows_of_lines)
}

const C_MAIN: &str = r#"{ -1, 0, 0 } };
int main(void) {
    for (int i = 0; rows[i].row >= 0; i++) {
        if (rows[i].name) printf("%d %s\n", rows[i].row, rows[i].name);
        else printf("%d %lld\n", rows[i].row, rows[i].number);
    }
    return 0;
}
"#;

fn rust_source(rows: &[Row]) -> String {
    let mut text = "#[path = \"bindings.rs\"]\nmod bindings;\n\
                    const fn field_size<T, F>(_: fn(*const T) -> *const F) -> i64 { size_of::<F>() as i64 }\n\
                    static ROWS: &[(usize, i64)] = &[\n"
        .to_owned();
    for (index, row) in rows.iter().enumerate() {
        if let Question::Number { rust, .. } = &row.question {
            // Writing to a string does not fail.
            let _ = writeln!(text, "({index}, {rust}),");
        }
    }
    text.push_str(
        "];\nfn main() {\n    for (row, number) in ROWS {\n        println!(\"{row} {number}\");\n    }\n}\n",
    );
    text
}

/// `probe.c:12:4: error: ...` of gcc and clang.
fn error_line<'a>(line: &'a str, file: &str) -> Option<(usize, &'a str)> {
    let (_, rest) = line.split_once(&format!("{file}:"))?;
    let (number, rest) = rest.split_once(':')?;
    let (_, message) = rest.split_once("error: ")?;
    Some((number.parse().ok()?, message))
}

fn run(mut command: Command, variable: &'static str) -> Result<Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    // The messages are read: in English, whole, and from clang without its limit of twenty.
    command.env("LC_ALL", "C");
    if variable == "CC" && program.contains("clang") {
        command.arg("-ferror-limit=0");
    }
    command.output().map_err(|source| Error::NoCompiler { program, variable, source })
}

/// The lines `INDEX VALUE` that a program prints.
fn printed(program: &Path, language: &'static str) -> Result<BTreeMap<usize, String>, Error> {
    let output = Command::new(program).output().map_err(Error::file(program))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = text.lines().map(|line| {
        let (index, value) = line.split_once(' ')?;
        Some((index.parse().ok()?, value.to_owned()))
    });
    let pairs = pairs.collect::<Option<BTreeMap<usize, String>>>().filter(|_| output.status.success());
    pairs.ok_or_else(|| Error::Probe { language, output: format!("it ended with {}: {text}", output.status) })
}
