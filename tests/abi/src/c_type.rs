//! The C type that a Rust type of the bindings stands for.

use crate::Error;
use crate::bindings::{Bindings, Type, function_pointer, text};
use crate::header::Header;

/// Writes C types for the names of one file of bindings and one header.
#[derive(Clone, Copy, Debug)]
pub struct CTypes<'a> {
    /// Tells what is an alias.
    pub bindings: &'a Bindings,
    /// Tells what is a tag.
    pub header: &'a Header,
}

impl CTypes<'_> {
    /// The C type, as it stands in a parameter list or in `__typeof__`.
    ///
    /// # Errors
    /// [`Error::Bindings`] for Rust that no binding of a C function has.
    pub fn of(&self, ty: &syn::Type) -> Result<String, Error> {
        if let Some(function) = function_pointer(ty) {
            return self.function(function);
        }
        match ty {
            syn::Type::Ptr(pointer) => {
                let target = self.of(&pointer.elem)?;
                let constant = matches!(pointer.mutability, syn::PointerMutability::Const(_));
                Ok(if constant { format!("{target} const *") } else { format!("{target} *") })
            }
            syn::Type::Array(array) => {
                let length = quote::ToTokens::to_token_stream(&array.len).to_string();
                let length = length.trim_end_matches("usize");
                Ok(format!("__typeof__({}[{length}])", self.of(&array.elem)?))
            }
            syn::Type::Path(path) => {
                let name = path.path.segments.last().map(|segment| segment.ident.to_string());
                Ok(self.named(&name.unwrap_or_default()))
            }
            other => Err(Error::Bindings(format!("no C type is known for {}", text(other)))),
        }
    }

    /// The C type of a named one: its tag if it has one, and is not an alias.
    pub fn named(&self, name: &str) -> String {
        let primitive = match name {
            "c_void" => "void",
            "c_char" => "char",
            "c_schar" => "signed char",
            "c_uchar" => "unsigned char",
            "c_short" => "short",
            "c_ushort" => "unsigned short",
            "c_int" | "i32" => "int",
            "c_uint" | "u32" => "unsigned int",
            "c_long" => "long",
            "c_ulong" => "unsigned long",
            "c_longlong" => "long long",
            "c_ulonglong" => "unsigned long long",
            "c_float" | "f32" => "float",
            "c_double" | "f64" => "double",
            "usize" => "size_t",
            "i8" => "signed char",
            "u8" => "unsigned char",
            "i16" => "short",
            "u16" => "unsigned short",
            _ => "",
        };
        if !primitive.is_empty() {
            return primitive.to_owned();
        }
        match (self.bindings.types.get(name), self.header.tags.get(name)) {
            (Some(Type::Alias(_)), _) | (_, None) => name.to_owned(),
            (_, Some(tag)) => format!("{tag} {name}"),
        }
    }

    /// The type of a pointer to the function.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn function(&self, function: &syn::TypeFnPtr) -> Result<String, Error> {
        let output = match &function.output {
            syn::ReturnType::Default => "void".to_owned(),
            syn::ReturnType::Type(_, ty) => self.of(ty)?,
        };
        let inputs = function.inputs.iter().map(|input| self.of(&input.ty)).collect::<Result<Vec<_>, _>>()?;
        let inputs = if inputs.is_empty() { "void".to_owned() } else { inputs.join(", ") };
        Ok(format!("__typeof__({output} (*)({inputs}))"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_arrays_and_functions() {
        let bindings = Bindings::parse(
            "pub struct cudaExtent { pub width: usize } pub type cudaStream_t = *mut CUstream_st;",
        )
        .expect("it parses");
        let header =
            Header::parse("struct cudaExtent { int width; }; typedef struct CUstream_st *cudaStream_t;");
        let types = CTypes { bindings: &bindings, header: &header };
        let of = |ty: &str| types.of(&syn::parse_str(ty).expect("it parses")).expect("it has a C type");
        assert_eq!(of("*mut *const ::core::ffi::c_void"), "void const * *");
        assert_eq!(of("*const *mut cudaExtent"), "struct cudaExtent * const *");
        assert_eq!(of("[::core::ffi::c_char; 256usize]"), "__typeof__(char[256])");
        assert_eq!(
            of("Option<unsafe extern \"C\" fn(s: cudaStream_t, n: usize)>"),
            "__typeof__(void (*)(cudaStream_t, size_t))"
        );
        assert_eq!(of("Option<unsafe extern \"C\" fn() -> f32>"), "__typeof__(float (*)(void))");
    }
}
