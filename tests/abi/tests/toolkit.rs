//! The bindings and `docs/functions.md`, against the CUDA headers of this machine. Has a `main` of its own, so that it can say
//! that it is skipped where there are none. `ci/abi` does the same for every release.

use cuda_p2p_abi::list::{List, Release, release};
use cuda_p2p_abi::releases::{Headers, list_path, root};
use cuda_p2p_abi::tick_list;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = match headers() {
        Ok(headers) => {
            let headers: &'static Headers = Box::leak(Box::new(headers));
            let (major, minor) = headers.release;
            println!("comparing with the headers of CUDA {major}.{minor}");
            vec![
                Trial::test("bindings_agree_with_the_headers", || bindings(headers)),
                Trial::test("every_function_of_the_header_is_told", || {
                    functions(std::slice::from_ref(headers))
                }),
            ]
        }
        Err(why) => {
            println!("not compared with headers: {why}");
            vec![
                Trial::test("bindings_agree_with_the_headers", || Ok(())).with_ignored_flag(true),
                // Without a header, against the sources alone.
                Trial::test("every_bound_function_is_told", || functions(&[])),
            ]
        }
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn headers() -> Result<Headers, String> {
    let toolkit = cuda_p2p_build::Toolkit::find().map_err(|error| error.to_string())?;
    let include = toolkit.include().ok_or("the toolkit has no headers")?;
    let newest = newest_pinned().ok_or("ci/headers/ has no releases")?;
    match toolkit.version() {
        Some(version) if (12, 0) <= version && version <= newest => {}
        other => return Err(format!("they are of {other:?}, and list.txt is about 12.0 to {newest:?}")),
    }
    match Headers::read(include) {
        // A machine without libclang makes no bindings.
        Err(error) if std::env::var_os("LIBCLANG_PATH").is_none() => Err(error.to_string()),
        other => Ok(other.expect("the bindings are made")),
    }
}

fn newest_pinned() -> Option<Release> {
    let files = std::fs::read_dir(root().join("ci/headers")).ok()?.flatten();
    files.filter_map(|file| release(file.path().file_stem()?.to_str()?)).max()
}

fn bindings(headers: &Headers) -> Result<(), Failed> {
    let list = List::parse(&std::fs::read_to_string(list_path())?)?;
    let outcome = headers.compare(&list)?;
    let mismatches: Vec<String> = outcome.mismatches.iter().map(ToString::to_string).collect();
    if outcome.rows.len() < 600 {
        return Err(format!("only {} rows were compared", outcome.rows.len()).into());
    }
    if mismatches.is_empty() { Ok(()) } else { Err(mismatches.join("\n").into()) }
}

fn functions(headers: &[Headers]) -> Result<(), Failed> {
    let wrong = tick_list::check(&std::fs::read_to_string(tick_list::path())?, headers)?;
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\nci/abi --write mends it", wrong.join("\n")).into())
    }
}
