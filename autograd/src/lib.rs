//! Reverse-mode differentiation of functional graphs of ATen overloads.
//!
//! [`differentiate`] appends to a forward graph the calls that compute gradients by its inputs: the joint graph.
//! [`minimum_cut`] chooses the values that the forward graph saves; the [`Cut`] gives both graphs.
//!
//! - `composites`: composite operators as calls of differentiable ones (`linear` as `addmm`), as autograd sees them;
//!   `attention` is one of them. `apart` puts them in the place of composites where nothing is differentiated.
//! - `formulas`: the derivative of each operator, a row each, in the language of `expression`, or a Rust function of
//!   `rules` or `products` where it takes more than an expression.
//! - `complex`: derivatives of arithmetic on complex numbers.
//! - `custom`: gradients that the program computes itself (`torch.autograd.Function`), a graph for each call.
//! - [`recorded`]: calls that have no derivative here, which torch's autograd records and differentiates.
//! - `joint`: the tape, walked backwards; `derivative` evaluates a row for one call, with `arithmetic` and `helpers`.
//! - `aliases`: what autograd follows where tensors share memory, before the graph is functional.
//! - `partition`: what is saved, what is recomputed.
//!
//! Invariant: the gradients are what eager's autograd computes by `derivatives.yaml`. An operator without a row, or a
//! call that its row does not cover, is left to torch or is an error; nothing is guessed. Eager is eager on the
//! processor: tensors of other devices are refused. The crate knows nothing of Python or of the kernels that graphs are
//! compiled to.

mod aliases;
mod apart;
mod arithmetic;
mod attention;
mod build;
mod complex;
mod composites;
mod counted;
mod custom;
mod derivative;
mod expression;
mod formulas;
mod helpers;
mod joint;
mod linear;
mod partition;
mod products;
pub mod recorded;
mod rules;

pub use aliases::followed_results;
pub use apart::take_apart;
pub use composites::is_composite;
pub use counted::draw_by_counter;
pub use formulas::{has_derivative, is_of_latest_release};
pub use joint::{Joint, NotDifferentiable, differentiate};
pub use partition::{Backward, Cut, Forward, Saved, bytes, minimum_cut};
