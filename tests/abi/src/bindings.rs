//! What a generated file of bindings exposes, as syn reads it.

use std::collections::BTreeMap;

use quote::ToTokens;

use crate::Error;

/// Everything that one file of bindings exposes.
#[derive(Debug, Default)]
pub struct Bindings {
    /// Types, by their Rust name.
    pub types: BTreeMap<String, Type>,
    /// Constants of the crate root.
    pub constants: Vec<String>,
    /// The entries of the table.
    pub functions: BTreeMap<String, Function>,
}

/// One type.
#[derive(Debug)]
pub enum Type {
    /// A struct or union.
    Record {
        /// Whether it is a union.
        union: bool,
        /// Its fields; those of anonymous records inside it are told by [`Bindings::paths`].
        fields: Vec<Field>,
    },
    /// A struct that the headers declare and do not define: only ever behind a pointer.
    Opaque,
    /// An enumeration: an integer with named values.
    Enumeration {
        /// The integer.
        integer: syn::Type,
        /// The names.
        values: Vec<String>,
    },
    /// Another name for a type.
    Alias(syn::Type),
}

/// One field of a record.
#[derive(Debug)]
pub struct Field {
    /// Its name in Rust.
    pub name: String,
    /// Its type in Rust.
    pub ty: syn::Type,
}

/// One entry of the table.
#[derive(Debug)]
pub struct Function {
    /// The symbol behind it, which a header may have renamed by macro.
    pub symbol: String,
    /// Its type.
    pub signature: syn::TypeFnPtr,
}

/// A field as C reaches it from the outermost record that has a name.
#[derive(Debug)]
pub struct FieldPath<'a> {
    /// `clusterDim.x`, without the anonymous members that C leaves out.
    pub c: String,
    /// `clusterDim.x`, with bindgen's names for them.
    pub rust: String,
    /// The type in Rust. `None` if it has no name in C.
    pub ty: Option<&'a syn::Type>,
}

impl Bindings {
    /// Reads the source.
    ///
    /// # Errors
    /// [`Error::Bindings`] if it is not what the generator writes.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let file = syn::parse_file(source).map_err(|error| Error::Bindings(error.to_string()))?;
        let mut bindings = Self::default();
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for item in file.items {
            match item {
                syn::Item::Struct(item) if item.ident == "CudaRuntime" => {
                    for field in item.fields {
                        let (name, function) = entry(&field)?;
                        bindings.functions.insert(name, function);
                    }
                }
                syn::Item::Struct(item) => {
                    bindings.types.insert(item.ident.to_string(), from_struct(&item)?);
                }
                syn::Item::Union(item) => {
                    let fields = item.fields.named.iter().map(field).collect::<Result<_, _>>()?;
                    bindings.types.insert(item.ident.to_string(), Type::Record { union: true, fields });
                }
                syn::Item::Type(item) => {
                    bindings.types.insert(item.ident.to_string(), Type::Alias(*item.ty));
                }
                syn::Item::Use(item) => {
                    let (alias, ty) = renamed(&item)?;
                    bindings.types.insert(alias, Type::Alias(ty));
                }
                syn::Item::Const(item) if item.ident != "_" => {
                    bindings.constants.push(item.ident.to_string());
                }
                syn::Item::Impl(item) if item.trait_.is_none() => {
                    let names = item.items.iter().filter_map(|member| match member {
                        syn::ImplItem::Const(constant) => Some(constant.ident.to_string()),
                        _ => None,
                    });
                    values.entry(text(&item.self_ty)).or_default().extend(names);
                }
                _ => {}
            }
        }
        for (name, ty) in &mut bindings.types {
            if let Type::Enumeration { values: names, .. } = ty {
                *names = values.remove(name).unwrap_or_default();
            }
        }
        bindings.constants.sort();
        Ok(bindings)
    }

    /// The fields of a record and of the anonymous records in it.
    pub fn paths<'a>(&'a self, fields: &'a [Field]) -> Vec<FieldPath<'a>> {
        let mut paths = Vec::new();
        self.collect_paths(fields, "", "", &mut paths);
        paths
    }

    fn collect_paths<'a>(&'a self, fields: &'a [Field], c: &str, rust: &str, paths: &mut Vec<FieldPath<'a>>) {
        for field in fields {
            let in_rust = format!("{rust}{}", field.name);
            let unnamed_member = field.name.starts_with("__bindgen_anon");
            let in_c = if unnamed_member { c.to_owned() } else { format!("{c}{}", c_name(&field.name)) };
            let inside = self.types.get(&text(&field.ty)).filter(|_| is_anonymous(&text(&field.ty)));
            if !unnamed_member {
                let ty = inside.is_none().then_some(&field.ty);
                paths.push(FieldPath { c: in_c.clone(), rust: in_rust.clone(), ty });
            }
            if let Some(Type::Record { fields, .. }) = inside {
                let separator = if unnamed_member { "" } else { "." };
                self.collect_paths(fields, &format!("{in_c}{separator}"), &format!("{in_rust}."), paths);
            }
        }
    }
}

