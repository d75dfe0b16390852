//! The harness held to its word: each broken case must be told for what it is. Needs no GPU and no simulator, since the broken
//! cases bring a table of their own. Does not test any case of the conformance suite.

use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cuda-p2p-broken-cases");

fn harness(arguments: &[&str]) -> (Output, String) {
    let output = Command::new(PROGRAM)
        .args(["--arm", "sim", "--kill-after", "2"])
        .args(arguments)
        .env_remove("CUDA_P2P_TEST_ARM")
        .env_remove("CUDA_P2P_SIM")
        .output()
        .expect("the program was built with this test");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output, said)
}

/// Runs one case; it must fail, and every part must be in what is said.
#[track_caller]
fn fails_with(case: &str, parts: &[&str]) {
    let (output, said) = harness(&["--exact", &format!("broken::{case}")]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.ends_with("0 passed, 1 failed, 0 skipped\n"), "{said}");
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
}

#[test]
fn the_first_line_names_the_arm_and_the_last_one_counts() {
    let (output, said) = harness(&["--exact", "broken::holds"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.starts_with("arm: simulator (SIMULATED, config broken), CUDA 13.0, driver 13.0, 2 devices: "),
        "{said}"
    );
    assert!(said.ends_with("1 passed, 0 failed, 0 skipped\n"), "{said}");
}

#[test]
fn a_case_that_asserts_nothing_is_refused() {
    fails_with("asserts_nothing", &["asserts nothing"]);
}

#[test]
fn a_wrong_code_is_told_with_both_names() {
    fails_with(
        "expects_another_code",
        &[
            "cudaDeviceCanAccessPeer(&mut answer, 0, 1)",
            "got 0 cudaSuccess",
            "wanted 101 cudaErrorInvalidDevice",
        ],
    );
}

#[test]
fn a_success_is_no_failure() {
    fails_with("expects_a_failure", &["cudaSetDevice(0)", "got 0 cudaSuccess", "wanted a failure"]);
}

#[test]
fn a_wrong_value_is_told_with_both() {
    fails_with("expects_another_value", &["answer", "got 1", "wanted 7"]);
}

#[test]
fn a_failed_set_up_stops_the_case() {
    let parts = ["set-up failed: cudaSetDevice(99) -> 101 cudaErrorInvalidDevice"];
    fails_with("stops_in_set_up", &parts);
    let (_, said) = harness(&["--exact", "broken::stops_in_set_up"]);
    assert!(!said.contains("this is not reached"), "{said}");
}

#[test]
fn an_absent_function_is_named() {
    fails_with("calls_what_is_absent", &["cudaMalloc is not in this runtime's table"]);
}

#[test]
fn a_crash_is_a_failure_with_its_signal_and_the_call() {
    fails_with("aborts", &["killed by signal 6 (SIGABRT)", "in cudaThatCrashes(0)"]);
}

#[test]
fn a_process_that_leaves_early_has_not_passed() {
    fails_with("leaves_early", &["ended before the case did"]);
}

#[test]
fn a_hang_is_killed_and_the_time_and_the_call_named() {
    fails_with("hangs", &["still running after 2 s, killed", "in cudaThatHangs(0)"]);
}

#[test]
fn a_changed_current_device_is_noticed() {
    fails_with("leaves_another_device", &["the current device after the case", "got 1", "wanted 0"]);
}

#[test]
fn an_expected_divergence_passes() {
    let (output, said) = harness(&["--exact", "broken::diverges_as_expected"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.ends_with("1 passed, 0 failed, 0 skipped\n"), "{said}");
}

#[test]
fn an_expected_divergence_that_is_no_more_is_a_failure() {
    fails_with(
        "diverges_no_more",
        &["an expected divergence is no more", "got 0", "wanted 801", "hardware: 0"],
    );
}

#[test]
fn an_expected_divergence_that_is_not_met_is_a_failure() {
    fails_with("meets_no_divergence", &["an expected divergence was not met: cudaDeviceCanAccessPeer"]);
}

#[test]
fn all_together_are_counted() {
    let (output, said) = harness(&["--skip", "hangs"]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.ends_with("3 passed, 11 failed, 1 skipped\n"), "{said}");
}

#[test]
fn a_skipped_case_is_told_with_its_reason() {
    let (output, said) = harness(&["--exact", "broken::needs_pools"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let end = "skipped:\n    broken::needs_pools: needs memory pools\n0 passed, 0 failed, 1 skipped\n";
    assert!(said.ends_with(end), "{said}");
}

#[test]
fn results_are_written_for_other_programs() {
    let folder = std::env::temp_dir().join(format!("cuda-p2p-harness-results-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for this test");
    let text_of = |name: &str| folder.join(name).to_str().expect("a plain name").to_owned();
    let (json, junit) = (text_of("results.json"), text_of("results.xml"));
    let (output, said) = harness(&["--skip", "hangs", "--json", &json, "--junit", &junit]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let json = std::fs::read_to_string(json).expect("it was written");
    let junit = std::fs::read_to_string(junit).expect("it was written");
    assert!(json.contains("\"passed\": 3,\n  \"failed\": 11,\n  \"skipped\": 1,"), "{json}");
    assert!(json.contains("\"name\": \"broken::holds\", \"result\": \"passed\", \"seconds\": "), "{json}");
    let skipped =
        "\"name\": \"broken::needs_pools\", \"result\": \"skipped\", \"reason\": \"needs memory pools\"";
    assert!(json.contains(skipped), "{json}");
    let failed =
        "\"name\": \"broken::asserts_nothing\", \"result\": \"failed\", \"reason\": \"asserts nothing\"";
    assert!(json.contains(failed), "{json}");
    assert!(junit.contains("tests=\"15\" failures=\"11\" errors=\"0\" skipped=\"1\""), "{junit}");
    assert!(junit.contains("<skipped message=\"needs memory pools\"/>"), "{junit}");
    assert!(junit.contains("<failure message=\"asserts nothing\">asserts nothing</failure>"), "{junit}");
    std::fs::remove_dir_all(&folder).expect("it is ours");

    let (output, said) = harness(&["--exact", "broken::holds", "--json", "/nonexistent/results.json"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("/nonexistent/results.json: "), "{said}");
}

#[test]
fn gpus_that_are_required_are_not_simulated_ones() {
    let (output, said) = harness(&["--require-gpus", "2"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--require-gpus 2: found none"), "{said}");
}

#[test]
fn a_real_arm_that_is_not_there_is_an_error_and_not_a_simulator() {
    let output = Command::new(PROGRAM)
        .args(["--arm", "real"])
        .env("CUDA_P2P_CUDART", "/nonexistent/libcudart.so")
        .output()
        .expect("the program was built with this test");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no real arm") && said.contains("/nonexistent/libcudart.so"), "{said}");
}

/// The functions of a CUDA runtime, and the mark of a simulator's library.
#[test]
fn a_simulators_library_is_no_real_arm() {
    let folder = std::env::temp_dir().join(format!("cuda-p2p-no-real-arm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for this test");
    let (source, library) = (folder.join("runtime.c"), folder.join("libcudart.so"));
    let version = cuda_p2p_sys::CUDART_VERSION;
    let mut text = format!(
        "const char *cuda_p2p_simulated_machine(void) {{ return \"devices=2\"; }}\n\
         int cudaRuntimeGetVersion(int *version) {{ *version = {version}; return 0; }}\n"
    );
    for function in cuda_p2p_sys::functions::FUNCTIONS {
        if function.required && function.name != "cudaRuntimeGetVersion" {
            text += &format!("int {}(void) {{ return 0; }}\n", function.name);
        }
    }
    std::fs::write(&source, text).expect("the folder is writable");
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    let made = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(made.expect("there is a C compiler").success());
    for (arguments, expected) in [
        (["--arm=real", "--exact"], "there is no real arm: "),
        (["--arm=auto", "--require-gpus=1"], "--require-gpus 1: found none"),
    ] {
        let mut harness = Command::new(PROGRAM);
        harness.args(arguments).env("CUDA_P2P_CUDART", &library).env_remove("CUDA_P2P_SIM");
        let output = harness.output().expect("the program was built with this test");
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(output.status.code(), Some(2), "{said:?}");
        assert!(said[1].contains(expected), "{said:?}");
        let why = "simulates its devices (devices=2); unset CUDA_P2P_CUDART";
        assert!(said.iter().any(|text| text.contains(why)), "{said:?}");
    }
    std::fs::remove_dir_all(folder).expect("it can be removed");
}

#[test]
fn junk_arguments_are_named() {
    let (output, said) = harness(&["--arm", "gpu"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--arm is \"gpu\"; it must be sim, real or auto"), "{said}");
}

#[test]
fn a_transcript_is_written_and_a_wrong_one_fails() {
    let folder = std::env::temp_dir().join(format!("cuda-p2p-harness-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for this test");
    let path = folder.join("transcript");
    let path_text = path.to_str().expect("the folder of temporary files has a plain name");
    let (output, said) = harness(&["--exact", "broken::holds", "--transcript", path_text]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let text = std::fs::read_to_string(&path).expect("it was written");
    assert!(
        text.contains(
            "case broken::holds\n  cudaDeviceCanAccessPeer(&mut answer, 0, 1) -> 0\n  answer = 1\n"
        ),
        "{text}"
    );

    let (output, said) = harness(&["--exact", "broken::holds", "--against", path_text]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let calls = text.matches(") -> ").count();
    assert!(
        calls >= 1 && said.contains(&format!("compared {calls} calls with: simulator (SIMULATED")),
        "{said}"
    );

    std::fs::write(&path, text.replace("0, 1) -> 0", "0, 1) -> 217")).expect("it is ours");
    let (output, said) = harness(&["--exact", "broken::holds", "--against", path_text]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("recorded cudaDeviceCanAccessPeer(&mut answer, 0, 1) -> 217"), "{said}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
