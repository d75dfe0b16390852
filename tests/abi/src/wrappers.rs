//! Which items of `cuda-p2p` stand for which C function: those that carry its name as a documentation alias, or else
//! whatever calls it. A type that carries a function's name calls it when it is dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::Error;

/// What stands for a C function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrapper {
    /// `Device::enable_peer_access`
    Function(String),
    /// The type whose values call it when they are dropped.
    Drop(String),
}

impl std::fmt::Display for Wrapper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Function(name) => write!(f, "`{name}`"),
            Self::Drop(name) => write!(f, "drop of `{name}`"),
        }
    }
}

/// What the sources of `cuda-p2p` have of each C name.
#[derive(Debug, Default)]
pub(crate) struct Wrappers {
    /// By the alias.
    pub(crate) items: BTreeMap<String, BTreeSet<Wrapper>>,
    /// Items whose documentation does not name a function that they carry as an alias: a page shows no alias.
    pub(crate) unnamed: BTreeSet<(Wrapper, String)>,
    /// What is named in code that is not a test.
    pub(crate) called: BTreeSet<String>,
}

impl Wrappers {
    /// Reads every source file under `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self, Error> {
        let mut wrappers = Self::default();
        for path in sources(folder)? {
            let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
            let shown = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let file =
                syn::parse_file(&text).map_err(|error| Error::Bindings(format!("{shown}: {error}")))?;
            for item in &file.items {
                wrappers.add_item(item);
            }
            let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
            wrappers.called.extend(words(code).map(str::to_owned));
        }
        Ok(wrappers)
    }

    fn add_item(&mut self, item: &syn::Item) {
        match item {
            syn::Item::Impl(block) => {
                let owner = match &*block.self_ty {
                    syn::Type::Path(path) => {
                        path.path.segments.last().map(|segment| segment.ident.to_string())
                    }
                    _ => None,
                };
                for member in &block.items {
                    if let (syn::ImplItem::Fn(function), Some(owner)) = (member, &owner) {
                        let name = format!("{owner}::{}", function.sig.ident);
                        self.add(&function.attrs, &Wrapper::Function(name));
                    }
                }
            }
            syn::Item::Fn(item) => self.add(&item.attrs, &Wrapper::Function(item.sig.ident.to_string())),
            syn::Item::Struct(item) => self.add(&item.attrs, &Wrapper::Drop(item.ident.to_string())),
            _ => {}
        }
    }

    /// `#[doc(alias = "cudaMalloc")]`
    fn add(&mut self, attributes: &[syn::Attribute], item: &Wrapper) {
        let text = documentation(attributes);
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            let alias = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
                input.parse::<syn::Path>()?;
                input.parse::<syn::Token![=]>()?;
                input.parse::<syn::LitStr>()
            });
            // Other `doc` attributes have no alias; they are not meant.
            if let Ok(alias) = alias {
                if !text
                    .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .any(|word| word == alias.value())
                {
                    self.unnamed.insert((item.clone(), alias.value()));
                }
                self.items.entry(alias.value()).or_default().insert(item.clone());
            }
        }
    }
}

/// The lines of an item's documentation.
fn documentation(attributes: &[syn::Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) => Some(line.value() + "\n"),
            _ => None,
        },
        _ => None,
    });
    lines.collect()
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))?.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The words of the code that begin with `cuda`, without comments and attributes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.trim_start().starts_with("#["));
    code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
        .filter(|word| word.starts_with("cuda"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_called_by_its_wrapper_or_when_a_type_is_dropped_and_named_there() {
        let file = syn::parse_quote! {
            /// By `cudaStreamDestroy`.
            #[doc(alias = "cudaStreamDestroy")]
            pub struct Stream(u8);
            impl Stream {
                /// As `cudaStreamQuery_all` does.
                #[doc(alias = "cudaStreamQuery")]
                pub fn is_done(&self) {}
            }
            /// C: `cudaFree`.
            #[doc(alias = "cudaFree")]
            pub fn free() {}
        };
        let file: syn::File = file;
        let mut wrappers = Wrappers::default();
        file.items.iter().for_each(|item| wrappers.add_item(item));
        let of = |name: &str| wrappers.items[name].iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of("cudaStreamDestroy"), ["drop of `Stream`"]);
        assert_eq!([of("cudaStreamQuery"), of("cudaFree")], [["`Stream::is_done`"], ["`free`"]]);
        let unnamed = (Wrapper::Function("Stream::is_done".to_owned()), "cudaStreamQuery".to_owned());
        assert_eq!(wrappers.unnamed, BTreeSet::from([unnamed]));
    }
}
