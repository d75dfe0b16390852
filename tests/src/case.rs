//! A case: a name, what it needs, and a body.

use crate::context::Cx;
use crate::needs::Needs;
use crate::partner::Wire;

/// How a case leaves its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Device 0 current, no error pending, device 0 usable. Checked after the body.
    Clean,
    /// The context is lost. Nothing can be checked after the body.
    Poisoned,
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    module: &'static str,
    function: &'static str,
    pub(crate) needs: Needs,
    pub(crate) body: fn(&Cx),
    pub(crate) ends: Ends,
    /// What its second process does, if it has one.
    pub(crate) partner: Option<fn(&Cx, &mut Wire)>,
}

impl Case {
    /// What [`case!`] expands to.
    pub(crate) const fn new(
        module: &'static str,
        function: &'static str,
        needs: Needs,
        body: fn(&Cx),
    ) -> Self {
        Self { module, function, needs, body, ends: Ends::Clean, partner: None }
    }

    /// Says that the case loses its context: the state after it is not checked.
    pub(crate) const fn poisons(self) -> Self {
        Self { ends: Ends::Poisoned, ..self }
    }

    /// Gives the case a second process, which the body starts by [`Cx::partner`].
    pub(crate) const fn with_partner(self, partner: fn(&Cx, &mut Wire)) -> Self {
        Self { partner: Some(partner), ..self }
    }

    /// `topic::function`; the topic is the file in whose list the case stands.
    pub(crate) fn name(&self) -> String {
        let topic = self.module.rsplit("::").next().unwrap_or(self.module);
        format!("{topic}::{}", self.function)
    }
}

/// `case!(function, NEEDS)`: the entry of one case in the list of its file.
macro_rules! case {
    ($function:ident, $needs:expr) => {
        $crate::case::Case::new(module_path!(), stringify!($function), $needs, $function)
    };
}
pub(crate) use case;
