//! The list of mutations: rules of the safe crate, how each is taken out, and which test must notice.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where the tests are that must notice.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// `tests/rules`, on the simulator.
    #[default]
    Rules,
    /// The modules `models` of `cuda-p2p`, under loom.
    Models,
}

/// One rule taken out.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Mutation {
    /// What it is called.
    pub name: String,
    /// The rule.
    pub rule: String,
    /// The file, from the root of the workspace.
    pub file: PathBuf,
    /// What stands there, once.
    pub from: String,
    /// What is put in its place.
    pub to: String,
    /// The test that must fail.
    pub case: String,
    /// Where that is.
    #[serde(skip)]
    pub suite: Suite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// That of all of them.
    #[serde(default)]
    suite: Suite,
    mutation: Vec<Mutation>,
}

/// The files of the list, by topic.
const LISTS: [(&str, &str); 17] = [
    ("order", include_str!("../mutations/order.toml")),
    ("sole", include_str!("../mutations/sole.toml")),
    ("orders", include_str!("../mutations/orders.toml")),
    ("kinds", include_str!("../mutations/kinds.toml")),
    ("staging", include_str!("../mutations/staging.toml")),
    ("graphs", include_str!("../mutations/graphs.toml")),
    ("graph_pinned", include_str!("../mutations/graph_pinned.toml")),
    ("graph_pools", include_str!("../mutations/graph_pools.toml")),
    ("graph_ranges", include_str!("../mutations/graph_ranges.toml")),
    ("memory", include_str!("../mutations/memory.toml")),
    ("pools", include_str!("../mutations/pools.toml")),
    ("ranges", include_str!("../mutations/ranges.toml")),
    ("pinned", include_str!("../mutations/pinned.toml")),
    ("peers", include_str!("../mutations/peers.toml")),
    ("refusals", include_str!("../mutations/refusals.toml")),
    ("ipc", include_str!("../mutations/ipc.toml")),
    ("thread_state", include_str!("../mutations/thread_state.toml")),
];

/// All mutations, from the files in `mutations`.
///
/// # Errors
/// What is wrong with a file, as a text.
pub fn mutations() -> Result<Vec<Mutation>, String> {
    let mut all: Vec<Mutation> = Vec::new();
    for (name, text) in LISTS {
        let list: List = toml::from_str(text).map_err(|error| format!("mutations/{name}.toml: {error}"))?;
        for mut mutation in list.mutation {
            mutation.suite = list.suite;
            if all.iter().any(|earlier| earlier.name == mutation.name) {
                return Err(format!("two mutations are called {}", mutation.name));
            }
            all.push(mutation);
        }
    }
    Ok(all)
}

impl Mutation {
    /// The text of its file in `root` with the rule taken out.
    ///
    /// # Errors
    /// If the file cannot be read, or the text to be replaced is not in it exactly once: then the source has moved, and the
    /// mutation has to follow.
    pub fn apply(&self, root: &Path) -> Result<String, String> {
        let path = root.join(&self.file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            count => Err(format!(
                "{}: the text to replace is in {} {count} times, and must be there once; make its `from` follow \
                 the source:\n{}",
                self.name,
                self.file.display(),
                self.from
            )),
        }
    }
}

impl Suite {
    /// The file of a test, from the root of the workspace, and the test's name there.
    ///
    /// # Errors
    /// If it is not called as the tests of the suite are.
    pub fn place(self, case: &str) -> Result<(PathBuf, &str), String> {
        let (modules, name) = case.rsplit_once("::").ok_or_else(|| format!("{case} is in no module"))?;
        let modules = modules.replace("::", "/");
        let folder = match self {
            Self::Rules => "tests/model/tests/rules",
            Self::Models => "cuda-p2p/src",
        };
        Ok((Path::new(folder).join(modules).with_extension("rs"), name))
    }
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
