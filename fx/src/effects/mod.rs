//! The effects of a graph's calls beyond their results: what they change or draw, and whether they may raise.

mod may_raise;
mod side_effects;

pub use may_raise::{may_raise, overflows};
pub use side_effects::{BOUND, SideEffect, draws, idle_dropout, side_effect};
