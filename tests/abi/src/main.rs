//! The command behind `ci/abi` and `ci/bindings`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cuda_p2p_abi::check::Outcome;
use cuda_p2p_abi::completed::completion;
use cuda_p2p_abi::list::List;
use cuda_p2p_abi::releases::{Headers, idle_facts, list_path, read_all, root};
use cuda_p2p_abi::{Error, generate_bindings, parallel, tick_list};

const USAGE: &str = "\
usage: cuda-p2p-abi check FOLDER    compares the bindings with the headers of every release in FOLDER/<release>/include
       cuda-p2p-abi write FOLDER    writes tests/abi/list.txt and the tables of docs/functions.md anew from those headers
       cuda-p2p-abi generate DIR    prints the bindings of the headers in DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check", folder] => check(Path::new(folder)),
        ["write", folder] => write(Path::new(folder)),
        ["generate", include] => generate_bindings(Path::new(include)).map(|source| {
            print!("{source}");
            true
        }),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cuda-p2p-abi: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints a row for each release, one for each that is completed, and then every mismatch. Whether there is none.
fn check(folder: &Path) -> Result<bool, Error> {
    let text = read(&list_path())?;
    let list = List::parse(&text)?;
    let all = read_all(folder)?;
    let mut mismatches = Vec::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    println!("release  bound  absent  rows compared  mismatches");
    let compared = parallel::map(&all, |headers| headers.compare(&list));
    for (index, (headers, outcome)) in all.iter().zip(compared).enumerate() {
        let outcome = outcome?;
        println!(
            "{:<7}  {:>5}  {:>6}  {:>13}  {:>10}",
            name(headers),
            outcome.bound,
            headers.absent(),
            outcome.rows.len(),
            outcome.mismatches.len()
        );
        mismatches.extend(outcome.mismatches.iter().map(|mismatch| format!("{}: {mismatch}", name(headers))));
        if let (Some(older), Some(before)) =
            (outcomes.last(), index.checked_sub(1).map(|before| &all[before]))
            && before.release.0 == headers.release.0
        {
            let changed = older.changed_in(&outcome).into_iter();
            mismatches.extend(changed.map(|m| format!("{} and {}: {m}", name(before), name(headers))));
        }
        outcomes.push(outcome);
    }
    mismatches.extend(completions(&all, &outcomes)?);
    if made_from(&all).to_string() != body(&text) {
        mismatches.push(
            "tests/abi/list.txt: not what the headers give; `ci/abi --write` writes it anew".to_owned(),
        );
    }
    mismatches.extend(tick_list::check(&read(&tick_list::path())?, &all)?);
    mismatches.extend(idle_facts(&all).into_iter().map(|fact| format!("{fact}: the same in every release")));
    for mismatch in &mismatches {
        println!("{mismatch}");
    }
    println!("{} releases, {} mismatches", all.len(), mismatches.len());
    Ok(mismatches.is_empty() && !all.is_empty())
}

/// What older headers of a major take from the bindings of the release that the pre-generated ones are of; a row each.
fn completions(all: &[Headers], outcomes: &[Outcome]) -> Result<Vec<String>, Error> {
    let mut mismatches = Vec::new();
    println!("release  taken from  functions  rows compared  mismatches");
    let of_others: Vec<&Headers> = all.iter().filter(|headers| headers.completed != headers.source).collect();
    let found = parallel::map(&of_others, |headers| {
        let newest =
            all.iter().position(|other| other.is_pregenerated && other.release.0 == headers.release.0)?;
        Some((newest, completion(headers, &all[newest], &outcomes[newest])))
    });
    for (headers, found) in of_others.into_iter().zip(found) {
        let Some((newest, found)) = found else {
            mismatches
                .push(format!("{}: no headers of the release that it is completed from", name(headers)));
            continue;
        };
        let found = found?;
        println!(
            "{:<7}  {:<10}  {:>9}  {:>13}  {:>10}",
            name(headers),
            name(&all[newest]),
            found.functions,
            found.rows,
            found.mismatches.len()
        );
        mismatches.extend(
            found.mismatches.iter().map(|mismatch| format!("{}, completed: {mismatch}", name(headers))),
        );
    }
    Ok(mismatches)
}

fn name(headers: &Headers) -> String {
    format!("{}.{}", headers.release.0, headers.release.1)
}

fn write(folder: &Path) -> Result<bool, Error> {
    let all = read_all(folder)?;
    let list = list_path();
    let head: String = read(&list)?
        .lines()
        .take_while(|line| line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    put(&list, &format!("{head}{}", made_from(&all)))?;
    let path = tick_list::path();
    put(&path, &tick_list::rewrite(&read(&path)?, &all)?)?;
    Ok(true)
}

fn made_from(all: &[Headers]) -> List {
    List::of(&all.iter().map(|headers| (headers.release, headers.exposed.clone())).collect::<Vec<_>>())
}

/// The list without the comment at its head.
fn body(text: &str) -> String {
    text.lines().skip_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

fn read(path: &PathBuf) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.clone(), source })
}

fn put(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })?;
    println!("{}", path.strip_prefix(root()).unwrap_or(path).display());
    Ok(())
}
