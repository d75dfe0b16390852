//! The cases, by topic: one file each, a list at its top and a function for each case. A long one has some of the functions in a folder.

mod address_range;
mod arguments;
mod beside_capture;
mod capture;
mod capture_device;
mod capture_modes;
mod capture_relaxed;
mod capture_state;
mod copies;
mod copy_arguments;
mod copy_current;
mod copy_order;
mod device;
mod device_questions;
mod driver_twins;
mod during_capture;
mod enable;
mod entry_points;
mod events;
mod execution;
mod fault_codes;
mod faults;
mod forked;
mod graph_grants;
mod graph_host;
mod graph_updates;
mod graph_virtual;
mod graph_ways;
mod graphs;
mod host_memory;
mod ipc;
mod ipc_devices;
mod ipc_events;
mod ipc_links;
mod ipc_memory;
mod ipc_pools;
mod kernel_questions;
mod lasterror;
mod launch;
mod library;
mod machines;
mod memcpy;
mod memory;
mod memset;
mod misaligned;
mod ordering;
mod peer_graphs;
mod pitched;
mod pitched_streams;
mod pointer_pool;
mod pointer_questions;
mod pointers;
mod poison;
mod pool_arguments;
mod pool_limits;
mod pool_memory;
mod pools;
mod query;
mod resets;
mod rounds;
mod sizes;
mod stream_handles;
mod streams;
mod threads;
mod unmodelled;
mod virtual_arguments;
mod virtual_faults;
mod virtual_memory;

use crate::case::Case;

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    [
        query::CASES,
        device_questions::CASES,
        device::CASES,
        enable::CASES,
        resets::CASES,
        threads::CASES,
        lasterror::CASES,
        memory::CASES,
        host_memory::CASES,
        memset::CASES,
        memcpy::CASES,
        pitched::CASES,
        pitched_streams::CASES,
        copies::CASES,
        copy_arguments::CASES,
        ordering::CASES,
        copy_order::CASES,
        streams::CASES,
        stream_handles::CASES,
        events::CASES,
        capture::CASES,
        capture_state::CASES,
        driver_twins::CASES,
        during_capture::CASES,
        beside_capture::CASES,
        capture_modes::CASES,
        capture_relaxed::CASES,
        capture_device::CASES,
        graphs::CASES,
        peer_graphs::CASES,
        graph_grants::CASES,
        graph_host::CASES,
        graph_updates::CASES,
        graph_virtual::CASES,
        graph_ways::CASES,
        faults::CASES,
        fault_codes::CASES,
        misaligned::CASES,
        poison::CASES,
        pools::CASES,
        pointer_pool::CASES,
        copy_current::CASES,
        pool_arguments::CASES,
        pool_memory::CASES,
        pool_limits::CASES,
        pointers::CASES,
        pointer_questions::CASES,
        virtual_arguments::CASES,
        virtual_memory::CASES,
        virtual_faults::CASES,
        library::CASES,
        launch::CASES,
        kernel_questions::CASES,
        execution::CASES,
        rounds::CASES,
        sizes::CASES,
        entry_points::CASES,
        address_range::CASES,
        ipc::CASES,
        ipc_memory::CASES,
        ipc_devices::CASES,
        ipc_events::CASES,
        ipc_links::CASES,
        ipc_pools::CASES,
        forked::CASES,
        unmodelled::CASES,
        machines::CASES,
        arguments::CASES,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn no_two_cases_have_one_name() {
        let cases = super::all();
        let names: BTreeSet<String> = cases.iter().map(crate::case::Case::name).collect();
        assert_eq!(names.len(), cases.len());
    }

    /// The tables of the README name what there is.
    #[test]
    fn the_readme_names_cases_that_there_are() {
        let names: BTreeSet<String> = super::all().iter().map(crate::case::Case::name).collect();
        let readme = include_str!("../../README.md");
        let quoted = readme.split('`').skip(1).step_by(2);
        let is_name = |text: &&str| {
            text.split_once("::").is_some_and(|(topic, case)| {
                let plain = |part: &str| {
                    !part.is_empty()
                        && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                };
                plain(topic) && plain(case)
            })
        };
        let named: Vec<&str> = quoted.filter(is_name).collect();
        assert!(named.len() > 80, "{} cases are named", named.len());
        let unknown: Vec<&str> = named.into_iter().filter(|name| !names.contains(*name)).collect();
        assert_eq!(unknown, Vec::<&str>::new());
    }
}
