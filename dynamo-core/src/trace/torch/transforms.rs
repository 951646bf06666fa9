//! The transforms of `torch.func`: `vmap`, gradients, Jacobians, products with them. What they transform becomes a
//! subgraph, and an operator of ours transforms it where the graph runs.
//!
//! Invariant: as that of the other higher-order operators, a body has no side effect.

use super::higher_order::nodes;
use crate::trace::{
    Traced, Tracer,
    core::{
        context::{Class, Context, Grad},
        state::State,
        value::{Keywords, Pullback, Value, ValueId},
    },
    graph::region::{Parameter, Region, Results, Structure, refused},
    signature::{Bound, Row, row},
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId};
use guards::Constant;
use std::rc::Rc;

pub(in crate::trace) const ROWS: &[Row] = &[
    // What it loads is there when the graph runs.
    row("torch._functorch.predispatch.lazy_load_decompositions()", |t, _| Ok(t.none())),
    row(
        "torch._functorch.vmap._flat_vmap(func, batch_size, flat_in_dims, flat_args, args_spec, out_dims, randomness, \
            **kwargs)",
        vmap,
    ),
    row("torch._functorch.eager_transforms.grad_impl(func, argnums, has_aux, args, kwargs)", |t, b| {
        let Gradient { gradients, aux, .. } = gradient(t, b)?;
        let Some(aux) = aux else { return Ok(gradients) };
        Ok(t.value(Value::Tuple(vec![gradients, aux])))
    }),
    row("torch._functorch.eager_transforms.grad_and_value_impl(func, argnums, has_aux, args, kwargs)", |t, b| {
        let Gradient { gradients, output, aux } = gradient(t, b)?;
        let output = match aux {
            Some(aux) => t.value(Value::Tuple(vec![output, aux])),
            None => output,
        };
        Ok(t.value(Value::Tuple(vec![gradients, output])))
    }),
    row(
        "torch.func.jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False)",
        |t, b| t.call_ours(b, "jacrev"),
    ),
    row("torch.func.jacfwd(func, argnums=0, has_aux=False, *, randomness='error')", |t, b| t.call_ours(b, "jacfwd")),
    row("torch.func.hessian(func, argnums=0)", |t, b| t.call_ours(b, "hessian")),
    row(
        "rust_inductor._higher_order.jacrev(func, args, argnums, has_aux, chunk_size, _preallocate_and_copy)",
        |t, b| jacobians(t, b, "torch.func.jacrev", &[(4, "chunk_size"), (5, "_preallocate_and_copy")]),
    ),
    row("rust_inductor._higher_order.jacfwd(func, args, argnums, has_aux, randomness)", |t, b| {
        jacobians(t, b, "torch.func.jacfwd", &[(4, "randomness")])
    }),
    row(
        "torch._higher_order_ops.flex_attention.FlexAttentionHOP.__call__(operator, /, query, key, value, score_mod, block_mask, \
            scale, kernel_options, score_mod_other_buffers=(), mask_mod_other_buffers=())",
        |t, b| {
            let (args, keywords) = b.call();
            if !t.modes.autocast.current.is_empty() {
                return Err(refused("torch.nn.attention.flex_attention", "under autocast"));
            }
            let ours = t.of_module("rust_inductor._transforms", "flex_attention")?;
            t.call(ours, args[1..].to_vec(), keywords.clone())
        },
    ),
    row("torch.func.jvp(func, primals, tangents, *, strict=False, has_aux=False)", jvp),
    row("torch.func.vjp(func, *primals, has_aux=False)", |t, b| t.call_ours(b, "vjp")),
    row("rust_inductor._higher_order.differentiated(func, primals, has_aux)", vjp),
    row("rust_inductor._higher_order.pulled_back(pullback, cotangents, retain_graph, create_graph)", pulled_back),
];

/// The arguments by which a function is differentiated.
struct By {
    /// Their places.
    places: Vec<usize>,
    /// True if one number stood for them: what belongs to the one argument is no tuple.
    is_one: bool,
    /// Their tensors.
    leaves: Vec<NodeId>,
}

