//! The command from the outside.

mod children;
mod command;
mod json;
mod run;
