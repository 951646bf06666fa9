//! Derivatives in Rust, where they take more than an expression; and the evaluation of those that are expressions.

use crate::build::{Build, Outcome};
use crate::expression::{Expression, Operation};
use crate::formulas;
use fx::aten::Bound;
use fx::{Arg, Graph, Meta, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::Expr;

/// A derivative that takes more than an expression.
pub(crate) type Rule = fn(&mut Derivative) -> Outcome;

/// Operators whose results do not depend on what their operands hold, or are not followed.
const CONSTANT: &[&str] = &[
    "detach",
    "empty_like",
    "full_like",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "normal_functional",
    "ones_like",
    "rand_like",
    "randint_like",
    "randn_like",
    "zeros_like",
];

/// True for a target whose results autograd does not follow.
pub(crate) fn is_constant(target: &str) -> bool {
    let base = target.strip_prefix("aten.").and_then(|name| name.split('.').next());
    base.is_some_and(|base| CONSTANT.contains(&base))
}

/// Operators whose first result alone is followed.
const FIRST_ALONE: &[&str] =
    &["aten._native_batch_norm_legit_functional.default", "aten._native_batch_norm_legit_no_training.default"];

/// True for the pick of a result that autograd does not follow.
pub(crate) fn picks_constant(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let ("operator.getitem", [Arg::Node(call), Arg::Int(place)]) = (node.target.as_str(), &node.args[..]) else {
        return false;
    };
    *place > 0 && FIRST_ALONE.contains(&graph[*call].target.as_str())
}

/// Gives the gradients by the operands of a call.
pub(crate) fn derive(call: &mut Derivative) -> Outcome {
    let name = call.bound.overload().name.as_str();
    match formulas::row(name).ok_or_else(|| format!("no derivative of `aten.{name}`"))? {
        formulas::Row::Rule(rule) => rule(call),
        formulas::Row::Formula(formula) => {
            for (names, expression) in formula {
                call.apply(names, expression)?;
            }
            Ok(())
        }
    }
}

/// The gradient of one call.
pub(crate) struct Derivative<'a> {
    pub(crate) build: &'a mut Build,
    call: NodeId,
    pub(crate) bound: &'a Bound<'a>,
    /// The gradients by its results.
    grads: Vec<Option<NodeId>>,
    picks: &'a FxHashMap<(NodeId, usize), NodeId>,
    follows: &'a FxHashSet<NodeId>,
    /// Operands, and what this call gives to their gradients.
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
    fn grad(&self) -> Outcome<NodeId> {
        match &self.grads[..] {
            [Some(grad), rest @ ..] if rest.iter().all(Option::is_none) => Ok(*grad),
            _ => Err(format!("a gradient by another result of `{}`", self.bound.overload().name)),
        }
    }

    /// A result of the call.
    fn result(&mut self, place: usize) -> Outcome<NodeId> {
        match (&self.build.graph[self.call].meta, self.picks.get(&(self.call, place))) {
            (Some(Meta::Tuple(_)), Some(&pick)) => Ok(pick),
            (Some(Meta::Tuple(_)), None) => self.build.pick(self.call, place),
            _ => Ok(self.call),
        }
    }

    fn arg(&self, name: &str) -> &'a Arg {
        self.bound.get(name)
    }

    fn node(&self, name: &str) -> Outcome<NodeId> {
        self.bound.node(name).ok_or_else(|| format!("`{name}` is no tensor"))
    }

    fn int(&self, name: &str) -> Outcome<i64> {
        self.bound.int(name).map_err(|error| error.to_string())
    }

    /// True if a gradient by this operand is asked for.
    fn wants(&self, name: &str) -> bool {
        self.bound.has(name) && self.bound.node(name).is_some_and(|node| self.follows.contains(&node))
    }

    /// Adds to the gradient of an operand: in its element type, summed over what was broadcast.
    fn give(&mut self, operand: NodeId, gradient: NodeId) -> Outcome {
        let meta = self.build.tensor(operand)?.clone();
        let gradient = self.build.sum_to(gradient, &meta.sizes)?;
        let gradient = self.build.cast(gradient, meta.dtype)?;
        self.given.push((operand, gradient));
        Ok(())
    }

    fn give_to(&mut self, name: &str, gradient: NodeId) -> Outcome {
        let operand = self.node(name)?;
        self.give(operand, gradient)
    }

    /// One part of a formula: an expression that gives the gradients by these operands.
    fn apply(&mut self, names: &[&'static str], expression: &Expression) -> Outcome {
        if !names.iter().any(|name| self.wants(name)) {
            return Ok(());
        }
        let mentions = |name: &str| mentions(expression, name);
        for (place, grad) in self.grads.iter().enumerate().skip(1) {
            if grad.is_some() && !mentions(&format!("grad{place}")) {
                return Err(format!("a gradient by another result of `{}`", self.bound.overload().name));
            }
        }
        let value = self.value(expression, names)?;
        let Arg::Node(value) = value else { return Err("a formula that gives no tensor".to_owned()) };
        let is_tuple = matches!(self.build.graph[value].meta, Some(Meta::Tuple(_)));
        for (place, name) in names.iter().enumerate() {
            if self.wants(name) {
                let gradient = if is_tuple { self.build.pick(value, place)? } else { value };
                self.give_to(name, gradient)?;
            }
        }
        Ok(())
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
                value => Arg::Node(self.build.call("neg.default", vec![value])?),
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
                        let full =
                            if function.contains('.') { (*function).to_owned() } else { format!("{function}.default") };
                        Arg::Node(self.build.call_named(&full, args, kwargs)?)
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
            return Ok(Arg::List(names.iter().map(|name| Arg::Bool(self.wants(name))).collect()));
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

/// A number as a float.
fn float(arg: &Arg) -> Option<f64> {
    match arg {
        Arg::Int(int) => Some(*int as f64),
        Arg::Float(float) => Some(*float),
        Arg::Bool(bool) => Some(f64::from(u8::from(*bool))),
        _ => None,
    }
}

fn binary(build: &mut Build, operation: Operation, left: Arg, right: Arg) -> Outcome<Arg> {
    use Operation::{Add, Div, Eq, Ge, Gt, Le, Lt, Mul, Pow, Sub};
    let is_one = |arg: &Arg| float(arg) == Some(1.0);
    let call = match (operation, left.as_node().is_some(), right.as_node().is_some()) {
        (_, false, false) => return numbers(operation, &left, &right),
        (Mul | Div, true, false) if is_one(&right) => return Ok(left),
        (Mul, false, true) if is_one(&left) => return Ok(right),
        (Add, false, true) => ("add.Tensor", vec![right, left]),
        (Mul, false, true) => ("mul.Tensor", vec![right, left]),
        (Sub, false, true) => ("rsub.Scalar", vec![right, left]),
        (Div, false, true) => {
            let inverse = build.call("reciprocal.default", vec![right])?;
            ("mul.Tensor", vec![Arg::Node(inverse), left])
        }
        (Add, ..) => ("add.Tensor", vec![left, right]),
        (Sub, ..) => ("sub.Tensor", vec![left, right]),
        (Mul, ..) => ("mul.Tensor", vec![left, right]),
        (Div, ..) => ("div.Tensor", vec![left, right]),
        (Pow, true, false) => ("pow.Tensor_Scalar", vec![left, right]),
        (Pow, true, true) => ("pow.Tensor_Tensor", vec![left, right]),
        (Lt, true, true) => ("lt.Tensor", vec![left, right]),
        (Le, true, true) => ("le.Tensor", vec![left, right]),
        (Gt, true, true) => ("gt.Tensor", vec![left, right]),
        (Ge, true, true) => ("ge.Tensor", vec![left, right]),
        (Eq, true, true) => ("eq.Tensor", vec![left, right]),
        (Lt, true, false) => ("lt.Scalar", vec![left, right]),
        (Le, true, false) => ("le.Scalar", vec![left, right]),
        (Gt, true, false) => ("gt.Scalar", vec![left, right]),
        (Ge, true, false) => ("ge.Scalar", vec![left, right]),
        (Eq, true, false) => ("eq.Scalar", vec![left, right]),
        _ => return Err("a number before a tensor".to_owned()),
    };
    build.call(call.0, call.1).map(Arg::Node)
}

fn numbers(operation: Operation, left: &Arg, right: &Arg) -> Outcome<Arg> {
    let unknown = || "a number that is not constant".to_owned();
    if let (Arg::Int(left), Arg::Int(right)) = (left, right) {
        let int = match operation {
            Operation::Add => left.checked_add(*right),
            Operation::Sub => left.checked_sub(*right),
            Operation::Mul => left.checked_mul(*right),
            _ => None,
        };
        if let Some(int) = int {
            return Ok(Arg::Int(int));
        }
    }
    let (left, right) = (float(left).ok_or_else(unknown)?, float(right).ok_or_else(unknown)?);
    Ok(match operation {
        Operation::Add => Arg::Float(left + right),
        Operation::Sub => Arg::Float(left - right),
        Operation::Mul => Arg::Float(left * right),
        Operation::Div => Arg::Float(left / right),
        Operation::Pow => Arg::Float(left.powf(right)),
        Operation::Lt => Arg::Bool(left < right),
        Operation::Le => Arg::Bool(left <= right),
        Operation::Gt => Arg::Bool(left > right),
        Operation::Ge => Arg::Bool(left >= right),
        Operation::Eq => Arg::Bool(left == right),
    })
}

/// A function of formulas that is no operator.
type Helper = fn(&mut Build, &[Arg]) -> Outcome<Arg>;

/// The functions of formulas that are no operators.
fn helper(name: &str) -> Option<Helper> {
    Some(match name {
        // `sizes(x)`
        "sizes" => |b, args| b.sizes(tensor(args, 0)?),
        // `size(x, dim)`
        "size" => |b, args| {
            let dim = b.dim(tensor(args, 0)?, int(args, 1)?)?;
            b.size(tensor(args, 0)?, dim).map(Arg::Int)
        },
        // `numel(x)`
        "numel" => |b, args| count(b, tensor(args, 0)?, &Arg::None).map(Arg::Int),
        // `count(x, dims)`: how many elements each reduction over these dimensions takes.
        "count" => |b, args| count(b, tensor(args, 0)?, arg(args, 1)?).map(Arg::Int),
        // `zeros(x)`: zeros of its sizes, whatever it holds.
        "zeros" => |b, args| b.zeros(tensor(args, 0)?).map(Arg::Node),
        // `dtype(x)`
        "dtype" => |b, args| Ok(Arg::DType(b.tensor(tensor(args, 0)?)?.dtype)),
        // `or(x, default)`: the default for an argument that is `None`.
        "or" => |_, args| Ok(if arg(args, 0)?.is_none() { arg(args, 1)?.clone() } else { arg(args, 0)?.clone() }),
        // `negated(numbers)`
        "negated" => |_, args| {
            let negate =
                |item: &Arg| item.as_int().map(|int| Arg::Int(-int)).ok_or_else(|| "a symbolic number".to_owned());
            Ok(Arg::List(items(arg(args, 0)?).iter().map(negate).collect::<Outcome<_>>()?))
        },
        // `inverse(permutation)`
        "inverse" => |_, args| {
            let dims = items(arg(args, 0)?);
            let mut inverse = vec![Arg::Int(0); dims.len()];
            for (place, dim) in dims.iter().enumerate() {
                let dim = dim.as_int().ok_or_else(|| "a symbolic dimension".to_owned())?;
                inverse[dim.rem_euclid(dims.len() as i64) as usize] = Arg::Int(place as i64);
            }
            Ok(Arg::List(inverse))
        },
        // `restore(grad, x, dims, keepdim)`: what was reduced over dimensions, broadcast to the operand.
        "restore" => |b, args| {
            let (grad, of) = (tensor(args, 0)?, tensor(args, 1)?);
            let grad = unreduced(b, grad, of, arg(args, 2)?, *arg(args, 3)? == Arg::Bool(true))?;
            let sizes = b.sizes(of)?;
            b.call("expand.default", vec![Arg::Node(grad), sizes]).map(Arg::Node)
        },
        // `unreduced(grad, x, dims, keepdim)`: the same with dimensions of one element.
        "unreduced" => |b, args| {
            let keeps = *arg(args, 3)? == Arg::Bool(true);
            unreduced(b, tensor(args, 0)?, tensor(args, 1)?, arg(args, 2)?, keeps).map(Arg::Node)
        },
        // `by_left(grad, x, y)` and `by_right(grad, x, y)`: by the operands of the matrix product `x @ y`.
        "by_left" => |b, args| by_left(b, tensor(args, 0)?, tensor(args, 1)?, tensor(args, 2)?).map(Arg::Node),
        "by_right" => |b, args| by_right(b, tensor(args, 0)?, tensor(args, 1)?, tensor(args, 2)?).map(Arg::Node),
        // `by_norm(grad, x, norm, ord, dims, keepdim)`: by what a Euclidean norm is of; nothing where that is zero.
        "by_norm" => |b, args| {
            if float(arg(args, 3)?) != Some(2.0) {
                return Err("a norm other than the Euclidean one".to_owned());
            }
            let (of, named, keeps) = (tensor(args, 1)?, arg(args, 4)?, *arg(args, 5)? == Arg::Bool(true));
            let grad = unreduced(b, tensor(args, 0)?, of, named, keeps)?;
            let norm = unreduced(b, tensor(args, 2)?, of, named, keeps)?;
            let ratio = binary(b, Operation::Div, Arg::Node(grad), Arg::Node(norm))?;
            let is_zero = binary(b, Operation::Eq, Arg::Node(norm), Arg::Int(0))?;
            let ratio = b.call("masked_fill.Scalar", vec![ratio, is_zero, Arg::Int(0)])?;
            binary(b, Operation::Mul, Arg::Node(of), Arg::Node(ratio))
        },
        // `swapped(x)`: the last two dimensions swapped.
        "swapped" => {
            |b, args| b.call("transpose.int", vec![arg(args, 0)?.clone(), Arg::Int(-2), Arg::Int(-1)]).map(Arg::Node)
        }
        // `dropout_scale(p, train)`
        "dropout_scale" => |_, args| {
            let p = float(arg(args, 0)?).ok_or_else(|| "a probability that is no number".to_owned())?;
            let scale = if p == 1.0 { 0.0 } else { 1.0 / (1.0 - p) };
            Ok(Arg::Float(if *arg(args, 1)? == Arg::Bool(true) { scale } else { 1.0 }))
        },
        // `ln(x)` of a positive number.
        "ln" => |_, args| match float(arg(args, 0)?) {
            Some(number) if number > 0.0 => Ok(Arg::Float(number.ln())),
            _ => Err("the logarithm of a number that is not positive".to_owned()),
        },
        _ => return None,
    })
}

fn arg(args: &[Arg], place: usize) -> Outcome<&Arg> {
    args.get(place).ok_or_else(|| "a formula with too few arguments".to_owned())
}

fn tensor(args: &[Arg], place: usize) -> Outcome<NodeId> {
    arg(args, place)?.as_node().ok_or_else(|| "an operand that is no tensor".to_owned())
}

fn int(args: &[Arg], place: usize) -> Outcome<i64> {
    arg(args, place)?.as_int().ok_or_else(|| "a number that is not constant".to_owned())
}

/// The items of a list, or the argument itself.
fn items(arg: &Arg) -> &[Arg] {
    match arg {
        Arg::List(items) | Arg::Tuple(items) => items,
        Arg::None => &[],
        arg => std::slice::from_ref(arg),
    }
}

/// The dimensions that an argument names, all of them where it names none, counted from the front.
fn dims(b: &Build, of: NodeId, named: &Arg) -> Outcome<Vec<usize>> {
    let named = items(named);
    if named.is_empty() {
        return Ok((0..b.rank(of)?).collect());
    }
    let dim = |dim: &Arg| b.dim(of, dim.as_int().ok_or_else(|| "a symbolic dimension".to_owned())?);
    named.iter().map(dim).collect()
}

fn count(b: &Build, of: NodeId, named: &Arg) -> Outcome<i64> {
    if b.rank(of)? == 0 {
        return Ok(1);
    }
    dims(b, of, named)?.into_iter().map(|dim| b.size(of, dim)).product()
}

/// What was reduced over dimensions, with these as dimensions of one element.
fn unreduced(b: &mut Build, reduced: NodeId, of: NodeId, named: &Arg, keeps: bool) -> Outcome<NodeId> {
    if keeps || b.rank(of)? == 0 {
        return Ok(reduced);
    }
    let dims = dims(b, of, named)?;
    let Arg::List(mut sizes) = b.sizes(of)? else { return Err("sizes that are no list".to_owned()) };
    dims.into_iter().for_each(|dim| sizes[dim] = Arg::Int(1));
    b.reshape(reduced, Arg::List(sizes))
}

/// True for a matrix whose columns lie side by side.
fn is_column_major(b: &Build, matrix: NodeId) -> Outcome<bool> {
    let meta = b.tensor(matrix)?;
    Ok(meta.strides[0] == Expr::ONE && meta.strides[1] == meta.sizes[0])
}

/// The gradient by the left operand of a product of matrices, laid out as that is.
fn by_left(b: &mut Build, grad: NodeId, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let transposed = |b: &mut Build, node| b.call("t.default", vec![Arg::Node(node)]);
    if is_column_major(b, left)? {
        let grad = transposed(b, grad)?;
        let product = b.call("mm.default", vec![Arg::Node(right), Arg::Node(grad)])?;
        return transposed(b, product);
    }
    let right = transposed(b, right)?;
    b.call("mm.default", vec![Arg::Node(grad), Arg::Node(right)])
}

/// The gradient by the right operand of a product of matrices, laid out as that is.
fn by_right(b: &mut Build, grad: NodeId, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let transposed = |b: &mut Build, node| b.call("t.default", vec![Arg::Node(node)]);
    if is_column_major(b, right)? {
        let grad = transposed(b, grad)?;
        let product = b.call("mm.default", vec![Arg::Node(grad), Arg::Node(left)])?;
        return transposed(b, product);
    }
    let left = transposed(b, left)?;
    b.call("mm.default", vec![Arg::Node(left), Arg::Node(grad)])
}

/// `clamp` between bounds of which one may be missing: the gradient passes where the operand is within.
pub(crate) fn clamp(d: &mut Derivative) -> Outcome {
    let (grad, this) = (d.grad()?, d.node("self")?);
    if d.wants("min") || d.wants("max") || !d.wants("self") {
        return Err("a gradient by the bounds of `clamp`".to_owned());
    }
    let mut within: Option<Arg> = None;
    for (name, operation) in [("min", Operation::Ge), ("max", Operation::Le)] {
        let bound = if d.bound.has(name) { d.arg(name).clone() } else { Arg::None };
        if bound.is_none() {
            continue;
        }
        let inside = binary(d.build, operation, Arg::Node(this), bound)?;
        within = Some(match within {
            Some(other) => Arg::Node(d.build.call("logical_and.default", vec![other, inside])?),
            None => inside,
        });
    }
    let within = within.ok_or_else(|| "`clamp` without bounds".to_owned())?;
    let gradient = d.build.call("where.ScalarOther", vec![within, Arg::Node(grad), Arg::Int(0)])?;
    d.give(this, gradient)
}

/// The larger (`max`) or smaller one of two tensors: the gradient goes to it, and in halves where they are equal.
fn larger(d: &mut Derivative, loses: [Operation; 2]) -> Outcome {
    let grad = d.grad()?;
    let (this, other) = (d.node("self")?, d.node("other")?);
    for (name, operation) in ["self", "other"].into_iter().zip(loses) {
        if d.wants(name) {
            let equal = binary(d.build, Operation::Eq, Arg::Node(this), Arg::Node(other))?;
            let half = binary(d.build, Operation::Div, Arg::Node(grad), Arg::Int(2))?;
            let shared = d.build.call("where.self", vec![equal, half, Arg::Node(grad)])?;
            let lost = binary(d.build, operation, Arg::Node(this), Arg::Node(other))?;
            let gradient = d.build.call("masked_fill.Scalar", vec![Arg::Node(shared), lost, Arg::Int(0)])?;
            d.give_to(name, gradient)?;
        }
    }
    Ok(())
}

pub(crate) fn maximum(d: &mut Derivative) -> Outcome {
    larger(d, [Operation::Lt, Operation::Gt])
}

pub(crate) fn minimum(d: &mut Derivative) -> Outcome {
    larger(d, [Operation::Gt, Operation::Lt])
}

/// `masked_fill`: nothing goes to what was filled.
pub(crate) fn masked_fill(d: &mut Derivative) -> Outcome {
    if d.wants("value") {
        return Err("a gradient by what `masked_fill` fills in".to_owned());
    }
    let args = vec![Arg::Node(d.grad()?), d.arg("mask").clone(), Arg::Int(0)];
    let gradient = d.build.call("masked_fill.Scalar", args)?;
    d.give_to("self", gradient)
}

/// `cat`: each operand gets its part.
pub(crate) fn cat(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let (dim, mut from) = (d.build.dim(grad, d.int("dim")?)?, 0);
    for operand in d.bound.nodes("tensors").map_err(|error| error.to_string())? {
        let operand = operand.ok_or_else(|| "an operand that is no tensor".to_owned())?;
        if d.build.rank(operand)? != d.build.rank(grad)? {
            // An empty tensor of one dimension is left out.
            if d.follows.contains(&operand) {
                let nothing = d.build.zeros(operand)?;
                d.give(operand, nothing)?;
            }
            continue;
        }
        let to = from + d.build.size(operand, dim)?;
        if d.follows.contains(&operand) {
            let args = vec![Arg::Node(grad), Arg::Int(dim as i64), Arg::Int(from), Arg::Int(to)];
            let part = d.build.call("slice.Tensor", args)?;
            d.give(operand, part)?;
        }
        from = to;
    }
    Ok(())
}

/// `stack`: each operand gets its part.
pub(crate) fn stack(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let dim = d.build.dim(grad, d.int("dim")?)?;
    for (place, operand) in d.bound.nodes("tensors").map_err(|error| error.to_string())?.into_iter().enumerate() {
        let operand = operand.ok_or_else(|| "an operand that is no tensor".to_owned())?;
        if d.follows.contains(&operand) {
            let args = vec![Arg::Node(grad), Arg::Int(dim as i64), Arg::Int(place as i64)];
            let part = d.build.call("select.int", args)?;
            d.give(operand, part)?;
        }
    }
    Ok(())
}

/// The gradients by all results, zeros where there is none.
fn all_grads(d: &mut Derivative) -> Outcome<Vec<Arg>> {
    let mut grads = Vec::new();
    for place in 0..d.grads.len() {
        grads.push(Arg::Node(match d.grads[place] {
            Some(grad) => grad,
            None => {
                let result = d.result(place)?;
                d.build.zeros(result)?
            }
        }));
    }
    Ok(grads)
}

/// `split` and `chunk`: the gradients one after another.
pub(crate) fn split(d: &mut Derivative) -> Outcome {
    let dim = d.arg("dim").clone();
    let grads = all_grads(d)?;
    let whole = d.build.call("cat.default", vec![Arg::List(grads), dim])?;
    d.give_to("self", whole)
}

/// `unbind`: the gradients as a new dimension.
pub(crate) fn unbind(d: &mut Derivative) -> Outcome {
    let dim = d.arg("dim").clone();
    let grads = all_grads(d)?;
    let whole = d.build.call("stack.default", vec![Arg::List(grads), dim])?;
    d.give_to("self", whole)
}

/// `repeat`: the gradients of the copies are added.
pub(crate) fn repeat(d: &mut Derivative) -> Outcome {
    let (grad, this) = (d.grad()?, d.node("self")?);
    let repeats = d.bound.ints("repeats").map_err(|error| error.to_string())?;
    let leading = repeats.len() - d.build.rank(this)?;
    let (mut sizes, mut summed) = (Vec::new(), Vec::new());
    for (place, &times) in repeats.iter().enumerate() {
        if place < leading || times != 1 {
            summed.push(Arg::Int(sizes.len() as i64));
            sizes.push(Arg::Int(times));
        }
        if place >= leading {
            sizes.push(Arg::Int(d.build.size(this, place - leading)?));
        }
    }
    let mut gradient = d.build.reshape(grad, Arg::List(sizes))?;
    if !summed.is_empty() {
        gradient = d.build.call("sum.dim_IntList", vec![Arg::Node(gradient), Arg::List(summed)])?;
    }
    d.give(this, gradient)
}

/// `index`: each element of the gradient is added where it was read.
pub(crate) fn index(d: &mut Derivative) -> Outcome {
    let (grad, this, indices) = (d.grad()?, d.node("self")?, d.arg("indices").clone());
    let zeros = d.build.zeros(this)?;
    let args = vec![Arg::Node(zeros), indices, Arg::Node(grad), Arg::Bool(true)];
    let gradient = d.build.call("index_put.default", args)?;
    d.give(this, gradient)
}

/// `index_put`: what was overwritten gets none, what was written the gradient of its place.
pub(crate) fn index_put(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let (indices, accumulates) = (d.arg("indices").clone(), *d.arg("accumulate") == Arg::Bool(true));
    if d.wants("self") {
        let mut gradient = grad;
        if !accumulates {
            let values = d.node("values")?;
            let zeros = d.build.zeros(values)?;
            gradient = d.build.call("index_put.default", vec![Arg::Node(grad), indices.clone(), Arg::Node(zeros)])?;
        }
        d.give_to("self", gradient)?;
    }
    if d.wants("values") {
        let gradient = d.build.call("index.Tensor", vec![Arg::Node(grad), indices])?;
        d.give_to("values", gradient)?;
    }
    Ok(())
}

/// A selection along a dimension (`max`, `sort`, `topk`): each element of the gradient goes where its value was.
pub(crate) fn selected(d: &mut Derivative) -> Outcome {
    let (mut grad, this, mut places) = (d.grad()?, d.node("self")?, d.result(1)?);
    let (dim, rank) = (d.int("dim")?, d.build.rank(this)?);
    if rank == 0 {
        return d.give(this, grad);
    }
    if d.bound.has("keepdim") && *d.arg("keepdim") == Arg::Bool(false) {
        let dim = Arg::Int(d.build.dim(this, dim)? as i64);
        grad = d.build.call("unsqueeze.default", vec![Arg::Node(grad), dim.clone()])?;
        places = d.build.call("unsqueeze.default", vec![Arg::Node(places), dim])?;
    }
    let zeros = d.build.zeros(this)?;
    let args = vec![Arg::Node(zeros), Arg::Int(dim), Arg::Node(places), Arg::Node(grad)];
    let gradient = d.build.call("scatter.src", args)?;
    d.give(this, gradient)
}

/// `pow` by a number: nothing by the exponent zero.
pub(crate) fn pow(d: &mut Derivative) -> Outcome {
    let (grad, this, exponent) = (d.grad()?, d.node("self")?, d.arg("exponent").clone());
    if float(&exponent) == Some(0.0) {
        let zeros = d.build.zeros(this)?;
        return d.give(this, zeros);
    }
    let less = numbers(Operation::Sub, &exponent, &Arg::Int(1))?;
    let power = match float(&less) {
        Some(1.0) => Arg::Node(this),
        _ => binary(d.build, Operation::Pow, Arg::Node(this), less)?,
    };
    let slope = binary(d.build, Operation::Mul, power, exponent)?;
    let gradient = binary(d.build, Operation::Mul, Arg::Node(grad), slope)?;
    match gradient {
        Arg::Node(gradient) => d.give(this, gradient),
        _ => Err("a gradient that is no tensor".to_owned()),
    }
}

/// The mean of squares about the mean: `var`, `std` and the pairs with the mean.
pub(crate) fn var(d: &mut Derivative) -> Outcome {
    let this = d.node("self")?;
    let base = d.bound.overload().base().to_owned();
    let given = |name: &str| if d.bound.has(name) { d.arg(name).clone() } else { Arg::None };
    let (named, keeps) = (given("dim"), given("keepdim") == Arg::Bool(true));
    let correction = if d.bound.has("correction") {
        d.arg("correction").clone()
    } else {
        Arg::Int(i64::from(*d.arg("unbiased") == Arg::Bool(true)))
    };
    let correction = if correction.is_none() { 1.0 } else { float(&correction).ok_or("a symbolic correction")? };
    let freedom = (count(d.build, this, &named)? as f64 - correction).max(0.0);
    if let Some(grad) = d.grads[0] {
        let mut grad = grad;
        if base.starts_with("std") {
            let result = d.result(0)?;
            let twice = binary(d.build, Operation::Mul, Arg::Node(result), Arg::Int(2))?;
            let ratio = binary(d.build, Operation::Div, Arg::Node(grad), twice)?;
            let none = binary(d.build, Operation::Eq, Arg::Node(result), Arg::Int(0))?;
            grad = d.build.call("masked_fill.Scalar", vec![ratio, none, Arg::Int(0)])?;
        }
        let grad = unreduced(d.build, grad, this, &named, keeps)?;
        let all: Vec<Arg> = dims(d.build, this, &named)?.into_iter().map(|dim| Arg::Int(dim as i64)).collect();
        let mean = d.build.call("mean.dim", vec![Arg::Node(this), Arg::List(all), Arg::Bool(true)])?;
        let centred = binary(d.build, Operation::Sub, Arg::Node(this), Arg::Node(mean))?;
        let scaled = binary(d.build, Operation::Mul, Arg::Node(grad), Arg::Float(2.0 / freedom))?;
        let gradient = d.build.call("mul.Tensor", vec![scaled, centred])?;
        d.give(this, gradient)?;
    }
    if let Some(&Some(grad)) = d.grads.get(1) {
        let grad = unreduced(d.build, grad, this, &named, keeps)?;
        let sizes = d.build.sizes(this)?;
        let whole = d.build.call("expand.default", vec![Arg::Node(grad), sizes])?;
        let share = Arg::Int(count(d.build, this, &named)?);
        let gradient = d.build.call("div.Tensor", vec![Arg::Node(whole), share])?;
        d.give(this, gradient)?;
    }
    Ok(())
}

/// A normalisation with statistics of its own batch (`training`) or kept ones.
pub(crate) fn batch_norm(d: &mut Derivative) -> Outcome {
    const PARAMETERS: [&str; 3] = ["input", "weight", "bias"];
    let (grad, training) = (d.grads[0].ok_or("a gradient by statistics")?, *d.arg("training") == Arg::Bool(true));
    if d.grads[1..].iter().any(Option::is_some) {
        return Err("a gradient by statistics".to_owned());
    }
    let mask = Arg::List(PARAMETERS.iter().map(|name| Arg::Bool(d.wants(name))).collect());
    let kept = |name: &str| if training { Arg::None } else { d.arg(name).clone() };
    let (mean, var) = (kept("running_mean"), kept("running_var"));
    let (save_mean, save_rstd) =
        if training { (Arg::Node(d.result(1)?), Arg::Node(d.result(2)?)) } else { (Arg::None, Arg::None) };
    let [input, weight, eps] = ["input", "weight", "eps"].map(|name| d.arg(name).clone());
    let args = vec![Arg::Node(grad), input, weight, mean, var, save_mean, save_rstd, Arg::Bool(training), eps, mask];
    let call = d.build.call("native_batch_norm_backward.default", args)?;
    for (place, name) in PARAMETERS.into_iter().enumerate() {
        if d.wants(name) {
            let gradient = d.build.pick(call, place)?;
            d.give_to(name, gradient)?;
        }
    }
    Ok(())
}

/// Convolution, whose bias may be missing.
pub(crate) fn convolution(d: &mut Derivative) -> Outcome {
    const OPERANDS: [&str; 3] = ["input", "weight", "bias"];
    let grad = d.grad()?;
    let mask = Arg::List(OPERANDS.iter().map(|name| Arg::Bool(d.wants(name))).collect());
    let bias = match d.bound.node("bias") {
        Some(bias) => d.build.sizes(bias)?,
        None => Arg::None,
    };
    let options =
        ["stride", "padding", "dilation", "transposed", "output_padding", "groups"].map(|name| d.arg(name).clone());
    let operands = [Arg::Node(grad), d.arg("input").clone(), d.arg("weight").clone(), bias];
    let args = operands.into_iter().chain(options).chain([mask]).collect();
    let call = d.build.call("convolution_backward.default", args)?;
    for (place, name) in OPERANDS.into_iter().enumerate() {
        if d.wants(name) {
            let gradient = d.build.pick(call, place)?;
            d.give_to(name, gradient)?;
        }
    }
    Ok(())
}

/// The binary cross entropy of logits.
pub(crate) fn cross_entropy_of_logits(d: &mut Derivative) -> Outcome {
    let (this, target) = (d.node("self")?, d.node("target")?);
    if !d.arg("pos_weight").is_none() {
        return Err("`binary_cross_entropy_with_logits` with weights of positives".to_owned());
    }
    let chance = d.build.call("sigmoid.default", vec![Arg::Node(this)])?;
    let slope = binary(d.build, Operation::Sub, Arg::Node(chance), Arg::Node(target))?;
    cross_entropy(d, slope)
}

/// The binary cross entropy of chances, whose slope is bounded at the ends.
pub(crate) fn cross_entropy_of_chances(d: &mut Derivative) -> Outcome {
    let (this, target) = (d.node("self")?, d.node("target")?);
    let off = binary(d.build, Operation::Sub, Arg::Node(this), Arg::Node(target))?;
    let other = binary(d.build, Operation::Sub, Arg::Int(1), Arg::Node(this))?;
    let spread = binary(d.build, Operation::Mul, other, Arg::Node(this))?;
    let spread = d.build.call("clamp_min.default", vec![spread, Arg::Float(1e-12)])?;
    let slope = binary(d.build, Operation::Div, off, Arg::Node(spread))?;
    cross_entropy(d, slope)
}

/// A binary cross entropy whose terms have this slope.
fn cross_entropy(d: &mut Derivative, slope: Arg) -> Outcome {
    let (grad, this, weight) = (d.grad()?, d.node("self")?, d.arg("weight").clone());
    if !d.wants("self") || d.wants("target") || d.wants("weight") {
        return Err("a binary cross entropy by its targets or weights".to_owned());
    }
    let mut gradient = binary(d.build, Operation::Mul, slope, Arg::Node(grad))?;
    if !weight.is_none() {
        gradient = binary(d.build, Operation::Mul, gradient, weight)?;
    }
    if d.int("reduction")? == 1 {
        let count = Arg::Int(count(d.build, this, &Arg::None)?);
        gradient = binary(d.build, Operation::Div, gradient, count)?;
    }
    match gradient {
        Arg::Node(gradient) => d.give(this, gradient),
        _ => Err("a gradient that is no tensor".to_owned()),
    }
}
