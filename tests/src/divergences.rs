//! Where the simulator answers otherwise than hardware on purpose: the whole list.
//!
//! A case demands what hardware answers. Where it meets a line of this list, on the simulator, it demands the simulator's
//! answer instead, and fails if the line is not met or the simulator answers like hardware after all: then the line must go.

/// One answer of the simulator that is not hardware's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Divergence {
    /// `topic::case`
    pub(crate) case: &'static str,
    /// A line of the case's transcript without its answer: the call as the case writes it, or the name of a value.
    pub(crate) what: &'static str,
    /// What the simulator answers: a code, or a value as `Debug` writes it.
    pub(crate) simulator: &'static str,
    /// Why it does.
    pub(crate) reason: &'static str,
}

/// All of them.
pub(crate) const DIVERGENCES: &[Divergence] = &[
    no_ipc(
        "arguments::ipc_handle_of_what_is_no_allocation",
        "cudaIpcGetMemHandle(handle.as_mut_ptr(), from_mut(&mut word).cast())",
    ),
    no_ipc(
        "arguments::ipc_handle_of_what_is_no_allocation",
        "cudaIpcGetMemHandle(handle.as_mut_ptr(), null_mut())",
    ),
    no_ipc(
        "arguments::ipc_handle_of_what_is_no_allocation",
        "cudaIpcGetMemHandle(handle.as_mut_ptr(), pooled)",
    ),
];

const fn no_ipc(case: &'static str, what: &'static str) -> Divergence {
    Divergence {
        case,
        what,
        simulator: "801",
        reason: "a simulated machine lives in one process: handles for others are not modelled",
    }
}

/// Those of one case.
pub(crate) fn of_case(all: &[Divergence], case: &str) -> Vec<Divergence> {
    all.iter().filter(|divergence| divergence.case == case).copied().collect()
}

/// A line of a transcript as what was asked and what was answered.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    line.rsplit_once(" -> ").or_else(|| line.split_once(" = "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_a_case_once_and_says_why() {
        let cases = crate::cases::all();
        for (index, divergence) in DIVERGENCES.iter().enumerate() {
            assert!(cases.iter().any(|case| case.name() == divergence.case), "no such case: {divergence:?}");
            assert!(!divergence.reason.is_empty(), "{divergence:?}");
            let same = |other: &Divergence| (other.case, other.what) == (divergence.case, divergence.what);
            assert!(!DIVERGENCES[index + 1..].iter().any(same), "twice: {divergence:?}");
        }
    }

    #[test]
    fn a_line_is_split_at_its_answer() {
        assert_eq!(split("cudaFree(a) -> 1"), Some(("cudaFree(a)", "1")));
        assert_eq!(split("flags = 3"), Some(("flags", "3")));
        assert_eq!(split("nothing"), None);
    }
}
