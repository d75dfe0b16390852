//! The harness's own arguments; all others go to libtest-mimic.

use std::path::PathBuf;
use std::time::Duration;

use crate::arm::Arm;

/// Names the arm where `--arm` does not: `sim`, `real` or `auto`.
pub(crate) const ARM_VARIABLE: &str = "CUDA_P2P_TEST_ARM";

/// What `--help` says before libtest-mimic's own text.
pub(crate) const HELP: &str = "\
Arguments of this harness:
      --arm sim|real|auto  Where the runtime comes from. auto: the real one if there is a library and a device, else the
                           simulator. [default: CUDA_P2P_TEST_ARM, else auto]
      --require-gpus N     The arm must be real, and a case that needs up to N devices fails where it would be skipped for
                           want of them
      --transcript FILE    Write every call with its answer
      --against FILE       Compare every call with a transcript; a case that differs is a failure
      --json FILE          Write what became of each case as JSON
      --junit FILE         The same as JUnit XML
      --kill-after SECONDS How long one case may take [default: 60]
Arguments of libtest:
";

/// The harness's own arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// `None` is auto.
    pub(crate) arm: Option<Arm>,
    pub(crate) require_gpus: usize,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) against: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) junit: Option<PathBuf>,
    pub(crate) kill_after: Duration,
    /// For libtest-mimic.
    pub(crate) rest: Vec<String>,
}

/// An argument that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OptionError {
    #[error("{0} needs a value; --help lists the arguments")]
    NoValue(&'static str),
    #[error("{from} is {value:?}; it must be sim, real or auto")]
    Arm { from: &'static str, value: String },
    #[error("{flag} is {value:?}; it must be a whole number, 1 or more")]
    Number { flag: &'static str, value: String },
}

impl Options {
    /// Sorts the arguments of a process; `arm_variable` is the value of `CUDA_P2P_TEST_ARM`.
    ///
    /// # Errors
    /// [`OptionError`], for one of the harness's own arguments.
    pub(crate) fn parse(arguments: &[String], arm_variable: Option<&str>) -> Result<Self, OptionError> {
        let mut options = Self {
            arm: arm(ARM_VARIABLE, arm_variable.filter(|value| !value.is_empty()).unwrap_or("auto"))?,
            require_gpus: 0,
            transcript: None,
            against: None,
            json: None,
            junit: None,
            kill_after: Duration::from_secs(60),
            rest: Vec::new(),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (flag, given) = match argument.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let Some(flag) = OWN_FLAGS.iter().find(|own| **own == flag) else {
                options.rest.push(argument.clone());
                continue;
            };
            let value = given.or_else(|| arguments.next().cloned()).ok_or(OptionError::NoValue(flag))?;
            match *flag {
                "--arm" => options.arm = arm(flag, &value)?,
                "--require-gpus" => options.require_gpus = number(flag, &value)?,
                "--transcript" => options.transcript = Some(value.into()),
                "--against" => options.against = Some(value.into()),
                "--json" => options.json = Some(value.into()),
                "--junit" => options.junit = Some(value.into()),
                _ => options.kill_after = Duration::from_secs(number(flag, &value)? as u64),
            }
        }
        Ok(options)
    }
}

const OWN_FLAGS: [&str; 7] =
    ["--arm", "--require-gpus", "--transcript", "--against", "--json", "--junit", "--kill-after"];

fn arm(from: &'static str, value: &str) -> Result<Option<Arm>, OptionError> {
    match (value, Arm::from_word(value)) {
        ("auto", _) => Ok(None),
        (_, Some(arm)) => Ok(Some(arm)),
        _ => Err(OptionError::Arm { from, value: value.to_owned() }),
    }
}

fn number(flag: &'static str, value: &str) -> Result<usize, OptionError> {
    value
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| OptionError::Number { flag, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str], variable: Option<&str>) -> Result<Options, OptionError> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Options::parse(&arguments, variable)
    }

    #[test]
    fn own_arguments_are_taken_and_the_others_passed_on() {
        let options = parse(
            &[
                "--arm",
                "sim",
                "copies",
                "--require-gpus=2",
                "--exact",
                "--kill-after",
                "5",
                "--transcript=t",
                "--json",
                "j",
                "--junit=x",
            ],
            Some("real"),
        )
        .expect("all are well formed");
        assert_eq!(options.arm, Some(Arm::Simulator));
        assert_eq!(options.require_gpus, 2);
        assert_eq!(options.kill_after, Duration::from_secs(5));
        assert_eq!(options.transcript, Some(PathBuf::from("t")));
        assert_eq!((options.json, options.junit), (Some(PathBuf::from("j")), Some(PathBuf::from("x"))));
        assert_eq!(options.rest, ["copies", "--exact"]);
    }

    #[test]
    fn the_variable_names_the_arm() {
        assert_eq!(parse(&[], Some("real")).map(|options| options.arm), Ok(Some(Arm::Real)));
        assert_eq!(parse(&[], Some("")).map(|options| options.arm), Ok(None));
        assert_eq!(parse(&[], None).map(|options| options.arm), Ok(None));
    }

    #[test]
    fn junk_is_an_error_that_says_what_is_right() {
        let error = parse(&[], Some("gpu")).expect_err("there is no such arm");
        assert_eq!(error.to_string(), "CUDA_P2P_TEST_ARM is \"gpu\"; it must be sim, real or auto");
        assert_eq!(parse(&["--arm"], None), Err(OptionError::NoValue("--arm")));
        let error = parse(&["--kill-after", "0"], None).expect_err("nothing ends in no time");
        assert!(error.to_string().contains("1 or more"), "{error}");
    }
}
