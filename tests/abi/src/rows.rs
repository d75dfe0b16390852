//! One list, expanded twice: each row asks the same of C and of Rust.

use crate::Error;
use crate::bindings::{Bindings, FieldPath, Type, text};
use crate::c_type::CTypes;
use crate::header::Header;
use crate::list::{Entry, Kind};

/// One thing that both sides must agree on.
#[derive(Debug)]
pub struct Row {
    /// `offset cudaDeviceProp.name`
    pub name: String,
    /// What is asked.
    pub question: Question,
}

/// What a row asks.
#[derive(Debug)]
pub enum Question {
    /// A number that both programs print.
    Number {
        /// The C expression.
        c: String,
        /// The Rust expression, an `i64`.
        rust: String,
    },
    /// The symbol that C calls when it is given the function's name.
    Symbol {
        /// The name.
        function: String,
        /// The symbol that the table loads.
        rust: String,
    },
    /// Whether the C compiler takes two types for the same.
    SameType {
        /// What the header declares, as the operand of `__typeof__`.
        c: String,
        /// The C type that the binding stands for.
        rust: String,
        /// The header's words, to be shown beside it.
        header: String,
    },
}

/// The rows of `entries`, all of which `bindings` exposes.
///
/// # Errors
/// [`Error::Bindings`] for a type that has no counterpart in C.
pub fn expand<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
    bindings: &Bindings,
    header: &Header,
) -> Result<Vec<Row>, Error> {
    let mut expansion = Expansion { types: CTypes { bindings, header }, rows: Vec::new() };
    for entry in entries {
        match entry.kind {
            Kind::Constant => expansion.constant(&entry.name),
            Kind::Enum => expansion.enumeration(&entry.name),
            Kind::Value => expansion.value(&entry.name),
            Kind::Struct | Kind::Union => expansion.layout(&entry.name),
            Kind::Field => expansion.field(&entry.name)?,
            Kind::Alias => expansion.alias(&entry.name)?,
            // Nothing is known of it, and nothing is assumed.
            Kind::Opaque => {}
            Kind::Function => expansion.function(&entry.name)?,
        }
    }
    Ok(expansion.rows)
}

struct Expansion<'a> {
    types: CTypes<'a>,
    rows: Vec<Row>,
}

impl Expansion<'_> {
    fn number(&mut self, name: String, c: String, rust: String) {
        self.rows.push(Row { name, question: Question::Number { c, rust } });
    }

    fn constant(&mut self, name: &str) {
        self.number(format!("constant {name}"), name.to_owned(), format!("bindings::{name} as i64"));
    }

    fn layout(&mut self, name: &str) {
        let c = self.types.named(name);
        self.number(
            format!("size {name}"),
            format!("sizeof({c})"),
            format!("size_of::<bindings::{name}>() as i64"),
        );
        self.number(
            format!("alignment {name}"),
            format!("_Alignof({c})"),
            format!("align_of::<bindings::{name}>() as i64"),
        );
    }

    fn enumeration(&mut self, name: &str) {
        self.layout(name);
        if let Some(Type::Enumeration { integer, .. }) = self.types.bindings.types.get(name) {
            let rust = format!("(<{}>::MIN != 0) as i64", text(integer));
            self.number(format!("signed {name}"), format!("({})-1 < 0", self.types.named(name)), rust);
        }
    }

    /// `cudaError::cudaSuccess`: in C, the second part is a name of the whole program.
    fn value(&mut self, name: &str) {
        let plain = name.rsplit("::").next().unwrap_or(name);
        self.number(format!("value {name}"), plain.to_owned(), format!("bindings::{name}.0 as i64"));
    }

    /// `cudaDeviceProp.name`
    fn field(&mut self, name: &str) -> Result<(), Error> {
        let Some((owner, path)) = name.split_once('.') else { return Ok(()) };
        let bindings = self.types.bindings;
        let Some(Type::Record { fields, .. }) = bindings.types.get(owner) else { return Ok(()) };
        let Some(FieldPath { rust, ty, .. }) =
            bindings.paths(fields).into_iter().find(|field| field.c == path)
        else {
            return Ok(());
        };
        let owner_in_c = self.types.named(owner);
        let place = format!("(({owner_in_c} *)0)->{path}");
        self.number(
            format!("offset {name}"),
            format!("offsetof({owner_in_c}, {path})"),
            format!("core::mem::offset_of!(bindings::{owner}, {rust}) as i64"),
        );
        self.number(
            format!("size {name}"),
            format!("sizeof({place})"),
            format!("field_size(|owner: *const bindings::{owner}| unsafe {{ &raw const (*owner).{rust} }})"),
        );
        if let Some(ty) = ty {
            let rust = self.types.of(ty)?;
            self.same_type(format!("type {name}"), place, rust, "another type".to_owned());
        }
        Ok(())
    }

    fn alias(&mut self, name: &str) -> Result<(), Error> {
        self.layout(name);
        if let Some(Type::Alias(target)) = self.types.bindings.types.get(name) {
            let target = self.types.of(target)?;
            self.same_type(format!("type {name}"), name.to_owned(), target, "another type".to_owned());
        }
        Ok(())
    }

    fn function(&mut self, name: &str) -> Result<(), Error> {
        let Some(function) = self.types.bindings.functions.get(name) else { return Ok(()) };
        let question = Question::Symbol { function: name.to_owned(), rust: function.symbol.clone() };
        self.rows.push(Row { name: format!("symbol {name}"), question });
        let declared = self.types.header.functions.get(&function.symbol);
        let declared = declared.cloned().unwrap_or_else(|| "no such function".to_owned());
        let rust = self.types.function(&function.signature)?;
        self.same_type(format!("signature {name}"), format!("&{name}"), rust, declared);
        Ok(())
    }

    fn same_type(&mut self, name: String, c: String, rust: String, header: String) {
        self.rows.push(Row { name, question: Question::SameType { c, rust, header } });
    }
}
