//! The library as programs meet it: its symbols, what it does not model, and C programs that run on it.
//!
//! What needs the headers, NVIDIA's library or nvcc is printed as ignored where they are missing.

mod exports;
mod library;
mod run;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::library::Kit;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let kit = Kit::find();
    if let Err(why) = &kit {
        println!("skipped, because there is no CUDA toolkit: what compiles a program. {why}");
    } else if kit.as_ref().is_ok_and(|kit| kit.nvcc.is_none()) {
        println!("skipped, because the toolkit has no nvcc: what compiles a kernel.");
    }
    let kit = kit.ok();
    let has_nvcc = kit.as_ref().is_some_and(|kit| kit.nvcc.is_some());
    let with_kit = |name: &str, test: fn(&Kit) -> Result<(), Failed>| {
        let kit = kit.clone();
        let missing = kit.is_none();
        Trial::test(name, move || kit.as_ref().map_or(Ok(()), test)).with_ignored_flag(missing)
    };
    let trials = vec![
        Trial::test("the_soname_is_that_of_the_major", exports::soname),
        Trial::test("the_library_says_that_it_simulates", exports::marked),
        Trial::test("what_answers_801_is_what_the_readme_lists", exports::not_modelled),
        with_kit("the_symbols_are_those_of_the_real_library", exports::symbols),
        with_kit("peer_c_prints_what_is_expected", run::peer),
        with_kit("peer_c_prints_the_same_under_every_schedule", run::peer_with_seeds),
        with_kit("a_setting_that_is_no_machine_is_told_once", run::junk),
        with_kit("no_device_if_switched_off", run::off),
        with_kit("kernel_cu_is_refused_with_209", run::kernel).with_ignored_flag(!has_nvcc),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
