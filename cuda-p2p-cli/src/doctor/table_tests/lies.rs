//! CASES 28 to 31: access that lies, hangs, or is switched off.

use super::*;

/// Machines on which every call succeeds.
pub(super) fn lies() -> Vec<Row> {
    let iommu = |outcome: TrialOutcome| {
        change(pcie(), |snapshot| {
            with_iommu(snapshot);
            both(snapshot, &outcome);
        })
    };
    let acs = |outcome: TrialOutcome| {
        change(pcie(), |snapshot| {
            with_acs(snapshot);
            for accessor in 0..4_u32 {
                tried(snapshot, accessor, accessor ^ 1, &outcome);
            }
        })
    };
    let slow_acs = (C::AcsRedirects, Slows, Certain, Some(4));
    vec![
        (
            "28: wrong data below an IOMMU",
            iommu(wrong(&ALL_READS_AND_WRITES, Kind::Dropped)),
            vec![(C::IommuTranslates, Blocks, Likely, Some(2))],
        ),
        (
            "28: wrong data below ACS",
            acs(wrong(&ALL_READS_AND_WRITES, Kind::Dropped)),
            vec![(C::AcsRedirects, Blocks, Likely, Some(4))],
        ),
        ("28: ACS, and every byte arrives", change(pcie(), with_acs), vec![slow_acs]),
        (
            "28: wrong data, and nothing to see",
            change(pcie(), |snapshot| both(snapshot, &wrong(&ALL_READS_AND_WRITES, Kind::Dropped))),
            vec![(C::WrongData, Blocks, Certain, Some(2))],
        ),
        (
            "28: wrong data over NVLink, where neither IOMMU nor ACS is on the way",
            change(hgx(), |snapshot| {
                with_iommu(snapshot);
                with_acs(snapshot);
                both(snapshot, &wrong(&ALL_READS_AND_WRITES, Kind::Unknown));
            }),
            vec![(C::WrongData, Blocks, Certain, Some(2))],
        ),
        (
            "28: wrong data, and bridges that only root may read",
            change(pcie(), |snapshot| {
                for device in &mut snapshot.system.pci {
                    device.config_readable = false;
                    if device.acs != Acs::Absent {
                        device.acs = Acs::Unreadable;
                    }
                }
                both(snapshot, &wrong(&ALL_READS_AND_WRITES, Kind::Dropped));
            }),
            vec![(C::WrongData, Blocks, Certain, Some(2))],
        ),
        (
            "28: an IOMMU that was not tried",
            change(pcie(), |snapshot| {
                with_iommu(snapshot);
                snapshot.cuda.trials.clear();
            }),
            vec![(C::IommuTranslates, Notice, Possible, Some(12))],
        ),
        (
            "29: a mirror: the owner never sees the writes",
            change(pcie(), |s| {
                both(s, &wrong(&[Step::EngineWrite, Step::KernelWrite, Step::Flags], Kind::Mirrored))
            }),
            vec![(C::WritesLost, Blocks, Certain, Some(2))],
        ),
        (
            "29: no mirror: one bit of what is written flips",
            change(pcie(), |snapshot| {
                tried(snapshot, 0, 1, &wrong(&[Step::KernelWrite], Kind::Flipped));
            }),
            vec![(C::WrongData, Blocks, Certain, Some(1))],
        ),
        (
            "30: the first transfer hangs below an IOMMU",
            iommu(hung(Step::EngineRead)),
            vec![(C::IommuTranslates, Blocks, Likely, Some(2))],
        ),
        (
            "30: it hangs below ACS",
            acs(hung(Step::EngineRead)),
            vec![(C::AcsRedirects, Blocks, Likely, Some(4))],
        ),
        (
            "30: it hangs, and nothing to see",
            change(hgx(), |snapshot| both(snapshot, &hung(Step::EngineRead))),
            vec![(C::TransferHangs, Blocks, Certain, Some(2))],
        ),
        (
            "30: it hangs before access is enabled, beside an IOMMU",
            iommu(hung(Step::Prepare)),
            vec![(C::TransferHangs, Blocks, Certain, Some(2))],
        ),
        (
            "30: a process dies",
            change(pcie(), |s| {
                tried(
                    s,
                    2,
                    0,
                    &TrialOutcome::Died { step: Some(Step::KernelRead), how: "signal 11".to_owned() },
                );
            }),
            vec![(C::TransferDies, Blocks, Certain, Some(1))],
        ),
        (
            "30: processes die below ACS, which does not kill",
            acs(TrialOutcome::Died { step: Some(Step::KernelRead), how: "signal 11".to_owned() }),
            vec![(C::TransferDies, Blocks, Certain, Some(4)), slow_acs],
        ),
        (
            "31: a switch that is on",
            change(hgx(), |snapshot| set(snapshot, "NCCL_P2P_DISABLE", "1")),
            vec![(C::LibrarySetting, Slows, Certain, None)],
        ),
        (
            "31: a switch that is neither",
            change(hgx(), |snapshot| set(snapshot, "NCCL_P2P_DISABLE", "yes")),
            vec![(C::SettingUnreadable, Notice, Certain, None)],
        ),
    ]
}
