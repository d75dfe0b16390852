//! The arguments.

/// What to do.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) steps: usize,
    /// Cells of each rank.
    pub(crate) cells: usize,
    /// Each process sees its own GPU alone.
    pub(crate) only_own: bool,
    /// Which of the two this process is; `None` for the one that starts them.
    pub(crate) rank: Option<usize>,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { steps: 1000, cells: 1 << 16, only_own: false, rank: None };
        while let Some(argument) = arguments.next() {
            let mut number = |least: usize| {
                let text = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
                match text.parse() {
                    Ok(number) if number >= least => Ok(number),
                    _ => Err(format!("{argument} {text}: give a whole number of at least {least}")),
                }
            };
            match argument.as_str() {
                "--steps" => options.steps = number(1)?,
                "--cells" => options.cells = number(1)?,
                "--only-own" => options.only_own = true,
                "--rank" => options.rank = Some(number(0)?.min(1)),
                _ => return Err(format!("{argument}: the arguments are --steps N, --cells N, --only-own")),
            }
        }
        Ok(options)
    }

    /// Those of the process that is this rank.
    pub(crate) fn arguments_of(&self, rank: usize) -> Vec<String> {
        let mut arguments: Vec<String> = [("--steps", self.steps), ("--cells", self.cells), ("--rank", rank)]
            .into_iter()
            .flat_map(|(name, value)| [name.to_owned(), value.to_string()])
            .collect();
        arguments.extend(self.only_own.then(|| "--only-own".to_owned()));
        arguments
    }
}
