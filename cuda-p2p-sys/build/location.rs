//! Gives `cudaMemLocation` one way to be made and read under every release: its `id` is a field of its own in some headers, and one
//! of an unnamed union in others.

use quote::quote;

/// The methods, for the struct as `items` have it; nothing if they have none.
pub(crate) fn methods(items: &[syn::Item]) -> Result<proc_macro2::TokenStream, String> {
    let find = |name: &str| {
        items.iter().find_map(|item| match item {
            syn::Item::Struct(item) if item.ident == name => Some(&item.fields),
            _ => None,
        })
    };
    let Some(fields) = find("cudaMemLocation") else { return Ok(quote!()) };
    let named =
        |name: &str| fields.iter().find(|field| field.ident.as_ref().is_some_and(|ident| ident == name));
    let (made, read) = if named("id").is_some() {
        (quote!(Self { type_: kind, id }), quote!(self.id))
    } else {
        let union =
            named("__bindgen_anon_1").ok_or("cudaMemLocation has neither an id nor an unnamed union")?;
        let ty = &union.ty;
        // SAFETY, in the generated code: every member of the union is made of integers, and `new` fills all of it, as C does.
        (
            quote!(Self { type_: kind, __bindgen_anon_1: #ty { id } }),
            quote!(unsafe { self.__bindgen_anon_1.id }),
        )
    };
    Ok(quote! {
        impl cudaMemLocation {
            #[doc = " A location: a device's ordinal, a host NUMA node, or whatever else `kind` says that `id` is."]
            pub const fn new(kind: cudaMemLocationType, id: core::ffi::c_int) -> Self {
                #made
            }

            #[doc = " The number that [`new`](Self::new) took. Of another kind of location, its bytes."]
            pub const fn id(&self) -> core::ffi::c_int {
                #read
            }
        }
    })
}
