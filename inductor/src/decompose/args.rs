//! A node's arguments as decompositions read them.

use cranelift_entity::SecondaryMap;
use fx::aten::{Bound, Type};
use fx::{Arg, NodeId, Scalar};
use smallvec::SmallVec;
use symshapes::{DType, Expr, Pool};

use super::{Builder, Promise, Rewrite, Value, unsupported};
use crate::tensor_ir::{Dims, Tensor};

/// Plain integers.
pub(crate) type Ints = SmallVec<[i64; 5]>;

/// The arguments of one call, bound to its schema, and what is promised of its results.
pub(crate) struct Args<'a> {
    pub(crate) bound: &'a Bound<'a>,
    pub(crate) values: &'a SecondaryMap<NodeId, Option<Value>>,
    pub(crate) results: &'a [Option<Promise>],
}

/// An operand: a tensor or a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Tensor(Tensor),
    Number(f64, DType),
    /// An `int` that is an expression of sizes.
    Size(Expr),
}

impl Args<'_> {
    /// The promise of the first result.
    pub(crate) fn result(&self) -> Rewrite<&Promise> {
        match self.results.first() {
            Some(Some(promise)) => Ok(promise),
            _ => unsupported("no tensor result"),
        }
    }

    /// The dtype in which the first result is computed.
    pub(crate) fn compute(&self) -> Rewrite<DType> {
        Ok(self.result()?.dtype.compute())
    }

    fn resolve<'b>(&'b self, arg: &'b Arg) -> Option<&'b Arg> {
        match arg {
            Arg::Node(n) => match self.values[*n].as_ref()? {
                Value::Plain(plain) => Some(plain),
                _ => None,
            },
            other => Some(other),
        }
    }

    /// Refuses what eager has not, though the rule would do: an operator outside of its dtypes, a number that is not in
    /// the range of the result's dtype.
    pub(crate) fn check(&self, b: &Builder) -> Rewrite<()> {
        let Some(Some(Promise { dtype, .. })) = self.results.first() else { return Ok(()) };
        let overload = self.bound.op();
        let params = &overload.schema.params;
        let first = params.first().and_then(|param| match self.bound.get(&param.name) {
            Arg::Node(n) => self.values[*n].as_ref(),
            _ => None,
        });
        let operand = if let Some(Value::Tensor(t)) = first { b.dtype(*t) } else { *dtype };
        if let Some(dtype) = [*dtype, operand].iter().find(|&&dtype| !overload.domain().contains(dtype)) {
            return unsupported(format!("eager has it not for {dtype}"));
        }
        let fits = |name: &str| match self.resolve(self.bound.get(name)) {
            Some(Arg::Int(value)) => Scalar::Int(*value).fits(*dtype),
            Some(Arg::Float(value)) => Scalar::Float(*value).fits(*dtype),
            _ => true,
        };
        let mut numbers = params.iter().filter(|param| *param.ty.required() == Type::Scalar);
        match numbers.find(|param| !fits(&param.name)) {
            Some(param) => unsupported(format!("`{}` is out of the range of {dtype}", param.name)),
            None => Ok(()),
        }
    }

    /// A tensor that must be there.
    pub(crate) fn tensor(&self, name: &str) -> Rewrite {
        self.opt_tensor(name)?.map_or_else(|| unsupported(format!("argument `{name}` is no tensor")), Ok)
    }

    /// A tensor or `None`.
    pub(crate) fn opt_tensor(&self, name: &str) -> Rewrite<Option<Tensor>> {
        self.as_tensor(self.bound.get(name), name)
    }

    fn as_tensor(&self, arg: &Arg, name: &str) -> Rewrite<Option<Tensor>> {
        match arg {
            Arg::None => Ok(None),
            Arg::Node(n) => match self.values[*n] {
                Some(Value::Tensor(t)) => Ok(Some(t)),
                _ => unsupported(format!("argument `{name}` is no tensor")),
            },
            _ => unsupported(format!("argument `{name}` is no tensor")),
        }
    }

    /// A tensor, converted to the dtype in which the first result is computed.
    pub(crate) fn operand(&self, b: &mut Builder, name: &str) -> Rewrite {
        let t = self.tensor(name)?;
        Ok(b.convert(t, self.compute()?))
    }

    /// A tensor or `None`, converted likewise.
    pub(crate) fn opt_operand(&self, b: &mut Builder, name: &str) -> Rewrite<Option<Tensor>> {
        let dtype = self.compute()?;
        Ok(self.opt_tensor(name)?.map(|t| b.convert(t, dtype)))
    }

    /// A list of tensors, some absent.
    pub(crate) fn tensors(&self, name: &str) -> Rewrite<Vec<Option<Tensor>>> {
        match self.bound.get(name) {
            Arg::List(items) | Arg::Tuple(items) => items.iter().map(|a| self.as_tensor(a, name)).collect(),
            _ => unsupported(format!("argument `{name}` is no list")),
        }
    }

    /// A tensor or number.
    pub(crate) fn number_or_tensor(&self, name: &str) -> Rewrite<Option<Operand>> {
        let arg = self.bound.get(name);
        if let Arg::Node(n) = arg
            && let Some(Value::Tensor(t)) = self.values[*n]
        {
            return Ok(Some(Operand::Tensor(t)));
        }
        Ok(Some(match self.resolve(arg) {
            Some(Arg::None) => return Ok(None),
            Some(Arg::Bool(v)) => Operand::Number(f64::from(u8::from(*v)), DType::Bool),
            // Integers beyond 2^53 do not survive the way through f64.
            Some(Arg::Int(v)) if v.unsigned_abs() <= 1 << 53 => Operand::Number(*v as f64, DType::I64),
            Some(Arg::Float(v)) => Operand::Number(*v, DType::F32),
            Some(Arg::Sym(e)) => Operand::Size(*e),
            _ => return unsupported(format!("argument `{name}` is neither tensor nor plain number")),
        }))
    }

    /// A float (or int), which must be there.
    pub(crate) fn float(&self, name: &str) -> Rewrite<f64> {
        self.opt_float(name)?.map_or_else(|| unsupported(format!("argument `{name}` is absent")), Ok)
    }

    /// A float (or int or bool) or `None`.
    pub(crate) fn opt_float(&self, name: &str) -> Rewrite<Option<f64>> {
        match self.number_or_tensor(name)? {
            None => Ok(None),
            Some(Operand::Number(value, _)) => Ok(Some(value)),
            Some(Operand::Tensor(_)) => unsupported(format!("argument `{name}` is a tensor")),
            Some(Operand::Size(_)) => unsupported(format!("argument `{name}` is symbolic")),
        }
    }

    /// An int.
    pub(crate) fn int(&self, name: &str) -> Rewrite<i64> {
        self.opt_int(name)?.map_or_else(|| unsupported(format!("argument `{name}` is absent")), Ok)
    }

    /// An int or `None`.
    pub(crate) fn opt_int(&self, name: &str) -> Rewrite<Option<i64>> {
        match self.resolve(self.bound.get(name)) {
            Some(Arg::None) => Ok(None),
            Some(Arg::Int(v)) => Ok(Some(*v)),
            _ => unsupported(format!("argument `{name}` is no plain integer")),
        }
    }

    /// A list of ints or `None`; a single int counts as a list.
    pub(crate) fn opt_ints(&self, name: &str) -> Rewrite<Option<Ints>> {
        match self.resolve(self.bound.get(name)) {
            Some(Arg::None) => Ok(None),
            Some(Arg::Int(v)) => Ok(Some([*v].as_slice().into())),
            Some(Arg::List(items) | Arg::Tuple(items)) => items
                .iter()
                .map(|a| match self.resolve(a) {
                    Some(Arg::Int(v)) => Ok(*v),
                    _ => unsupported(format!("argument `{name}` holds more than plain integers")),
                })
                .collect::<Rewrite<Ints>>()
                .map(Some),
            _ => unsupported(format!("argument `{name}` is no list of integers")),
        }
    }

    /// A size, or another int that may be an expression of sizes.
    pub(crate) fn size(&self, pool: &mut Pool, name: &str) -> Rewrite<Expr> {
        self.opt_size(pool, name)?.map_or_else(|| unsupported(format!("argument `{name}` is absent")), Ok)
    }

    /// A size or `None`.
    pub(crate) fn opt_size(&self, pool: &mut Pool, name: &str) -> Rewrite<Option<Expr>> {
        self.as_size(pool, self.bound.get(name), name)
    }

    fn as_size(&self, pool: &mut Pool, arg: &Arg, name: &str) -> Rewrite<Option<Expr>> {
        match self.resolve(arg) {
            Some(Arg::None) => Ok(None),
            Some(Arg::Int(v)) => Ok(Some(pool.int(*v))),
            Some(Arg::Sym(e)) => Ok(Some(*e)),
            _ => unsupported(format!("argument `{name}` is no integer")),
        }
    }

    /// The items of a list.
    pub(crate) fn items(&self, name: &str) -> Rewrite<&[Arg]> {
        match self.resolve(self.bound.get(name)) {
            Some(Arg::List(items) | Arg::Tuple(items)) => Ok(items),
            _ => unsupported(format!("argument `{name}` is no list")),
        }
    }

    /// A list of sizes, or of other ints that may be expressions of sizes.
    pub(crate) fn sizes(&self, pool: &mut Pool, name: &str) -> Rewrite<Dims> {
        let items = self.items(name)?.iter().map(|item| {
            self.as_size(pool, item, name)?.map_or_else(|| unsupported(format!("argument `{name}` holds nothing")), Ok)
        });
        items.collect()
    }

    /// A bool.
    pub(crate) fn bool(&self, name: &str) -> Rewrite<bool> {
        match self.resolve(self.bound.get(name)) {
            Some(Arg::Bool(v)) => Ok(*v),
            _ => unsupported(format!("argument `{name}` is no bool")),
        }
    }

    /// A string, or empty.
    pub(crate) fn str(&self, name: &str) -> &str {
        match self.bound.get(name) {
            Arg::Str(s) => s,
            _ => "",
        }
    }

    /// A dimension, counted from the front.
    pub(crate) fn dim(&self, name: &str, rank: usize) -> Rewrite<usize> {
        wrap_dim(self.int(name)?, rank)
    }

    /// Dimensions, counted from the front; all of them if absent, or if empty and `empty_is_all`.
    pub(crate) fn dims(&self, name: &str, rank: usize, empty_is_all: bool) -> Rewrite<SmallVec<[usize; 5]>> {
        let listed = if self.has(name) { self.opt_ints(name)? } else { None };
        match listed {
            Some(dims) if !(dims.is_empty() && empty_is_all) => dims.iter().map(|&d| wrap_dim(d, rank)).collect(),
            _ => Ok((0..rank).collect()),
        }
    }

    /// True if the overload has a parameter of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.bound.has(name)
    }
}

/// A dimension counted from the front; a 0-dimensional tensor counts as having one.
pub(crate) fn wrap_dim(dim: i64, rank: usize) -> Rewrite<usize> {
    fx::aten::wrap_dim(dim, rank).map_or_else(|| unsupported(format!("dimension {dim}")), Ok)
}
