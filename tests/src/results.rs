//! What became of each case, for programs: JSON and JUnit XML.

use std::fmt::Write as _;

use crate::capabilities::Capabilities;

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Passed,
    /// With all that was wrong.
    Failed(String),
    /// With the reason.
    Skipped(String),
}

/// One case that was run or skipped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CaseResult {
    /// `topic::case`
    pub(crate) name: String,
    pub(crate) fate: Fate,
    pub(crate) seconds: f64,
}

/// A whole run, by name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Results {
    machine: String,
    cases: Vec<CaseResult>,
}

impl Results {
    /// Those of a run on that machine.
    pub(crate) fn of(machine: &Capabilities, mut cases: Vec<CaseResult>) -> Self {
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Self { machine: machine.summary(), cases }
    }

    /// Names and reasons of the cases that were skipped.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases.iter().filter_map(|case| match &case.fate {
            Fate::Skipped(reason) => Some((case.name.as_str(), reason.as_str())),
            Fate::Passed | Fate::Failed(_) => None,
        })
    }

    /// Passed, failed, skipped.
    fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for case in &self.cases {
            counts[match case.fate {
                Fate::Passed => 0,
                Fate::Failed(_) => 1,
                Fate::Skipped(_) => 2,
            }] += 1;
        }
        counts
    }

    /// One object: the machine, the counts, and `cases`, each with `name`, `result` (`passed`, `failed` or `skipped`), `reason`
    /// unless it passed, and `seconds`.
    pub(crate) fn json(&self) -> String {
        let [passed, failed, skipped] = self.counts();
        let mut text = format!(
            "{{\n  \"machine\": {},\n  \"passed\": {passed},\n  \"failed\": {failed},\n  \"skipped\": {skipped},\n  \"cases\": [",
            json_string(&self.machine)
        );
        for (index, case) in self.cases.iter().enumerate() {
            let (result, reason) = match &case.fate {
                Fate::Passed => ("passed", None),
                Fate::Failed(reason) => ("failed", Some(reason)),
                Fate::Skipped(reason) => ("skipped", Some(reason)),
            };
            let reason =
                reason.map(|reason| format!("\"reason\": {}, ", json_string(reason))).unwrap_or_default();
            let _ = write!(
                text,
                "{}\n    {{\"name\": {}, \"result\": \"{result}\", {reason}\"seconds\": {:.3}}}",
                if index == 0 { "" } else { "," },
                json_string(&case.name),
                case.seconds
            );
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// One suite. The topic of a case is its class.
    pub(crate) fn junit(&self) -> String {
        let [_, failed, skipped] = self.counts();
        let (tests, seconds) = (self.cases.len(), self.cases.iter().map(|case| case.seconds).sum::<f64>());
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"conformance\" tests=\"{tests}\" \
             failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\" time=\"{seconds:.3}\">\n    <properties>\n      \
             <property name=\"machine\" value=\"{}\"/>\n    </properties>\n",
            xml(&self.machine)
        );
        for case in &self.cases {
            let (topic, name) = case.name.split_once("::").unwrap_or(("", &case.name));
            let _ = write!(
                text,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
                xml(topic),
                xml(name),
                case.seconds
            );
            let _ = match &case.fate {
                Fate::Passed => writeln!(text, "/>"),
                Fate::Failed(reason) => {
                    let first = reason.lines().next().unwrap_or_default();
                    writeln!(
                        text,
                        "><failure message=\"{}\">{}</failure></testcase>",
                        xml(first),
                        xml(reason)
                    )
                }
                Fate::Skipped(reason) => {
                    writeln!(text, "><skipped message=\"{}\"/></testcase>", xml(reason))
                }
            };
        }
        text.push_str("  </testsuite>\n</testsuites>\n");
        text
    }
}

fn json_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// For an attribute or a text. Control characters, which XML cannot hold, become `?`.
fn xml(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            control if control < ' ' && control != '\t' => escaped.push('?'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let case = |name: &str, fate| CaseResult { name: name.to_owned(), fate, seconds: 0.25 };
        let cases = vec![
            case("b::skipped", Fate::Skipped("needs \"two\" & more".to_owned())),
            case("a::failed", Fate::Failed("got <1>\n\twanted \u{1}2".to_owned())),
            case("a::passed", Fate::Passed),
        ];
        let machine = Capabilities { source: "test".to_owned(), ..Capabilities::default() };
        Results::of(&machine, cases)
    }

    #[test]
    fn json_has_counts_and_reasons() {
        let text = results().json();
        assert!(text.contains("\"passed\": 1,\n  \"failed\": 1,\n  \"skipped\": 1,"), "{text}");
        let failed = r#"{"name": "a::failed", "result": "failed", "reason": "got <1>\n\u0009wanted \u00012", "seconds": 0.250},"#;
        assert!(text.contains(failed), "{text}");
        assert!(text.contains(r#"{"name": "a::passed", "result": "passed", "seconds": 0.250},"#), "{text}");
        let skipped = r#"{"name": "b::skipped", "result": "skipped", "reason": "needs \"two\" & more", "seconds": 0.250}"#;
        assert!(text.contains(skipped), "{text}");
    }

    #[test]
    fn junit_has_counts_and_reasons() {
        let text = results().junit();
        assert!(text.contains(r#"tests="3" failures="1" errors="0" skipped="1" time="0.750""#), "{text}");
        let failed = "<testcase classname=\"a\" name=\"failed\" time=\"0.250\"><failure message=\"got &lt;1&gt;\">\
                      got &lt;1&gt;&#10;\twanted ?2</failure></testcase>";
        assert!(text.contains(failed), "{text}");
        assert!(text.contains(r#"<testcase classname="a" name="passed" time="0.250"/>"#), "{text}");
        assert!(text.contains(r#"<skipped message="needs &quot;two&quot; &amp; more"/>"#), "{text}");
    }

    #[test]
    fn reasons_of_skipped_cases_are_told() {
        assert_eq!(results().skipped().collect::<Vec<_>>(), [("b::skipped", "needs \"two\" & more")]);
    }
}
