//! Completes bindings that were made from older headers: the functions that these lack, with the types, constants and values that
//! belong to them, come from the pre-generated bindings of the same major. So the table has the same entries whatever the headers
//! of a major are, and what a library lacks is `None` when it is asked.
//!
//! Within a major the layouts and signatures of a name do not change: `ci/abi` compares each release with the next, and what is
//! taken here with the bindings that it is taken from. Nothing is replaced: what the headers have stays as they have it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use super::table::{Bindings, Entry};

impl Bindings {
    /// Reads a file that [`Bindings::source`] gave.
    pub(crate) fn read(source: &str) -> Result<Self, String> {
        let file =
            syn::parse_file(source).map_err(|e| format!("the pre-generated bindings do not parse: {e}"))?;
        let mut bindings = Self { items: Vec::new(), entries: BTreeMap::new() };
        for item in file.items {
            match item {
                syn::Item::Struct(table) if table.ident == "CudaRuntime" => {
                    for field in table.fields {
                        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                        // Its documentation is the symbol, in backticks.
                        let doc = field.attrs.iter().map(|attribute| attribute.to_token_stream().to_string());
                        let symbol = doc.collect::<String>().split('`').nth(1).map(str::to_owned);
                        let symbol =
                            symbol.ok_or_else(|| format!("the entry {name} does not name its symbol"))?;
                        bindings.entries.insert(name, Entry { symbol, ty: field.ty });
                    }
                }
                // Methods, which `source` writes anew.
                syn::Item::Impl(block) if values(&block).is_none() => {}
                other => bindings.items.push(other),
            }
        }
        Ok(bindings)
    }

    /// Takes from `newer` what is missing here, and says how many functions that were.
    pub(crate) fn complete(&mut self, newer: &Self) -> usize {
        if self.version() >= newer.version() {
            return 0;
        }
        let lacking: Vec<(&String, &Entry)> =
            newer.entries.iter().filter(|(name, _)| !self.entries.contains_key(*name)).collect();
        let own: BTreeSet<String> = self.items.iter().filter_map(name).collect();
        let offered: BTreeMap<String, &syn::Item> =
            newer.items.iter().filter_map(|item| Some((name(item)?, item))).collect();

        // Constants belong to no function: they are wanted as such.
        let constants = offered.iter().filter(|(_, item)| matches!(item, syn::Item::Const(_)));
        let mut wanted: Vec<String> = constants.map(|(name, _)| name.clone()).collect();
        for (_, entry) in &lacking {
            collect_names(entry.ty.to_token_stream(), &mut wanted);
        }
        let mut taken = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            if let Some(item) = offered.get(&name).filter(|_| !own.contains(&name))
                && taken.insert(name)
            {
                collect_names(item.to_token_stream(), &mut wanted);
            }
        }

        let known = self.known_values();
        for item in &newer.items {
            match item {
                syn::Item::Impl(block) => {
                    let owner = block.self_ty.to_token_stream().to_string();
                    let mut block = block.clone();
                    block.items.retain(|item| {
                        matches!(item, syn::ImplItem::Const(value)
                            if !known.contains(&(owner.clone(), value.ident.to_string())))
                    });
                    if !block.items.is_empty() && (own.contains(&owner) || taken.contains(&owner)) {
                        self.items.push(syn::Item::Impl(block));
                    }
                }
                other
                    if name(other).or_else(|| asserted(other)).is_some_and(|name| taken.contains(&name)) =>
                {
                    self.items.push(other.clone());
                }
                _ => {}
            }
        }
        let count = lacking.len();
        self.entries.extend(lacking.into_iter().map(|(name, entry)| (name.clone(), entry.clone())));
        count
    }

    /// `CUDART_VERSION`
    pub(crate) fn version(&self) -> Option<u32> {
        self.items.iter().find_map(|item| match item {
            syn::Item::Const(item) if item.ident == "CUDART_VERSION" => {
                item.expr.to_token_stream().to_string().parse().ok()
            }
            _ => None,
        })
    }

    /// The values of enumerations.
    fn known_values(&self) -> BTreeSet<(String, String)> {
        let blocks = self.items.iter().filter_map(|item| match item {
            syn::Item::Impl(block) => Some((block.self_ty.to_token_stream().to_string(), values(block)?)),
            _ => None,
        });
        blocks.flat_map(|(owner, names)| names.into_iter().map(move |name| (owner.clone(), name))).collect()
    }
}

/// The name under which an item is found; none for assertions and blocks of values.
fn name(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        syn::Item::Union(item) => Some(item.ident.to_string()),
        syn::Item::Type(item) => Some(item.ident.to_string()),
        syn::Item::Const(item) if item.ident != "_" => Some(item.ident.to_string()),
        // `pub use self::cudaError as cudaError_t;`
        syn::Item::Use(item) => match &item.tree {
            syn::UseTree::Path(path) => match &*path.tree {
                syn::UseTree::Rename(rename) => Some(rename.rename.to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The type whose layout bindgen asserts in `const _: () = { ["Size of dim3"][...]; ... };`.
fn asserted(item: &syn::Item) -> Option<String> {
    let syn::Item::Const(item) = item else { return None };
    let text = item.expr.to_token_stream().to_string();
    let (_, rest) = text.split_once("\"Size of ")?;
    rest.split_once('"').map(|(name, _)| name.to_owned())
}

/// The names in a block that has nothing but an enumeration's values.
fn values(block: &syn::ItemImpl) -> Option<Vec<String>> {
    let names = block.items.iter().map(|item| match item {
        syn::ImplItem::Const(value) => Some(value.ident.to_string()),
        _ => None,
    });
    names.collect::<Option<_>>().filter(|_| block.trait_.is_none())
}

fn collect_names(tokens: TokenStream, names: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => names.push(name.to_string()),
            TokenTree::Group(group) => collect_names(group.stream(), names),
            _ => {}
        }
    }
}
