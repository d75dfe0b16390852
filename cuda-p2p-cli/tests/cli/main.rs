//! The command from the outside.

mod bench;
mod broken;
mod children;
mod command;
mod doctor;
mod generated;
mod json;
mod paths;
mod report;
mod run;
mod soak;
mod streams;
mod terminal;
