//! That no path is left out anywhere: in the list, among the steps, on the command line, in the documentation.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::*;

fn read(file: &str) -> String {
    std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn the_list_has_every_path_and_every_step_once_and_in_order() {
    assert_eq!(Path::ALL.as_slice(), Path::value_variants());
    assert!(Step::ALL.is_sorted_by(|one, other| one < other));
    // The last of each, so that none can be added behind it unseen.
    assert_eq!((Path::IpcPool as usize + 1, Step::IpcPoolClose as usize + 1), (9, Step::ALL.len()));
    let names: BTreeSet<String> = Step::ALL.iter().map(Step::to_string).collect();
    assert_eq!(names.len(), Step::ALL.len());
}

#[test]
fn every_path_that_moves_data_is_read_and_written_by_engine_and_by_kernel_where_it_has_both() {
    for path in Path::ALL {
        let moves: Vec<_> = Step::ALL
            .iter()
            .filter(|step| step.path() == Some(path))
            .filter_map(|step| step.movement())
            .map(|movement| (movement.means, movement.reads))
            .collect();
        let due: &[(Means, bool)] = match path {
            Path::Engine | Path::Staged => &[(Means::Engine, true), (Means::Engine, false)],
            Path::Kernel => &[(Means::Kernel, true), (Means::Kernel, false)],
            Path::Flags => &[],
            Path::Pool | Path::Graph | Path::Virtual | Path::Ipc | Path::IpcPool => &[
                (Means::Engine, true),
                (Means::Engine, false),
                (Means::Kernel, true),
                (Means::Kernel, false),
            ],
        };
        assert_eq!(moves, due, "{path}");
    }
}

#[test]
fn a_path_alone_has_its_steps_and_what_they_need() {
    for path in Path::ALL {
        for step in Step::ALL {
            let shared = match step {
                Step::Prepare | Step::Query => true,
                Step::Enable | Step::Disable => path.takes_access(),
                _ => false,
            };
            assert_eq!(step.is_of(&[path]), shared || step.path() == Some(path), "{path}: {step}");
        }
        // What may be skipped comes before the rest of its path.
        let first = Step::ALL.iter().find(|step| step.path() == Some(path)).unwrap();
        let skippable = Step::ALL.iter().filter(|step| step.path() == Some(path) && step.may_be_skipped());
        assert!(skippable.into_iter().all(|step| step == first), "{path}");
    }
}

#[test]
fn the_documentation_has_every_path_and_every_step() {
    let (readme, json) = (read("README.md"), read("../docs/json.md"));
    for path in Path::ALL {
        assert!(readme.contains(&format!("\n| {path} |")), "README.md has no row for {path}");
        assert!(json.contains(&format!("`{path}`")), "docs/json.md does not have {path}");
        assert_eq!(serde_json::to_value(path).unwrap(), path.name());
        assert_eq!(path.to_possible_value().unwrap().get_name(), path.name());
    }
    for step in Step::ALL {
        let name = serde_json::to_value(step).unwrap();
        let name = name.as_str().unwrap();
        assert!(json.contains(&format!("`{name}`")), "docs/json.md does not have {name}");
    }
}
