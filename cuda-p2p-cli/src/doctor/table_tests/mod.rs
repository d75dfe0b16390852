//! Conditions against findings: each machine with one thing wrong has the finding for that, on the right pairs, and no other.

mod lies;
mod modes;
mod system;

use std::collections::BTreeSet;

use super::finding::{Certainty, Condition, Effect};
use super::fixtures::{
    does_not_start, geforce, hgx, pcie, pcie_vm, real_vm, tried, with_acs, with_iommu, without_access,
};
use super::rules::diagnose;
use super::snapshot::{
    Acs, Confidential, Fabric, Failure, Nvml, PairSpeed, PcieWidth, Snapshot, TrialOutcome,
};
use crate::options::OrderedPair;
use crate::verify::{Kind, Step};
use Certainty::{Certain, Likely, Possible};
use Condition as C;
use Effect::{Blocks, Notice, Slows};

/// A finding that is expected: what, how bad, how sure, and how many ordered pairs it names, if it is about pairs.
type Expected = (Condition, Effect, Certainty, Option<usize>);

/// A machine, and what is to be found.
type Row = (&'static str, Snapshot, Vec<Expected>);

fn change(mut snapshot: Snapshot, change: impl FnOnce(&mut Snapshot)) -> Snapshot {
    change(&mut snapshot);
    snapshot
}

fn wrong(steps: &[Step], kind: Kind) -> TrialOutcome {
    TrialOutcome::Wrong { steps: steps.to_vec(), wrong_bytes: 4081, moved_bytes: 4097, kinds: vec![kind] }
}

fn failed(step: Step, text: &str) -> TrialOutcome {
    TrialOutcome::Failed { step, failure: Failure::of(text) }
}

fn hung(step: Step) -> TrialOutcome {
    TrialOutcome::Hung { step: Some(step) }
}

/// Both directions between 0 and 1.
fn both(snapshot: &mut Snapshot, outcome: &TrialOutcome) {
    tried(snapshot, 0, 1, outcome);
    tried(snapshot, 1, 0, outcome);
}

fn set(snapshot: &mut Snapshot, name: &str, value: &str) {
    snapshot.system.environment.insert(name.to_owned(), value.to_owned());
}

const ALL_READS_AND_WRITES: [Step; 4] =
    [Step::EngineRead, Step::EngineWrite, Step::KernelRead, Step::KernelWrite];
const NOT_READY: &str =
    "cudaGetDeviceCount failed with 802 (cudaErrorSystemNotReady): system not yet initialized";

fn healthy() -> Vec<Row> {
    vec![
        ("eight on NVSwitches", hgx(), vec![]),
        ("four over PCIe", pcie(), vec![]),
        ("two H200 in a virtual machine, as read", real_vm(), vec![]),
        ("two over PCIe in a virtual machine, one clique", pcie_vm(), vec![]),
        ("an IOMMU that translates, and every byte arrives", change(pcie(), with_iommu), vec![]),
        (
            "an IOMMU and ACS beside NVLink",
            change(hgx(), |snapshot| {
                with_iommu(snapshot);
                with_acs(snapshot);
            }),
            vec![],
        ),
        (
            "a registration with the fabric that goes on while CUDA works",
            change(hgx(), |snapshot| {
                snapshot.nvml.gpus[0].fabric = Some(Fabric { state: "in_progress".to_owned(), status: 0 });
            }),
            vec![],
        ),
        ("a switch that is off", change(hgx(), |snapshot| set(snapshot, "NCCL_P2P_DISABLE", "0")), vec![]),
        ("all devices listed", change(hgx(), |s| set(s, "CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7")), vec![]),
    ]
}

fn table() -> Vec<Row> {
    [healthy(), lies::lies(), modes::modes(), system::system()].concat()
}

#[test]
fn each_condition_has_its_finding_and_no_other() {
    let mut wrong = Vec::new();
    for (name, snapshot, expected) in table() {
        let found: Vec<Expected> = diagnose(&snapshot)
            .iter()
            .map(|finding| {
                let pairs = finding.pairs.as_ref().map(Vec::len);
                (finding.condition, finding.effect, finding.certainty, pairs)
            })
            .collect();
        if found != expected {
            wrong.push(format!("{name}:\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_condition() {
    let expected: BTreeSet<Condition> =
        table().into_iter().flat_map(|(_, _, expected)| expected).map(|(condition, ..)| condition).collect();
    let missing: Vec<_> = Condition::ALL.iter().filter(|condition| !expected.contains(condition)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn each_finding_says_what_was_read_what_it_means_and_what_to_do() {
    for (name, snapshot, _) in table() {
        for finding in diagnose(&snapshot) {
            assert!(!finding.evidence.is_empty(), "{name}: {finding:?}");
            let sentence = |text: &str| text.ends_with('.') && text.starts_with(|c: char| !c.is_lowercase());
            assert!(sentence(&finding.meaning), "{name}: {}", finding.meaning);
            assert!(
                finding.remedy.ends_with('.') || finding.remedy.ends_with(')'),
                "{name}: {}",
                finding.remedy
            );
            let read = |evidence: &super::finding::Evidence| {
                !evidence.read.is_empty() && !evidence.source.is_empty()
            };
            assert!(finding.evidence.iter().all(read), "{name}: {finding:?}");
        }
    }
}

#[test]
fn a_machine_is_the_same_after_it_was_saved() {
    for (name, snapshot, _) in table() {
        let text = serde_json::to_string(&snapshot).unwrap();
        let read: Snapshot = serde_json::from_str(&text).unwrap();
        assert_eq!(diagnose(&read), diagnose(&snapshot), "{name}");
        assert_eq!(serde_json::to_string(&read).unwrap(), text, "{name}");
    }
}

#[test]
fn every_condition_is_documented_by_its_name_in_the_json() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/json.md")).unwrap();
    for condition in Condition::ALL {
        let name = serde_json::to_value(condition).unwrap();
        assert!(text.contains(&format!("`{}`", name.as_str().unwrap())), "{name}");
    }
}
