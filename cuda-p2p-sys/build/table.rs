//! Turns bindgen's `extern "C"` items into one struct of function pointers.
//!
//! bindgen can write such a struct itself (`dynamic_library_name`), but that one cannot be filled by hand, which the
//! simulator must, and its methods panic on a symbol that the library lacks.

use std::collections::BTreeMap;

use quote::{format_ident, quote};

/// `cudaFoo_v2` is version 2 of `cudaFoo`, which is itself version 0: headers rename some functions by macro, and the
/// field keeps the name in the docs.
fn field_name(symbol: &str) -> (&str, u32) {
    match symbol.rsplit_once("_v").map(|(stem, version)| (stem, version.parse())) {
        Some((stem, Ok(version))) => (stem, version),
        _ => (symbol, 0),
    }
}

/// A file of bindings: the types and constants, and the entries of the table.
#[derive(Clone)]
pub(crate) struct Bindings {
    pub(crate) items: Vec<syn::Item>,
    /// By the name of the field.
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// An entry of the table.
#[derive(Clone)]
pub(crate) struct Entry {
    /// What the library is asked for.
    pub(crate) symbol: String,
    /// `Option<unsafe extern "C" fn(...) -> ...>`
    pub(crate) ty: syn::Type,
}

impl Bindings {
    /// Reads what bindgen wrote.
    pub(crate) fn from_extern_items(source: &str) -> Result<Self, String> {
        let file = syn::parse_file(source).map_err(|e| format!("bindgen's output does not parse: {e}"))?;
        let mut items = Vec::new();
        let mut functions = Vec::new();
        for item in file.items {
            match item {
                syn::Item::ForeignMod(block) => {
                    for item in block.items {
                        match item {
                            syn::ForeignItem::Fn(function) => functions.push(function.sig),
                            other => return Err(format!("unexpected foreign item: {}", quote!(#other))),
                        }
                    }
                }
                other => items.push(other),
            }
        }
        Ok(Self { items, entries: by_field(functions)? })
    }

    /// Gives the source: the types as bindgen wrote them, then the table.
    pub(crate) fn source(&self) -> Result<String, String> {
        let mut fields = Vec::new();
        let mut empty = Vec::new();
        let mut loads = Vec::new();
        let mut present = Vec::new();
        for (name, Entry { symbol, ty }) in &self.entries {
            let field = format_ident!("{name}");
            let doc = format!(" `{symbol}`");
            let c_symbol = syn::LitCStr::new(
                &std::ffi::CString::new(symbol.as_str()).map_err(|e| e.to_string())?,
                proc_macro2::Span::call_site(),
            );
            fields.push(quote! {
                #[doc = #doc]
                pub #field: #ty
            });
            empty.push(quote!(#field: None));
            // SAFETY, in the generated code: the caller of `from_lookup` vouches for each address it hands out.
            loads.push(quote! {
                #field: lookup(#c_symbol).map(|address| unsafe { core::mem::transmute(address) })
            });
            present.push(quote! {
                (#name, |table| table.#field.is_some())
            });
        }

        let items = &self.items;
        let location = super::location::methods(items)?;
        let table = quote! {
            #(#items)*

            #location

            #[doc = " The bound functions of one CUDA runtime library. An entry is `None` if that library lacks the symbol."]
            #[derive(Clone, Copy)]
            pub struct CudaRuntime { #(#fields),* }

            impl CudaRuntime {
                #[doc = " A table without any function, to be filled with struct update syntax."]
                pub const EMPTY: Self = Self { #(#empty),* };

                #[doc = " Fills a table by asking `lookup` for each symbol."]
                #[doc = ""]
                #[doc = " # Safety"]
                #[doc = " - Each address that `lookup` gives is that of a function with the C signature which the headers of these bindings declare for the symbol."]
                #[doc = " - The code behind it stays loaded as long as the table or a copy of it is used."]
                pub unsafe fn from_lookup(
                    mut lookup: impl FnMut(&'static core::ffi::CStr) -> Option<core::ptr::NonNull<core::ffi::c_void>>,
                ) -> Self {
                    Self { #(#loads),* }
                }

                #[doc = " Each entry's C name, and a test of whether a table has it; sorted by name."]
                pub const ENTRIES: &'static [(&'static str, fn(&Self) -> bool)] = &[ #(#present),* ];
            }
        };
        let file = syn::parse2(table).map_err(|e| format!("the generated table does not parse: {e}"))?;
        Ok(prettyplease::unparse(&file))
    }
}

/// The entries by field. Where a header declares `cudaFoo` and `cudaFoo_v2`, or versions 2 and 3, callers in C who write the plain
/// name get the lowest of them.
fn by_field(functions: Vec<syn::Signature>) -> Result<BTreeMap<String, Entry>, String> {
    let mut fields: BTreeMap<String, (u32, syn::Signature)> = BTreeMap::new();
    for signature in functions {
        let symbol = signature.ident.to_string();
        let (name, version) = field_name(&symbol);
        match fields.get(name) {
            Some((lower, _)) if *lower < version => {}
            _ => {
                fields.insert(name.to_owned(), (version, signature));
            }
        }
    }
    fields.into_iter().map(|(name, (_, signature))| Ok((name, entry(&signature)?))).collect()
}

fn entry(signature: &syn::Signature) -> Result<Entry, String> {
    let symbol = signature.ident.to_string();
    let output = &signature.output;
    let inputs = signature.inputs.iter().map(|input| match input {
        syn::FnArg::Typed(typed) => Ok(quote!(#typed)),
        other => Err(format!("{symbol} has an unexpected argument: {}", quote!(#other))),
    });
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let ty = syn::parse2(quote!(Option<unsafe extern "C" fn(#(#inputs),*) #output>));
    Ok(Entry { ty: ty.map_err(|e| format!("the type of {symbol} does not parse: {e}"))?, symbol })
}