/// Whether bindgen made the name up, for a record that has none in C.
pub fn is_anonymous(rust_name: &str) -> bool {
    rust_name.contains("__bindgen_ty_")
}

/// A type as text without spaces that depend on the formatter.
pub(crate) fn text(ty: &syn::Type) -> String {
    ty.to_token_stream().to_string()
}

/// bindgen adds an underscore to what is a keyword in Rust.
fn c_name(rust_name: &str) -> &str {
    match rust_name.strip_suffix('_') {
        Some(stem) if syn::parse_str::<syn::Ident>(stem).is_err() => stem,
        _ => rust_name,
    }
}

fn field(field: &syn::Field) -> Result<Field, Error> {
    let name = field.ident.as_ref().ok_or_else(|| Error::Bindings("a field without a name".to_owned()))?;
    Ok(Field { name: name.to_string(), ty: field.ty.clone() })
}

fn from_struct(item: &syn::ItemStruct) -> Result<Type, Error> {
    match &item.fields {
        syn::Fields::Named(fields) => {
            let fields = fields.named.iter().map(field).collect::<Result<Vec<_>, _>>()?;
            let opaque = fields.len() == 1 && fields[0].name == "_unused";
            Ok(if opaque { Type::Opaque } else { Type::Record { union: false, fields } })
        }
        syn::Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            Ok(Type::Enumeration { integer: fields.unnamed[0].ty.clone(), values: Vec::new() })
        }
        _ => Err(Error::Bindings(format!("struct {} is neither a record nor an enumeration", item.ident))),
    }
}

/// `pub use self::cudaError as cudaError_t;`
fn renamed(item: &syn::ItemUse) -> Result<(String, syn::Type), Error> {
    let mut tree = &item.tree;
    while let syn::UseTree::Path(path) = tree {
        tree = &path.tree;
    }
    match tree {
        syn::UseTree::Rename(rename) => {
            let ident = &rename.ident;
            let ty = syn::parse_quote!(#ident);
            Ok((rename.rename.to_string(), ty))
        }
        other => Err(Error::Bindings(format!("unexpected import: {}", other.to_token_stream()))),
    }
}

/// `pub cudaMalloc: Option<unsafe extern "C" fn(...) -> ...>`, whose documentation is the symbol in backticks.
fn entry(field: &syn::Field) -> Result<(String, Function), Error> {
    let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let problem = |what: &str| Error::Bindings(format!("the table's entry {name} {what}"));
    let signature =
        function_pointer(&field.ty).ok_or_else(|| problem("is not an optional function pointer"))?;
    let documentation = field.attrs.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => {
            Some(pair.value.to_token_stream().to_string())
        }
        _ => None,
    });
    let documentation = documentation.ok_or_else(|| problem("has no documentation"))?;
    let symbol = documentation.split('`').nth(1).ok_or_else(|| problem("does not name its symbol"))?;
    Ok((name, Function { symbol: symbol.to_owned(), signature: signature.clone() }))
}

/// The function pointer in an `Option`, or as such.
pub(crate) fn function_pointer(ty: &syn::Type) -> Option<&syn::TypeFnPtr> {
    match ty {
        syn::Type::FnPtr(function) => Some(function),
        syn::Type::Path(path) => {
            let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                    syn::GenericArgument::Type(ty) => function_pointer(ty),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}
