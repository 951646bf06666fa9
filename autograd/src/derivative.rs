//! The derivative of one call: formulas evaluated over its arguments, results and gradients.

use crate::arithmetic::binary;
use crate::build::{Build, Outcome};
use crate::expression::Expression;
use crate::helpers::helper;
use fx::aten::Aten;
use fx::aten::Bound;
use fx::{Arg, Meta, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The gradient of one call.
pub(crate) struct Derivative<'a> {
    pub(crate) build: &'a mut Build,
    call: NodeId,
    pub(crate) bound: &'a Bound<'a>,
    /// The gradients by its results.
    pub(crate) grads: Vec<Option<NodeId>>,
    picks: &'a FxHashMap<(NodeId, usize), NodeId>,
    follows: &'a FxHashSet<NodeId>,
    /// Operands, and the gradients by them of this call alone.
    pub(crate) given: Vec<(NodeId, NodeId)>,
}

impl<'a> Derivative<'a> {
    pub(crate) fn new(
        build: &'a mut Build,
        call: NodeId,
        bound: &'a Bound<'a>,
        grads: Vec<Option<NodeId>>,
        picks: &'a FxHashMap<(NodeId, usize), NodeId>,
        follows: &'a FxHashSet<NodeId>,
    ) -> Derivative<'a> {
        Derivative { build, call, bound, grads, picks, follows, given: Vec::new() }
    }

    /// The gradient by the only result that has one.
    pub(crate) fn grad(&self) -> Outcome<NodeId> {
        match &self.grads[..] {
            [Some(grad), rest @ ..] if rest.iter().all(Option::is_none) => Ok(*grad),
            _ => Err(format!("a gradient by another result of `{}`", self.bound.op().name())),
        }
    }

    /// A result of the call.
    pub(crate) fn result(&mut self, place: usize) -> Outcome<NodeId> {
        match (&self.build.graph[self.call].meta, self.picks.get(&(self.call, place))) {
            (Some(Meta::Tuple(_)), Some(&pick)) => Ok(pick),
            (Some(Meta::Tuple(_)), None) => self.build.pick(self.call, place),
            _ => Ok(self.call),
        }
    }

    pub(crate) fn arg(&self, name: &str) -> &'a Arg {
        self.bound.get(name)
    }

    pub(crate) fn node(&self, name: &str) -> Outcome<NodeId> {
        self.bound.node(name).ok_or_else(|| format!("`{name}` is no tensor"))
    }

    pub(crate) fn int(&self, name: &str) -> Outcome<i64> {
        self.bound.int(name).map_err(|error| error.to_string())
    }

    /// True if a gradient by this operand is asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.bound.has(name) && self.bound.node(name).is_some_and(|node| self.follows.contains(&node))
    }

    /// Adds to the gradient of an operand: in its element type, summed over what was broadcast.
    pub(crate) fn give(&mut self, operand: NodeId, gradient: NodeId) -> Outcome {
        let meta = self.build.tensor(operand)?.clone();
        let gradient = self.build.sum_to(gradient, &meta.sizes)?;
        let gradient = self.build.cast(gradient, meta.dtype)?;
        self.given.push((operand, gradient));
        Ok(())
    }

    pub(crate) fn give_to(&mut self, name: &str, gradient: NodeId) -> Outcome {
        let operand = self.node(name)?;
        self.give(operand, gradient)
    }

    /// One part of a formula: an expression that gives the gradients by these operands.
    pub(crate) fn apply(&mut self, names: &[&'static str], expression: &Expression) -> Outcome {
        if !names.iter().any(|name| self.wants(name)) {
            return Ok(());
        }
        let mentions = |name: &str| mentions(expression, name);
        for (place, grad) in self.grads.iter().enumerate().skip(1) {
            if grad.is_some() && !mentions(&format!("grad{place}")) {
                return Err(format!("a gradient by another result of `{}`", self.bound.op().name()));
            }
        }
        let value = self.value(expression, names)?;
        let Arg::Node(value) = value else { return Err("a formula that gives no tensor".to_owned()) };
        self.give_all(names, value)
    }

    /// Gives each of these operands that asks for it its gradient: the result of a call at its place, or its only one.
    pub(crate) fn give_all(&mut self, names: &[&str], call: NodeId) -> Outcome {
        let is_tuple = matches!(self.build.graph[call].meta, Some(Meta::Tuple(_)));
        for (place, name) in names.iter().enumerate() {
            if self.wants(name) {
                let gradient = if is_tuple { self.build.pick(call, place)? } else { call };
                self.give_to(name, gradient)?;
            }
        }
        Ok(())
    }

    /// Whether each of these operands asks for a gradient, as an `output_mask`.
    pub(crate) fn mask(&self, names: &[&str]) -> Arg {
        Arg::List(names.iter().map(|name| Arg::Bool(self.wants(name))).collect())
    }

    /// True if a tensor is followed.
    pub(crate) fn is_followed(&self, operand: NodeId) -> bool {
        self.follows.contains(&operand)
    }

    fn value(&mut self, expression: &Expression, names: &[&'static str]) -> Outcome<Arg> {
        Ok(match expression {
            Expression::Int(int) => Arg::Int(*int),
            Expression::Float(float) => Arg::Float(*float),
            Expression::Bool(bool) => Arg::Bool(*bool),
            Expression::None => Arg::None,
            Expression::Name(name) => self.named(name, names)?,
            Expression::List(items) => {
                Arg::List(items.iter().map(|item| self.value(item, names)).collect::<Outcome<_>>()?)
            }
            Expression::Negated(inner) => match self.value(inner, names)? {
                Arg::Int(int) => Arg::Int(-int),
                Arg::Float(float) => Arg::Float(-float),
                Arg::Sym(expr) => {
                    let negated = self.build.graph.exprs.neg(expr);
                    self.build.size_arg(negated)
                }
                value => Arg::Node(self.build.call(Aten::neg_default, vec![value])?),
            },
            Expression::Binary(operation, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.value(left, names)?, self.value(right, names)?);
                binary(self.build, *operation, left, right)?
            }
            Expression::Call { function, args, kwargs } => {
                let args = args.iter().map(|arg| self.value(arg, names)).collect::<Outcome<Vec<_>>>()?;
                let kwargs = kwargs.iter().map(|(name, arg)| Ok(((*name).to_owned(), self.value(arg, names)?)));
                let kwargs = kwargs.collect::<Outcome<Vec<_>>>()?;
                match helper(function) {
                    Some(helper) => helper(self.build, &args)?,
                    None => {
                        let op = Aten::named(function).ok_or_else(|| format!("no operator `{function}`"))?;
                        Arg::Node(self.build.call_named(op, args, kwargs)?)
                    }
                }
            }
        })
    }

    /// A name in a formula.
    fn named(&mut self, name: &str, names: &[&'static str]) -> Outcome<Arg> {
        let numbered = |prefix: &str| {
            let number = name.strip_prefix(prefix)?;
            if number.is_empty() { Some(0) } else { number.parse::<usize>().ok() }
        };
        if let Some(place) = numbered("grad") {
            let grad = self.grads.get(place).copied().flatten();
            return grad.map(Arg::Node).ok_or_else(|| format!("no `{name}`"));
        }
        if let Some(place) = numbered("result") {
            return self.result(place).map(Arg::Node);
        }
        if name == "mask" {
            return Ok(self.mask(names));
        }
        if self.bound.has(name) { Ok(self.arg(name).clone()) } else { Err(format!("no `{name}`")) }
    }
}

fn mentions(expression: &Expression, name: &str) -> bool {
    match expression {
        Expression::Name(known) => *known == name,
        Expression::List(items) => items.iter().any(|item| mentions(item, name)),
        Expression::Negated(inner) => mentions(inner, name),
        Expression::Binary(_, operands) => operands.iter().any(|operand| mentions(operand, name)),
        Expression::Call { args, kwargs, .. } => {
            args.iter().chain(kwargs.iter().map(|(_, arg)| arg)).any(|arg| mentions(arg, name))
        }
        _ => false,
    }
}
