//! The verb `report`: its files, and how its page lies in a browser.
//!
//! The browser is Chromium, where this machine has one. Not asserted: how the page looks.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{run, run_on, skip};

const MACHINE: &str = "devices=2";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The measurements that docs/performance.md is made of: of real GPUs.
fn measured() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance/h200-x2.bench.json")
}

/// A page of real measurements, and its text.
fn page(name: &str) -> (PathBuf, String) {
    let path = folder("report").join(name);
    let run = run(&["report", "--from", measured().to_str().unwrap(), "--out", path.to_str().unwrap()]);
    let run = run.expect(0);
    assert_eq!(run.last_line(), format!("wrote {}", path.display()));
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn a_simulated_machine_is_reported_as_such() {
    let path = folder("report").join("simulated.html");
    let new = tempfile::tempdir().unwrap();
    let pictures = new.path().join("pictures");
    let out = ["report", "--out", path.to_str().unwrap()];
    let asked = [&out[..], &["--svg", pictures.to_str().unwrap(), "--json"]].concat();
    let simulated = run_on(MACHINE, &asked).expect(0);
    let written: serde_json::Value = serde_json::from_str(&simulated.out).unwrap();
    assert_eq!(
        written["no_pictures_because"],
        "a simulated machine has no speeds, and pictures are of those"
    );
    assert_eq!(written["files"], serde_json::json!([path]));
    assert!(!pictures.exists(), "an empty folder was made");
    assert_eq!((&written["schema"], &written["simulated"]), (&"cuda-p2p.report/1".into(), &true.into()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("SIMULATED") && text.contains("2 of 2 ordered pairs proven."));
    assert!(!text.contains("<svg"), "a simulator's speeds are shown");
}

#[test]
fn pictures_that_are_not_there_are_told_and_no_folder_is_made_for_them() {
    let here = tempfile::tempdir().unwrap();
    let [topo, page, pictures] = ["topo.json", "topo.html", "none"].map(|name| here.path().join(name));
    std::fs::write(&topo, run_on(MACHINE, &["topo", "--json"]).expect(0).out).unwrap();
    let [topo, page, folder] = [&topo, &page, &pictures].map(|path| path.to_str().unwrap());
    let arguments = ["report", "--from", topo, "--out", page];
    for option in if cfg!(feature = "png") { &["--svg", "--png"][..] } else { &["--svg"] } {
        let told = run(&[&arguments[..], &[option, folder]].concat()).expect(0);
        let words = told.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.starts_with("no picture is written: nothing that 'bench' measured is shown"),
            "{}",
            told.out
        );
        assert!(!pictures.exists(), "{option}: an empty folder was made");
    }
    let silent = run(&[&arguments[..], &["--json"]].concat()).expect(0);
    assert!(silent.out.contains("\"no_pictures_because\": null"), "{}", silent.out);
}

#[test]
fn files_of_two_machines_are_no_report() {
    let here = folder("report");
    let save = |name: &str, machine: &str| {
        let path = here.join(name);
        std::fs::write(&path, run_on(machine, &["doctor", "--look-only", "--json"]).expect(0).out).unwrap();
        path
    };
    let (two, three) = (save("two.json", "devices=2"), save("three.json", "devices=3"));
    let topo = here.join("two-topo.json");
    std::fs::write(&topo, run_on("devices=2", &["topo", "--json"]).expect(0).out).unwrap();
    let page = here.join("two-machines.html");
    let [page, two, three, topo] = [&page, &two, &three, &topo].map(|path| path.to_str().unwrap());
    let of = |from: [&str; 2]| run(&["report", "--out", page, "--from", from[0], "--from", from[1]]);
    of([topo, two]).expect(0);
    let complaint = of([topo, three]).expect(2).complaint();
    let part = format!("--from {three}: it is of another machine than {topo}");
    assert!(complaint.contains(&part), "{complaint}");
    let measured = measured();
    let complaint = of([two, measured.to_str().unwrap()]).expect(2).complaint();
    assert!(complaint.contains("its devices are real and the other's simulated"), "{complaint}");
}

#[test]
fn a_page_that_cannot_be_written_is_named_before_anything_is_measured() {
    let folder = folder("report");
    let file = folder.join("a-file");
    std::fs::write(&file, "kept").unwrap();
    // On this machine the first pair hangs for good.
    let machine = "hang=0>1";
    let run = run_on(machine, &["report", "--out", "/nonexistent/a.html"]).expect(2);
    assert!(run.complaint().contains("--out /nonexistent/a.html"), "{}", run.err);
    let out = folder.join("named.html");
    let arguments = ["report", "--out", out.to_str().unwrap(), "--svg", file.to_str().unwrap()];
    let run = run_on(machine, &arguments).expect(2);
    assert!(run.complaint().contains("a-file: it is a file; name a folder"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
}

#[test]
fn saved_measurements_become_pictures() {
    let (_, text) = page("measured.html");
    assert!(text.contains("NVIDIA H200") && text.contains("the wires: 478") && !text.contains("SIMULATED"));
    let svg = folder("report-svg");
    let out = folder("report").join("pictures.html");
    let (from, out) = (measured(), out.to_str().unwrap().to_owned());
    run(&["report", "--from", from.to_str().unwrap(), "--out", &out, "--svg", svg.to_str().unwrap()])
        .expect(0);
    assert!(std::fs::read_to_string(svg.join("sizes.svg")).unwrap().starts_with("<svg xmlns="));
}

#[cfg(feature = "png")]
#[test]
fn pictures_are_pixels_too() {
    let (folder, out) = (folder("report-png"), folder("report").join("pixels.html"));
    let from = measured();
    let [from, out, png] = [&from, &out, &folder].map(|path| path.to_str().unwrap());
    let run = run(&["report", "--from", from, "--out", out, "--png", png, "--json"]).expect(0);
    let written: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let files: Vec<_> =
        written["files"].as_array().unwrap()[1..].iter().map(|file| file.as_str().unwrap()).collect();
    assert!(files.len() > 2 && files.iter().any(|file| file.ends_with("/sizes-dark.png")), "{files:?}");
    for file in files {
        assert!(std::fs::read(file).unwrap().starts_with(b"\x89PNG\r\n"), "{file}");
    }
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let here = folder("report");
    std::fs::write(here.join("junk.json"), "{\"schema\": \"x\"}").unwrap();
    let junk = here.join("junk.json");
    for (arguments, part) in [
        (["--from", junk.to_str().unwrap(), "--out", "/nonexistent/a"], "its schema is 'x'"),
        (["--from", "/dev/null", "--out", "/nonexistent/a"], "it is no JSON"),
        (
            ["--from", "/dev/null", "--out", "/nonexistent/a"],
            "give what 'cuda-p2p topo', 'verify', 'bench' or 'doctor' printed",
        ),
        (["--from", junk.to_str().unwrap(), "--out", junk.to_str().unwrap()], "--from reads this file"),
        (["--from", "/nonexistent/b", "--out", "/nonexistent/a"], "--from /nonexistent/b"),
        (["--from", measured().to_str().unwrap(), "--out", "/nonexistent/a"], "--out /nonexistent/a"),
    ] {
        let run = run(&[&["report"], &arguments[..]].concat()).expect(2);
        assert!(run.complaint().contains(part), "{part:?} in {}", run.err);
    }
    assert_eq!(std::fs::read_to_string(&junk).unwrap(), "{\"schema\": \"x\"}", "an input was overwritten");
}

/// Puts the page into frames of a phone's and of a desk's width, and lets the browser say whether anything sticks out.
#[test]
fn nothing_sticks_out_at_the_width_of_a_phone_or_a_desk() {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    }) else {
        return skip("this machine has no Chromium");
    };
    let (_, text) = page("framed.html");
    let framed = text.replace('&', "&amp;").replace('"', "&quot;");
    let frames: String = [360, 1200]
        .map(|width| {
            format!("<iframe style=\"border:0;width:{width}px;height:900px\" srcdoc=\"{framed}\"></iframe>")
        })
        .concat();
    let script = "onload=()=>{document.title=[...document.querySelectorAll('iframe')].map(f=>{const d=f.contentDocument.documentElement;\
                  return d.scrollWidth+'/'+d.clientWidth}).join(' ')}";
    let harness = folder("report").join("harness.html");
    std::fs::write(&harness, format!("<!doctype html><title>none</title>{frames}<script>{script}</script>"))
        .unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=10000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder("report-browser").display()))
        .arg(format!("file://{}", harness.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let widths =
        dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
    let fits = |frame: &str| frame.split_once('/').is_some_and(|(scrolled, seen)| scrolled == seen);
    let frames: Vec<&str> = widths.split(' ').collect();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(frames.len() == 2 && frames.into_iter().all(fits), "{widths}; {complaint}");
}
