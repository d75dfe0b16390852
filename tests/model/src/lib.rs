//! The safe crate against a plain host model, and against mutations of itself.
//!
//! - [`play_all`]: random programs of safe calls on simulated machines under adversarial schedules. Each call is also
//!   carried out on a model that is nothing but bytes in vectors and does everything at once; every answer, every error,
//!   every byte that is read back must be the same, and at the end nothing may be left.
//! - [`World`], [`on_machine`], [`under_seeds`]: for tests of one rule each.
//!
//! See the README for how to run them.

mod action;
mod answer;
mod campaign;
mod kernels;
mod machine;
mod model;
mod mutation;
mod pattern;
mod play;
mod program;
mod real;
mod step;
mod tree;
mod virtual_action;
mod world;

pub use campaign::{play_all, play_one, variable};
pub use kernels::{Counting, Kernels};
pub use mutation::{Mutation, Suite, mutations, workspace};
pub use tree::Tree;
pub use world::{
    SEEDS_VARIABLE, World, current_device, leave_error, on_machine, others_disable, others_enable,
    pending_error, take_error, under_seeds,
};