impl By {
    /// The arguments that `argnums` names; without it, all.
    fn of(t: &mut Tracer<'_>, name: &str, args: &[ValueId], argnums: Option<ValueId>) -> Traced<By> {
        let (places, is_one) = match argnums.map(|argnums| t.arg(argnums)).transpose()? {
            None => ((0..args.len() as i64).collect(), false),
            Some(Arg::Int(place)) => (vec![place], true),
            Some(Arg::Tuple(places)) => (places.iter().filter_map(Arg::as_int).collect(), false),
            _ => return Err(refused(name, "with such `argnums`")),
        };
        let place = |&place: &i64| usize::try_from(if place < 0 { place + args.len() as i64 } else { place }).ok();
        let places: Option<Vec<usize>> = places.iter().map(place).collect();
        let places = places.filter(|places| places.iter().all(|&at| at < args.len()));
        let places = places.ok_or_else(|| refused(name, "with such `argnums`"))?;
        let mut leaves = Vec::new();
        for &at in &places {
            leaves.extend(t.leaves(name, args[at])?);
        }
        Ok(By { places, is_one, leaves })
    }

    /// A value for each tensor, arranged as the arguments are.
    fn arranged(&self, t: &mut Tracer<'_>, args: &[ValueId], values: &[ValueId]) -> Traced {
        let mut values = values.iter().copied();
        let mut of = Vec::new();
        for &at in &self.places {
            of.push(t.with_leaves(args[at], &mut values)?);
        }
        Ok(if self.is_one { of[0] } else { t.value(Value::Tuple(of)) })
    }

    /// The function, called with copies of these tensors, as a region. Its copies record what is computed from them if
    /// `context` has autograd on.
    fn region(
        &self,
        t: &mut Tracer<'_>,
        name: &str,
        function: ValueId,
        (args, keywords): (&[ValueId], Keywords),
        context: Option<Context>,
    ) -> Traced<Region> {
        let originals: Vec<ValueId> = self.leaves.iter().map(|&leaf| t.value(Value::Tensor(leaf))).collect();
        t.region(name, Results::Operands, |t| {
            let (mut parameters, mut values) = (Vec::new(), Vec::new());
            for (&leaf, &original) in self.leaves.iter().zip(&originals) {
                let copy = t.emit(NodeKind::CallMethod, "clone", vec![Arg::Node(leaf)], vec![])?;
                if let Value::Tensor(node) = t.objects.values[copy]
                    && let Some(Meta::Tensor(meta)) = &mut t.graph.torch[node].meta
                {
                    meta.requires_grad |= context.is_some();
                    parameters.push(Parameter { node, given_back: Some(original) });
                    values.push(copy);
                }
            }
            let (mut values, mut called) = (values.into_iter(), args.to_vec());
            for &at in &self.places {
                called[at] = t.with_leaves(args[at], &mut values)?;
            }
            let result = match context {
                Some(context) => t.call_within(context, function, called, keywords)?,
                None => t.call(function, called, keywords)?,
            };
            Ok((parameters, result))
        })
    }
}

/// Autograd on, whatever it is outside.
const GRAD: Context = Context::Grad(Grad { inside: true, after: true, class: Class::Never });

/// The output of a function, and what it gives beside it with `has_aux=True`.
fn output_and_aux(name: &str, region: &Region, has_aux: bool) -> Traced<(Structure, Option<Structure>)> {
    match (&region.structure, has_aux) {
        (Structure::Tuple(items), true) if items.len() == 2 => Ok((items[0].clone(), Some(items[1].clone()))),
        (output, false) => Ok((output.clone(), None)),
        _ => Err(refused(name, "of a function that gives no pair")),
    }
}

