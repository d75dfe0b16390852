//! The comparison can fail: bindings and a list that are wrong about a small header give exactly the messages of
//! `fixtures/wrong/messages.txt`, all of them in one run. Needs a C compiler and no CUDA.

use std::path::Path;

use cuda_p2p_abi::check::check;
use cuda_p2p_abi::header::Header;
use cuda_p2p_abi::list::List;

#[test]
fn a_wrong_list_gives_exactly_the_listed_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wrong");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the fixture is there");
    let list = List::parse(&read("list.txt")).expect("well-formed");
    let header = Header::read(&folder.join("header.h"), &folder).expect("there is a C compiler");
    let outcome = check(&read("bindings.rs"), &header, &list.at((13, 0))).expect("the comparison is made");
    let messages: String = outcome.mismatches.iter().map(|mismatch| format!("{mismatch}\n")).collect();
    assert_eq!(messages, read("messages.txt"), "\nthe run gave:\n{messages}");
    assert!(outcome.rows.len() > outcome.mismatches.len(), "what is right was compared too");
}
