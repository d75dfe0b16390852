//! `list.txt` names exactly what the pre-generated bindings expose, and is in the form that `ci/abi --write` gives it. What those
//! of other releases expose, `ci/abi` compares.

use cuda_p2p_abi::bindings::{Bindings, Type};
use cuda_p2p_abi::list::{Entry, List, exposed};
use cuda_p2p_abi::releases::{list_path, root};

fn list() -> (String, List) {
    let text = std::fs::read_to_string(list_path()).expect("the list is there");
    let list = List::parse(&text).expect("well-formed");
    (text, list)
}

#[test]
fn the_list_is_sorted_and_whole() {
    let (text, list) = list();
    let body: String =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(body, list.to_string());
}

#[test]
fn the_list_is_what_the_bindings_expose() {
    let (_, list) = list();
    for (file, release) in [("cuda12.rs", (12, 9)), ("cuda13.rs", (13, 0))] {
        let path = root().join("cuda-p2p-sys/bindings").join(file);
        let source = std::fs::read_to_string(path).expect("it is there");
        let bindings = Bindings::parse(&source).expect("the generator wrote it");
        let (listed, exposed) = (list.at(release), exposed(&bindings));
        let names =
            |entries: &mut dyn Iterator<Item = &Entry>| entries.map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&mut listed.difference(&exposed)), Vec::<String>::new(), "listed, not in {file}");
        assert_eq!(names(&mut exposed.difference(&listed)), Vec::<String>::new(), "in {file}, not listed");
    }
}

/// What the list is for: no type of a signature is left out of it, however deep.
#[test]
fn every_type_of_a_signature_is_exposed() {
    let source =
        std::fs::read_to_string(root().join("cuda-p2p-sys/bindings/cuda13.rs")).expect("it is there");
    let bindings = Bindings::parse(&source).expect("the generator wrote it");
    let mut open: Vec<syn::Type> = Vec::new();
    for function in bindings.functions.values() {
        open.push(syn::Type::FnPtr(function.signature.clone()));
    }
    let mut seen = std::collections::BTreeSet::new();
    while let Some(ty) = open.pop() {
        for name in names_in(&ty) {
            if !name.starts_with("cuda") && !name.starts_with("CU") || !seen.insert(name.clone()) {
                continue;
            }
            match bindings.types.get(&name).unwrap_or_else(|| panic!("{name} is not exposed")) {
                Type::Alias(target) => open.push(target.clone()),
                Type::Record { fields, .. } => open.extend(fields.iter().map(|field| field.ty.clone())),
                Type::Enumeration { values, .. } => assert!(!values.is_empty(), "{name} has no value"),
                Type::Opaque => {}
            }
        }
    }
    assert!(seen.len() > 60, "only {seen:?}");
}

/// The last segment of every path in a type; names of parameters are none.
fn names_in(ty: &syn::Type) -> Vec<String> {
    let function = |function: &syn::TypeFnPtr| {
        let output = match &function.output {
            syn::ReturnType::Type(_, ty) => names_in(ty),
            syn::ReturnType::Default => Vec::new(),
        };
        function.inputs.iter().flat_map(|input| names_in(&input.ty)).chain(output).collect()
    };
    match ty {
        syn::Type::FnPtr(pointer) => function(pointer),
        syn::Type::Ptr(pointer) => names_in(&pointer.elem),
        syn::Type::Array(array) => names_in(&array.elem),
        syn::Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            let mut names = vec![last.ident.to_string()];
            if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments {
                for argument in &arguments.args {
                    if let syn::GenericArgument::Type(ty) = argument {
                        names.extend(names_in(ty));
                    }
                }
            }
            names
        }
        _ => Vec::new(),
    }
}
