//! The Rust expression through which a crate reaches its kernels.

use std::fs;
use std::path::Path;

use crate::BuildError;

/// `(name, fatbin, host table)`, in items and an expression that need nothing but `core` in scope.
pub(crate) fn expression(
    name: &str,
    fatbin: Option<&Path>,
    symbol: Option<&str>,
) -> Result<String, BuildError> {
    let mut items = String::new();
    let fatbin = match fatbin {
        None => "::core::option::Option::None".to_owned(),
        Some(path) => {
            let bytes =
                fs::metadata(path).map_err(|source| BuildError::Io { path: path.to_owned(), source })?.len();
            // The driver reads the fatbin in place, in words.
            items.push_str(&format!(
                "    #[repr(C, align(16))]\n    struct Aligned([u8; {bytes}]);\n    \
                 static FATBIN: Aligned = Aligned(*::core::include_bytes!({:?}));\n",
                path.display().to_string()
            ));
            "::core::option::Option::Some(&FATBIN.0 as &'static [u8])".to_owned()
        }
    };
    let host = match symbol {
        None => "::core::option::Option::None".to_owned(),
        Some(symbol) => {
            // As large and as aligned as the module is (host_abi.h), so that a static may hold a reference to it.
            items.push_str(&format!(
                "    #[repr(C)]\n    struct Module([u64; 4]);\n    unsafe extern \"C\" {{\n        \
                 static {symbol}: Module;\n    }}\n"
            ));
            format!("::core::option::Option::Some(&raw const {symbol} as *const ())")
        }
    };
    Ok(format!(
        "// Generated: the kernel module `{name}`.\n{{\n{items}    let module: (\n        &'static str,\n        \
         ::core::option::Option<&'static [u8]>,\n        ::core::option::Option<*const ()>,\n    ) = (\n        \
         {name:?},\n        {fatbin},\n        {host},\n    );\n    module\n}}\n"
    ))
}
