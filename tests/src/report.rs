//! What a case's process tells its parent: lines on its standard output, each with a mark, written as things happen, so that a
//! process that crashes or hangs has still said what it was doing.

/// Begins every line of a report; what else a process prints is kept apart.
const MARK: &str = "cuda-p2p-tests: ";

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A call is about to be made.
    Try(String),
    /// A line for the transcript.
    Record(String),
    /// An expectation that did not hold, or why the case was stopped.
    Fail(String),
    /// A fact about the machine.
    Fact(String),
    /// The end, and the number of expectations that were looked at.
    End(usize),
}

impl Line {
    /// Prints it.
    pub(crate) fn print(&self) {
        println!("{}", self.text());
    }

    fn text(&self) -> String {
        let (word, text) = match self {
            Self::Try(text) => ("try", text),
            Self::Record(text) => ("record", text),
            Self::Fail(text) => ("fail", text),
            Self::Fact(text) => ("fact", text),
            Self::End(checks) => ("end", &checks.to_string()),
        };
        format!("{MARK}{word} {}", text.replace('\n', LINE_BREAK))
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, text) = line.strip_prefix(MARK)?.split_once(' ')?;
        let text = text.replace(LINE_BREAK, "\n");
        match word {
            "try" => Some(Self::Try(text)),
            "record" => Some(Self::Record(text)),
            "fail" => Some(Self::Fail(text)),
            "fact" => Some(Self::Fact(text)),
            "end" => text.parse().ok().map(Self::End),
            _ => None,
        }
    }
}

/// Stands for a line break inside a line of a report.
const LINE_BREAK: &str = "\u{2028}";

/// All that one process said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// The lines for the transcript, in order.
    pub(crate) records: Vec<String>,
    /// What did not hold.
    pub(crate) failures: Vec<String>,
    /// Facts about the machine.
    pub(crate) facts: Vec<String>,
    /// The call that was begun and not answered.
    pub(crate) trying: Option<String>,
    /// Expectations that were looked at; `None` if the process did not come to its end.
    pub(crate) checks: Option<usize>,
    /// What it printed otherwise.
    pub(crate) other: Vec<String>,
}

impl Report {
    /// Sorts what a process printed.
    pub(crate) fn parse(output: &str) -> Self {
        let mut report = Self::default();
        for line in output.lines() {
            // What somebody else printed may not have ended its line.
            let start = line.find(MARK).unwrap_or(line.len());
            if start > 0 {
                report.other.push(line[..start].to_owned());
            }
            match Line::parse(&line[start..]) {
                Some(Line::Try(call)) => report.trying = Some(call),
                Some(Line::Record(record)) => {
                    report.trying = None;
                    report.records.push(record);
                }
                Some(Line::Fail(failure)) => report.failures.push(failure),
                Some(Line::Fact(fact)) => report.facts.push(fact),
                Some(Line::End(checks)) => report.checks = Some(checks),
                None => {}
            }
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_back_as_written() {
        let lines = [
            Line::Try("cudaFree(a)".to_owned()),
            Line::Record("cudaFree(a) -> 0".to_owned()),
            Line::Fail("two\nlines".to_owned()),
            Line::Try("cudaFree(b)".to_owned()),
        ];
        let mut output: String = lines.iter().map(|line| line.text() + "\n").collect();
        output.insert_str(0, "printed by somebody else");
        let report = Report::parse(&output);
        assert_eq!(report.records, ["cudaFree(a) -> 0"]);
        assert_eq!(report.failures, ["two\nlines"]);
        assert_eq!(report.trying.as_deref(), Some("cudaFree(b)"));
        assert_eq!(report.checks, None);
        assert_eq!(report.other, ["printed by somebody else"]);
        assert_eq!(Report::parse(&Line::End(3).text()).checks, Some(3));
    }
}
