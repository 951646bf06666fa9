//! The ATen overloads with the schemas that torch publishes.
//!
//! `schemas.txt` is the table, one row per overload, written by `schemas.py`. The index by name is built once, on
//! first use; a schema is parsed when its overload is first looked up. What the compiler does with an overload stands
//! in `rules.rs`, which operators may fail on what tensors hold in `may_raise.rs`, and what calls leave behind in
//! `side_effects.rs`, not here.

pub mod autocast;
mod bind;
mod may_raise;
mod parse;
pub mod rules;
mod schema;
mod side_effects;

pub use bind::{BindError, Bound};
pub use may_raise::{Failure, failure, may_raise, overflows};
pub use parse::ParseError;
pub use schema::{Alias, Param, Return, Schema, Type};
pub use side_effects::{SideEffect, draws, idle_dropout, side_effect};

use crate::{arg::Arg, graph::NodeId};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The published schemas, one per line, sorted.
const SCHEMAS: &str = include_str!("schemas.txt");

/// One ATen overload.
#[derive(Clone, PartialEq, Debug)]
pub struct Overload {
    /// Operator and overload, as in `torch.ops.aten`: `add.Tensor`, `relu.default`.
    pub name: String,
    /// Parameters and results.
    pub schema: Schema,
}

impl Overload {
    /// The operator without its overload: `add` of `add.Tensor`.
    pub fn base(&self) -> &str {
        self.name.split_once('.').map_or(&self.name, |(base, _)| base)
    }

    /// True if a release of torch that prints the operator's schema as `text` has the table's.
    pub fn is_declared_as(&self, text: &str) -> bool {
        parse::schema(text).is_ok_and(|schema| schema == self.schema)
    }

    /// The name that a node's target has: `aten.add.Tensor`.
    pub fn target(&self) -> String {
        format!("aten.{}", self.name)
    }

    /// True if a result may share its storage with an argument that is not written to.
    pub fn is_view(&self) -> bool {
        self.schema.returns.iter().any(|r| r.alias.as_ref().is_some_and(|a| !a.write))
    }

    /// True if an argument is written to.
    pub fn mutates(&self) -> bool {
        self.schema.params.iter().any(|p| p.alias.as_ref().is_some_and(|a| a.write))
    }

    /// The position of the one parameter that is written to.
    pub fn written_param(&self) -> Option<usize> {
        let params = self.schema.params.iter().enumerate();
        let mut written = params.filter(|(_, param)| param.alias.as_ref().is_some_and(|alias| alias.write));
        let ((at, _), None) = (written.next()?, written.next()) else { return None };
        Some(at)
    }

    /// The one argument of a call that is written to.
    pub fn written(&self, args: &[Arg], kwargs: &[(String, Arg)]) -> Option<NodeId> {
        let at = self.written_param()?;
        let named = || kwargs.iter().find(|(name, _)| *name == self.schema.params[at].name).map(|(_, arg)| arg);
        args.get(at).or_else(named)?.as_node()
    }

    /// True if all that a call does is to give tensors of their own memory: it writes to no argument, and no result is
    /// a view of one.
    pub fn is_function(&self) -> bool {
        let is_tensor = |ty: &Type| match ty {
            Type::Tensor => true,
            Type::List(inner, _) => **inner == Type::Tensor,
            _ => false,
        };
        let returns = &self.schema.returns;
        !self.schema.vararg
            && !returns.is_empty()
            && returns.iter().all(|result| is_tensor(&result.ty) && result.alias.is_none())
            && self.schema.params.iter().all(|param| param.alias.is_none())
    }

    /// True if the op may draw random numbers.
    pub fn is_random(&self) -> bool {
        is_random(self.base())
    }
}

/// True if an operator, given without overload, may draw random numbers.
fn is_random(base: &str) -> bool {
    RANDOM.binary_search(&base.strip_suffix('_').unwrap_or(base)).is_ok()
}

/// The overload that a node's target names: `aten.add.Tensor`, `add.Tensor`; without an overload the default one.
pub fn lookup(target: &str) -> Option<&'static Overload> {
    let name = target.strip_prefix("aten.").unwrap_or(target);
    let row = index().get(name.strip_suffix(".default").unwrap_or(name))?;
    Some(row.overload.get_or_init(|| parse_row(row.text)))
}

/// The names of every overload, in table order, defaults without their suffix: `add.Tensor`, `relu`.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.lines().map(row_name)
}

