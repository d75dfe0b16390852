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
    rejected(
        "unmodelled::managed_memory_is_allocated",
        "cudaMallocManaged(&mut pointer, 64, cudaMemAttachGlobal)",
        "managed memory is not modelled",
    ),
    rejected(
        "unmodelled::a_graph_is_made_by_hand",
        "cudaGraphCreate(&mut graph, 0)",
        "graphs come from captures alone",
    ),
    rejected(
        "unmodelled::a_cooperative_launch",
        "cudaLaunchCooperativeKernel(f, row(1), row(1), a.as_mut_ptr(), 0, NULL_STREAM)",
        "grids whose blocks all run at once are not modelled",
    ),
    Divergence {
        case: "unmodelled::a_cooperative_launch",
        what: "what was stored",
        simulator: "1",
        reason: "the launch was rejected",
    },
    Divergence {
        case: "fault_codes::a_block_with_too_few_registers",
        what: "cudaLaunchKernel(f, row(1), row(1024), a.as_mut_ptr(), 0, NULL_STREAM)",
        simulator: "0",
        reason: "kernels compiled for the host have no registers of a GPU to count",
    },
    rejected(
        "unmodelled::a_device_is_chosen_by_its_properties",
        "cudaChooseDevice(&mut device, properties.as_ptr())",
        "devices are named by number",
    ),
    rejected(
        "unmodelled::devices_are_listed_in_the_order_of_choice",
        "cudaSetValidDevices(devices.as_mut_ptr(), 1)",
        "devices are named by number",
    ),
    rejected(
        "unmodelled::a_global_of_a_library",
        "cudaLibraryGetGlobal(&mut address, &mut bytes, library, name.as_ptr())",
        "host modules have no variables of a device",
    ),
    rejected(
        "stream_handles::the_stream_of_a_thread_can_be_waited_for",
        "cudaStreamSynchronize(PER_THREAD)",
        "the default stream of each thread is not modelled",
    ),
    rejected(
        "beside_capture::pool_memory_is_captured",
        "cudaMallocAsync(&mut pointer, 64, stream)",
        "graphs without nodes for memory",
    ),
    Divergence {
        case: "beside_capture::pool_memory_is_captured",
        what: "pointer.is_null()",
        simulator: "true",
        reason: "the call was rejected",
    },
    rejected(
        "capture_state::an_external_event_in_a_capture",
        "cudaEventRecordWithFlags(event, stream, 1)",
        "graphs without nodes for events",
    ),
];

/// A call that the simulator does not model: it answers 801 and does nothing.
const fn rejected(case: &'static str, what: &'static str, reason: &'static str) -> Divergence {
    Divergence { case, what, simulator: "801", reason }
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
