//! The cases, by topic: one file each, a list at its top and a function for each case.

mod arguments;
mod capture;
mod copies;
mod device;
mod enable;
mod faults;
mod lasterror;
mod library;
mod machines;
mod ordering;
mod pointers;
mod pools;
mod query;
mod streams;

use crate::case::Case;

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    [
        query::CASES,
        enable::CASES,
        device::CASES,
        copies::CASES,
        ordering::CASES,
        streams::CASES,
        capture::CASES,
        faults::CASES,
        pools::CASES,
        pointers::CASES,
        library::CASES,
        lasterror::CASES,
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
}