/// The overloads of an operator, given without overload, in table order.
pub fn overloads(base: &str) -> impl Iterator<Item = &'static Overload> {
    static BY_BASE: OnceLock<FxHashMap<&'static str, Vec<&'static str>>> = OnceLock::new();
    let by_base = BY_BASE.get_or_init(|| {
        let mut by_base: FxHashMap<&'static str, Vec<&'static str>> = FxHashMap::default();
        for name in names() {
            by_base.entry(name.split_once('.').map_or(name, |(base, _)| base)).or_default().push(name);
        }
        by_base
    });
    by_base.get(base).into_iter().flatten().filter_map(|name| lookup(name))
}

/// A row of the table, parsed on demand.
struct Row {
    text: &'static str,
    overload: OnceLock<Overload>,
}

fn index() -> &'static FxHashMap<&'static str, Row> {
    static INDEX: OnceLock<FxHashMap<&'static str, Row>> = OnceLock::new();
    INDEX
        .get_or_init(|| SCHEMAS.lines().map(|text| (row_name(text), Row { text, overload: OnceLock::new() })).collect())
}

/// What stands between `aten::` and the parameters.
fn row_name(text: &'static str) -> &'static str {
    let text = text.strip_prefix("aten::").unwrap_or(text);
    text.split_once('(').map_or(text, |(name, _)| name)
}

fn parse_row(text: &'static str) -> Overload {
    let name = row_name(text);
    let schema = parse::schema(text).expect("a test parses every row of the table");
    let name = if name.contains('.') { name.to_owned() } else { format!("{name}.default") };
    Overload { name, schema }
}

/// The operators that may draw random numbers (torch's tag `nondeterministic_seeded`), without the suffix of the
/// in-place ones, sorted.
const RANDOM: &[&str] = &[
    "_cudnn_attention_backward",
    "_cudnn_attention_forward",
    "_cudnn_attention_forward_no_dropout_inplace",
    "_cudnn_init_dropout_state",
    "_cudnn_rnn",
    "_efficient_attention_forward",
    "_fill_mem_eff_dropout_mask",
    "_flash_attention_forward",
    "_flash_attention_forward_no_dropout_inplace",
    "_fused_dropout",
    "_fused_sdp_choice",
    "_lstm_mps",
    "_nested_tensor_softmax_with_shape",
    "_sample_dirichlet",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_attention_math_for_mps",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_fused_attention_overrideable",
    "_standard_gamma",
    "_triton_scaled_dot_attention",
    "alpha_dropout",
    "bernoulli",
    "binomial",
    "cauchy",
    "dropout",
    "exponential",
    "feature_alpha_dropout",
    "feature_dropout",
    "geometric",
    "gru",
    "log_normal",
    "lstm",
    "miopen_rnn",
    "multinomial",
    "native_dropout",
    "normal",
    "normal_functional",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random",
    "randperm",
    "rnn_relu",
    "rnn_tanh",
    "rrelu",
    "rrelu_with_noise",
    "rrelu_with_noise_functional",
    "scaled_dot_product_attention",
    "uniform",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_parses_and_prints_as_published() {
        for line in SCHEMAS.lines() {
            let schema = parse::schema(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(lookup(row_name(line)).map(|o| &o.schema), Some(&schema), "{line}");
        }
    }

    #[test]
    fn names_with_and_without_prefix_and_default() {
        for name in ["aten.relu.default", "relu.default", "relu", "aten.relu"] {
            assert_eq!(lookup(name).map(|o| o.name.as_str()), Some("relu.default"));
        }
        assert!(lookup("aten.no_such_op.default").is_none());
    }

    #[test]
    fn classes() {
        let class = |name: &str| {
            let o = lookup(name).expect(name);
            (o.is_view(), o.mutates(), o.is_random())
        };
        assert_eq!(class("view.default"), (true, false, false));
        assert_eq!(class("split.Tensor"), (true, false, false));
        assert_eq!(class("add_.Tensor"), (false, true, false));
        assert_eq!(class("add.out"), (false, true, false));
        assert_eq!(class("bernoulli_.float"), (false, true, true));
        assert_eq!(class("native_dropout.default"), (false, false, true));
        assert!(RANDOM.is_sorted());
        let function = |name: &str| lookup(name).expect(name).is_function();
        assert!(function("topk.default") && function("_foreach_add.List"));
        assert!(!function("view.default") && !function("add.out") && !function("_local_scalar_dense.default"));
    }
}
