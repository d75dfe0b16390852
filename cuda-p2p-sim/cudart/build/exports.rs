//! From the source of the bindings to the list of functions that the library exports.
//!
//! What is written are calls of the macros of `src/exports.rs` and `src/unmodelled.rs`, which hold the bodies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quote::quote;

use super::functions::FUNCTIONS;

/// One entry of the function table.
struct Function {
    /// The field of the table.
    field: String,
    /// The name that the library exports.
    symbol: String,
    pointer: syn::TypeFnPtr,
}

/// What the bindings declare.
pub(crate) struct Bindings {
    pub(crate) major: u32,
    functions: Vec<Function>,
}

impl Bindings {
    /// Reads the constant `CUDART_VERSION` and the fields of `struct CudaRuntime`.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let file = syn::parse_file(source).map_err(|error| format!("the bindings do not parse: {error}"))?;
        let mut release = None;
        let mut functions = Vec::new();
        for item in file.items {
            match item {
                syn::Item::Const(item) if item.ident == "CUDART_VERSION" => {
                    let value = &item.expr;
                    let text = quote!(#value).to_string();
                    let version: u32 = text.parse().map_err(|_| format!("CUDART_VERSION is {text}"))?;
                    release = Some((version / 1000, version % 1000 / 10));
                }
                syn::Item::Struct(item) if item.ident == "CudaRuntime" => {
                    functions = item.fields.iter().map(function).collect::<Result<_, _>>()?;
                }
                _ => {}
            }
        }
        let release = release.ok_or("the bindings have no CUDART_VERSION")?;
        // Bindings may have what their release does not.
        let newer = |name: &str| FUNCTIONS.iter().any(|known| known.name == name && known.since > release);
        functions.retain(|function: &Function| !newer(&function.field));
        if functions.is_empty() {
            return Err("the bindings have no function table".to_owned());
        }
        Ok(Self { major: release.0, functions })
    }

    /// One `forward!` for each function of the table.
    pub(crate) fn forwarders(&self) -> String {
        let mut text = String::new();
        for Function { field, symbol, pointer } in &self.functions {
            let (inputs, output) = (&pointer.inputs, &pointer.output);
            let (inputs, output) = (quote!(#inputs).to_string(), quote!(#output).to_string());
            // A function of the program, which may be the host half of a kernel.
            let kernel = inputs.starts_with("func :") || inputs.contains(", func :");
            let (kind, kernel) = if kernel { ("forward_kernel", "; func") } else { ("forward", "") };
            let _ = writeln!(text, "{kind}! {{ {symbol} = {field}({inputs}) {output}{kernel} }}");
        }
        text
    }

    /// An `unmodelled!` of each name of the list that is not in the table.
    pub(crate) fn unmodelled(&self, list: &str) -> Result<String, String> {
        let bound: BTreeSet<&str> = self.functions.iter().map(|function| function.symbol.as_str()).collect();
        let mut seen = BTreeSet::new();
        let mut text = "unmodelled! {\n".to_owned();
        for name in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if !seen.insert(name) {
                return Err(format!("{name} is listed twice among the functions that are not modelled"));
            }
            if !bound.contains(name) {
                let _ = writeln!(text, "    {name},");
            }
        }
        text.push_str("}\n");
        Ok(text)
    }
}

/// A field `pub cudaFoo: Option<unsafe extern "C" fn(...) -> ...>`, whose documentation names the symbol.
fn function(field: &syn::Field) -> Result<Function, String> {
    let name = field.ident.as_ref().ok_or("the function table has a field without a name")?.to_string();
    let pointer = option_of_function(&field.ty).ok_or_else(|| format!("{name} is no optional function"))?;
    let symbol = field.attrs.iter().find_map(symbol).unwrap_or_else(|| name.clone());
    Ok(Function { field: name, symbol, pointer })
}

fn option_of_function(option: &syn::Type) -> Option<syn::TypeFnPtr> {
    let syn::Type::Path(path) = option else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        syn::GenericArgument::Type(syn::Type::FnPtr(pointer)) => Some(pointer.clone()),
        _ => None,
    }
}

/// The text of a doc line, without the back quotes around it.
fn symbol(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    let text = text.value();
    let name = text.trim().trim_matches('`');
    (pair.path.is_ident("doc") && name.starts_with("cuda")).then(|| name.to_owned())
}
