//! The list of mutations fits the source: each text to be replaced is there once. That the tests notice the mutations is shown
//! by the program `mutations`, which builds the crate once for each.

use std::collections::BTreeSet;

use cuda_p2p_model::{mutations, workspace};

#[test]
fn every_text_to_be_replaced_is_in_its_file_once() {
    let moved: Vec<String> = mutations()
        .expect("the list")
        .iter()
        .filter_map(|mutation| mutation.apply(&workspace()).err())
        .collect();
    assert!(moved.is_empty(), "{}", moved.join("\n\n"));
}

#[test]
fn every_test_that_is_named_exists() {
    let missing: BTreeSet<String> = mutations()
        .expect("the list")
        .into_iter()
        .filter(|mutation| {
            let (file, name) = mutation.suite.place(&mutation.case).expect("module::name");
            let text = std::fs::read_to_string(workspace().join(file)).unwrap_or_default();
            !text.contains(&format!("#[test]\nfn {name}() {{"))
        })
        .map(|mutation| mutation.case)
        .collect();
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn a_text_that_has_moved_is_named() {
    let mut mutation = mutations().expect("the list").remove(0);
    mutation.from = "this stands nowhere".to_owned();
    let text = mutation.apply(&workspace()).expect_err("it is not there");
    assert!(text.contains("0 times") && text.contains("this stands nowhere"), "{text}");
    mutation.from = "\n".to_owned();
    assert!(mutation.apply(&workspace()).is_err(), "it is there many times");
}