/// The numbers of a region's results in a structure of nothing else; an output that is no result of the region's has
/// no derivative in the operator.
fn differentiated(name: &str, output: &Structure) -> Traced<Vec<usize>> {
    let mut numbers = Vec::new();
    let mut rest = vec![output];
    while let Some(structure) = rest.pop() {
        match structure {
            Structure::Result(at) => numbers.push(*at),
            Structure::Tuple(items) | Structure::List(items) => rest.extend(items),
            Structure::Dict(items) => rest.extend(items.iter().map(|(.., item)| item)),
            Structure::Known(_) => return Err(refused(name, "of a function that gives what it does not compute")),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() { Err(refused(name, "of a function that gives no tensor")) } else { Ok(numbers) }
}

impl Tracer<'_> {
    /// A call of the function of ours with this name, whose Python is traced in the place of torch's.
    pub(super) fn call_ours(&mut self, b: &Bound<'_>, name: &str) -> Traced {
        let (args, keywords) = b.call();
        let ours = self.of_module("rust_inductor._transforms", name)?;
        self.call(ours, args.to_vec(), keywords.clone())
    }
}

/// The core of `torch.vmap`: a function called on slices of tensors, all at once.
fn vmap(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch.vmap";
    let (function, spec, keywords) = (b.arg(0)?, b.arg(4)?, b.extra().clone());
    b.arg(1)?;
    let (dims, args) = (t.items_within(NAME, b.arg(2)?)?, t.items_within(NAME, b.arg(3)?)?);
    // A slice that is given back along the dimension that it came from is the tensor itself.
    let out_dim = t.arg(b.arg(5)?)?.as_int();
    let (mut batched, mut in_dims, mut given_back) = (Vec::new(), Vec::new(), Vec::new());
    for (&dim, &arg) in dims.iter().zip(&args) {
        match (t.get(dim)?, t.get(arg)?) {
            (Value::Const(Constant::Int(dim)), Value::Tensor(node)) => {
                batched.push(node);
                in_dims.push(dim);
                given_back.push((Some(dim) == out_dim).then_some(arg));
            }
            (Value::Const(Constant::None), _) => {}
            _ => return Err(refused(NAME, "over what is no tensor")),
        }
    }
    let out_dims = b.arg(5)?;
    let randomness = t.arg(b.arg(6)?)?;
    let region = t.region(NAME, Results::Outputs, |t| {
        let (mut parameters, slices) = t.slices(&batched, &in_dims)?;
        parameters.iter_mut().zip(given_back).for_each(|(parameter, whole)| parameter.given_back = whole);
        let mut slices = slices.into_iter();
        let mut flat = Vec::new();
        for (&dim, &arg) in dims.iter().zip(&args) {
            let is_batched = !matches!(t.get(dim)?, Value::Const(Constant::None));
            flat.push(if is_batched { slices.next().unwrap_or(arg) } else { arg });
        }
        let flat = t.state(State::List(flat));
        let unflatten = t.of_module("torch.utils._pytree", "tree_unflatten")?;
        let called = t.call(unflatten, vec![flat, spec], vec![])?;
        let called = t.items_within(NAME, called)?;
        Ok((parameters, t.call(function, called, keywords)?))
    })?;
    t.has_tensors_alone(NAME, &region.structure)?;
    let out_dims = match t.arg(out_dims)? {
        Arg::Int(dim) => Arg::Tuple(vec![Arg::Int(dim); region.results.len()]),
        Arg::Tuple(dims)
            if dims.len() == region.results.len()
                && matches!(&region.structure, Structure::Tuple(items) if items.len() == dims.len()) =>
        {
            Arg::Tuple(dims)
        }
        _ => return Err(refused(NAME, "with `out_dims` that differ from the results")),
    };
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let none = operands.iter().map(|_| Arg::None);
    let in_dims = in_dims.iter().map(|&dim| Arg::Int(dim)).chain(none).collect();
    let mut args = vec![t.fetch_subgraph("vmap_body", body), Arg::Tuple(in_dims), out_dims, randomness];
    args.extend(nodes(&batched));
    args.extend(nodes(&operands));
    t.call_with_subgraphs("rust_inductor._higher_order.vmap", args, vec![], None, &region.structure)
}

/// Results of a call of `grad_impl` or `grad_and_value_impl`.
struct Gradient {
    /// Gradients by argument: of the one argument, or a tuple for several.
    gradients: ValueId,
    /// Output of the differentiated function.
    output: ValueId,
    /// Auxiliary output, with `has_aux=True`.
    aux: Option<ValueId>,
}

/// The core of `torch.func.grad` and `grad_and_value`.
fn gradient(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<Gradient> {
    const NAME: &str = "torch.func.grad";
    let (function, args) = (b.arg(0)?, t.items_within(NAME, b.arg(3)?)?);
    let has_aux = t.truth(b.arg(2)?)?;
    let keywords = t.keywords_within(NAME, b.arg(4)?)?;
    let by = By::of(t, NAME, &args, Some(b.arg(1)?))?;
    let region = by.region(t, NAME, function, (&args, keywords), Some(GRAD))?;
    let (output, aux) = output_and_aux(NAME, &region, has_aux)?;
    // The operator takes the first of the results for the output.
    if !matches!(output, Structure::Result(0)) {
        return Err(refused(NAME, "of a function that gives no tensor"));
    }
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let mut call = vec![t.fetch_subgraph("grad_body", body), Arg::Int(by.leaves.len() as i64)];
    call.extend(nodes(&by.leaves));
    call.extend(nodes(&operands));
    let operator = "rust_inductor._higher_order.grad_and_value";
    let given = called(t, operator, call, vec![], by.leaves.len() + region.results.len())?;
    let (gradients, results) = given.split_at(by.leaves.len());
    let gradients = by.arranged(t, &args, gradients)?;
    let output = t.built(&output, results)?;
    let aux = aux.map(|aux| t.built(&aux, results)).transpose()?;
    Ok(Gradient { gradients, output, aux })
}

/// The core of `torch.func.jacrev` and `jacfwd`: the Jacobians of each output by each tensor. Options go on to the
/// transform by their places and names.
fn jacobians(t: &mut Tracer<'_>, b: &Bound<'_>, name: &str, options: &[(usize, &str)]) -> Traced {
    let (function, args) = (b.arg(0)?, t.items_within(name, b.arg(1)?)?);
    let has_aux = t.truth(b.arg(3)?)?;
    let mut kwargs = Vec::new();
    for &(place, option) in options {
        kwargs.push((option.to_owned(), t.arg(b.arg(place)?)?));
    }
    let by = By::of(t, name, &args, Some(b.arg(2)?))?;
    let context = (name == "torch.func.jacrev").then_some(GRAD);
    let region = by.region(t, name, function, (&args, vec![]), context)?;
    let (output, aux) = output_and_aux(name, &region, has_aux)?;
    let outputs = differentiated(name, &output)?;
    let operands = t.operands(name, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let transform = Arg::Str(name.trim_start_matches("torch.func.").to_owned());
    let numbers = Arg::Tuple(outputs.iter().map(|&at| Arg::Int(at as i64)).collect());
    let count = Arg::Int(by.leaves.len() as i64);
    let mut call = vec![t.fetch_subgraph("jacobian_body", body), transform, numbers, Arg::Bool(has_aux), count];
    call.extend(nodes(&by.leaves));
    call.extend(nodes(&operands));
    let beside = if has_aux { region.results.len() } else { 0 };
    let many = outputs.len() * by.leaves.len();
    let given = called(t, "rust_inductor._higher_order.jacobians", call, kwargs, many + beside)?;
    let (given, results) = given.split_at(many);
    // A result that is no output has no Jacobian, and none asks for it.
    let mut of = vec![function; region.results.len()];
    for (&at, given) in outputs.iter().zip(given.chunks(by.leaves.len().max(1))) {
        of[at] = by.arranged(t, &args, given)?;
    }
    let output = t.built(&output, &of)?;
    let Some(aux) = aux else { return Ok(output) };
    let aux = t.built(&aux, results)?;
    Ok(t.value(Value::Tuple(vec![output, aux])))
}

/// `torch.func.jvp`: the outputs of a function, and their derivatives along tangents of its arguments.
fn jvp(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch.func.jvp";
    let (function, tangents) = (b.arg(0)?, b.arg(2)?);
    let args = match t.get(b.arg(1)?)? {
        Value::Tuple(args) => args,
        _ => return Err(refused(NAME, "with primals that are no tuple")),
    };
    let has_aux = b.opt(4).map_or(Ok(false), |flag| t.truth(flag))?;
    let strict = b.opt(3).map_or(Ok(Arg::Bool(false)), |strict| t.arg(strict))?;
    let by = By::of(t, NAME, &args, None)?;
    let tangents = t.leaves(NAME, tangents)?;
    if tangents.len() != by.leaves.len() {
        return Err(refused(NAME, "with tangents that do not match the primals"));
    }
    let region = by.region(t, NAME, function, (&args, vec![]), None)?;
    let (output, aux) = output_and_aux(NAME, &region, has_aux)?;
    let outputs = differentiated(NAME, &output)?;
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let numbers = Arg::Tuple(outputs.iter().map(|&at| Arg::Int(at as i64)).collect());
    let mut call = vec![t.fetch_subgraph("jvp_body", body), numbers, strict, Arg::Int(by.leaves.len() as i64)];
    call.extend(nodes(&by.leaves));
    call.extend(nodes(&tangents));
    call.extend(nodes(&operands));
    let all = region.results.len();
    let given = called(t, "rust_inductor._higher_order.jvp", call, vec![], outputs.len() + all)?;
    let (along, results) = given.split_at(outputs.len());
    let mut of = vec![function; all];
    outputs.iter().zip(along).for_each(|(&at, &value)| of[at] = value);
    let mut parts = vec![t.built(&output, results)?, t.built(&output, &of)?];
    if let Some(aux) = aux {
        parts.push(t.built(&aux, results)?);
    }
    Ok(t.value(Value::Tuple(parts)))
}

/// The first part of `torch.func.vjp`: output, auxiliary output, and what takes cotangents.
fn vjp(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch.func.vjp";
    let (function, args) = (b.arg(0)?, t.items_within(NAME, b.arg(1)?)?);
    let has_aux = t.truth(b.arg(2)?)?;
    let by = By::of(t, NAME, &args, None)?;
    let region = by.region(t, NAME, function, (&args, vec![]), Some(GRAD))?;
    let (output, aux) = output_and_aux(NAME, &region, has_aux)?;
    let mut outputs = Vec::new();
    if !is_of_tuples(&output, &mut outputs) || outputs.is_empty() || by.leaves.is_empty() {
        return Err(refused(NAME, "of a function that gives no tuples of tensors, each once"));
    }
    let operands = t.operands(NAME, &[&region])?;
    let body = t.subgraph(&region, &operands);
    let numbers = Arg::Tuple(outputs.iter().map(|&at| Arg::Int(at as i64)).collect());
    let mut call = vec![t.fetch_subgraph("vjp_body", body), numbers, Arg::Int(by.leaves.len() as i64)];
    call.extend(nodes(&by.leaves));
    call.extend(nodes(&operands));
    let results = called(t, "rust_inductor._higher_order.vjp", call, vec![], region.results.len())?;
    let first = if let Value::Tensor(node) = t.get(results[outputs[0]])? { Some(node) } else { None };
    let call = first.and_then(|node| t.graph.torch[node].args.first()?.as_node());
    let call = call.ok_or_else(|| refused(NAME, "whose results are unknown"))?;
    let output = t.built(&output, &results)?;
    let aux = match aux {
        Some(aux) => t.built(&aux, &results)?,
        None => t.none(),
    };
    let pullback = t.value(Value::Pullback(Rc::new(Pullback { call, args, leaves: by.leaves, output })));
    Ok(t.value(Value::Tuple(vec![output, aux, pullback])))
}

/// True for a tensor, or tuples of tensors, of which no two are one; collects the numbers of the results in order.
fn is_of_tuples(structure: &Structure, numbers: &mut Vec<usize>) -> bool {
    match structure {
        Structure::Result(at) if numbers.contains(at) => false,
        Structure::Result(at) => {
            numbers.push(*at);
            true
        }
        Structure::Tuple(items) => items.iter().all(|item| is_of_tuples(item, numbers)),
        Structure::List(_) | Structure::Dict(_) | Structure::Known(_) => false,
    }
}

/// The second part of `torch.func.vjp`: the gradients by each argument for cotangents of the output.
fn pulled_back(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    const NAME: &str = "torch.func.vjp";
    let Value::Pullback(pullback) = t.get(b.arg(0)?)? else { return Err(refused(NAME, "of another graph")) };
    if t.arg(b.arg(2)?)? != Arg::Bool(true) || t.arg(b.arg(3)?)? != Arg::None {
        return Err(refused(NAME, "with options of autograd's"));
    }
    let cotangents = b.arg(1)?;
    if !t.is_arranged_as(cotangents, pullback.output)? {
        return Err(refused(NAME, "with cotangents that do not match the output"));
    }
    let by = By::of(t, NAME, &pullback.args, None)?;
    if by.leaves != pullback.leaves {
        return Err(refused(NAME, "of arguments that have changed since"));
    }
    let cotangents = t.leaves(NAME, cotangents)?;
    let mut call = vec![Arg::Node(pullback.call)];
    call.extend(t.graph.torch[pullback.call].args.iter().cloned());
    call.extend(nodes(&cotangents));
    let gradients = called(t, "rust_inductor._higher_order.pull_back", call, vec![], by.leaves.len())?;
    by.arranged(t, &pullback.args, &gradients)
}

impl Tracer<'_> {
    /// True if a value consists of tensors where another one does, in the same tuples.
    fn is_arranged_as(&mut self, value: ValueId, other: ValueId) -> Traced<bool> {
        Ok(match (self.get(value)?, self.get(other)?) {
            (Value::Tensor(_), Value::Tensor(_)) => true,
            (Value::Tuple(items), Value::Tuple(others)) if items.len() == others.len() => {
                for (item, other) in items.into_iter().zip(others) {
                    if !self.is_arranged_as(item, other)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => false,
        })
    }
}

/// The results of a call of an operator of ours, which gives so many tensors.
fn called(
    t: &mut Tracer<'_>,
    operator: &str,
    args: Vec<Arg>,
    kwargs: Vec<(String, Arg)>,
    count: usize,
) -> Traced<Vec<ValueId>> {
    let all = Structure::Tuple((0..count).map(Structure::Result).collect());
    let given = t.call_with_subgraphs(operator, args, kwargs, None, &all)?;
    t.items_within(operator, given)
}
