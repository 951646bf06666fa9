//! Graphs as test cases: for given sizes, with random inputs, and whether results agree with the interpreter's.

use crate::heap::{HeapProgram, PlanError};
use crate::rng::Rng;
use fx::{Arg, Graph, Meta, Scalar};
use fx_interp::{self as interp, InterpError, Tensor, Value};
use inductor::Compiled;
use inductor::backend::Backend;
use inductor::plan::verify::verify;
use inductor::plan::{Call, Epilogue, Plan};
use std::collections::HashMap;
use symshapes::{DType, Expr};

/// The tolerance between a float and the interpreter's, as a part of the largest in the graph: sums of sums multiply
/// what their terms have lost.
const TOLERANCE: f64 = 1e-4;

/// The graph for values of its symbols, by name.
pub fn at(graph: &Graph, values: &[(&str, i64)]) -> Graph {
    let mut at = graph.clone();
    let value = |sym| values.iter().find(|(name, _)| *name == graph.exprs.name(sym)).map(|&(_, value)| value);
    let number = |e| graph.exprs.eval(e, &value).expect("every symbol has a value");
    for node in graph.nodes() {
        if let Some(Meta::Tensor(meta)) = &graph[node].meta {
            let mut meta = meta.clone();
            meta.sizes.iter_mut().chain(&mut meta.strides).for_each(|e| *e = at.exprs.int(number(*e)));
            at[node].meta = Some(Meta::Tensor(meta));
        } else if let Some(Meta::Int(e)) = graph[node].meta {
            at[node].meta = Some(Meta::Int(at.exprs.int(number(e))));
        } else {
            at[node].meta = None;
        }
        for arg in at[node].all_args_mut() {
            fix(arg, &number);
        }
    }
    at
}

/// Replaces symbolic ints.
fn fix(arg: &mut Arg, number: &impl Fn(Expr) -> i64) {
    match arg {
        Arg::Sym(e) => *arg = Arg::Int(number(*e)),
        Arg::List(items) | Arg::Tuple(items) => items.iter_mut().for_each(|item| fix(item, number)),
        _ => {}
    }
}

/// Random inputs of a graph: floats are small multiples of 1/8, integers lie between −2 and 2 (so that they are good
/// indices into three or more elements).
pub fn inputs(graph: &Graph, seed: u64) -> Vec<Value> {
    let mut rng = Rng::new(seed);
    let one = |node| match &graph[node].meta {
        Some(Meta::Tensor(meta)) => {
            let number = |&e| graph.exprs.as_int(e).expect("sizes are numbers") as usize;
            let (sizes, strides): (Vec<usize>, Vec<usize>) =
                (meta.sizes.iter().map(number).collect(), meta.strides.iter().map(number).collect());
            // Where a dimension repeats elements these are the same ones.
            let place = |index: &[usize]| index.iter().zip(&strides).map(|(i, s)| i * s).sum::<usize>();
            let mut elements: HashMap<usize, Scalar> = HashMap::new();
            Value::Tensor(Tensor::from_fn(meta.dtype, &sizes, |index| {
                *elements.entry(place(index)).or_insert_with(|| element(&mut rng, meta.dtype))
            }))
        }
        Some(Meta::Int(e)) => Value::Plain(Arg::Int(graph.exprs.as_int(*e).expect("sizes are numbers"))),
        Some(Meta::Plain(arg)) => Value::Plain(arg.clone()),
        other => panic!("an input of {other:?}"),
    };
    graph.placeholders().map(one).collect()
}

fn element(rng: &mut Rng, dtype: DType) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Int(rng.below(2) as i64),
        _ if dtype.is_float() => Scalar::Float(rng.between(-24, 24) as f64 / 8.0),
        DType::U8 => Scalar::Int(rng.between(0, 2)),
        _ => Scalar::Int(rng.between(-2, 2)),
    }
}

/// Runs what was compiled of a graph for values of its symbols, and compares with the
/// interpreter; an operator that this does not know is no difference but is told.
///
/// # Errors
/// The first difference.
pub fn check(
    graph: &Graph,
    backend: &dyn Backend,
    compiled: &Compiled,
    values: &[(&str, i64)],
    seed: u64,
) -> Result<Option<InterpError>, String> {
    let concrete = at(graph, values);
    let inputs = inputs(&concrete, seed);
    let (want, scale) = match (interp::run(&concrete, &inputs), largest(&concrete, &inputs)) {
        (Ok(want), Ok(scale)) => (want, scale),
        (Err(error), _) | (_, Err(error)) => return Ok(Some(error)),
    };
    let value = |sym| values.iter().find(|(name, _)| *name == graph.exprs.name(sym)).map(|&(_, value)| value);
    let modes = |plan: &Plan, call: &Call, epilogue: &Epilogue| backend.epilogue_mode(plan, call, epilogue);
    let plan = compiled.plan.fused_at(&value, &modes).map_err(|error| error.to_string())?;
    verify(&plan).map_err(|error| format!("{error}\n{plan}"))?;
    let got = execute(backend, compiled, &plan, &inputs).map_err(|error| error.to_string())?;
    if got.len() != want.len() {
        return Err(format!("{} outputs, not {}", got.len(), want.len()));
    }
    for (number, (got, want)) in got.iter().zip(&want).enumerate() {
        same(got, want, scale).map_err(|error| format!("output {number}: {error}\n{plan}"))?;
    }
    Ok(None)
}

/// Runs the plan for the sizes of its inputs on them.
///
/// # Errors
/// As [`HeapProgram::run`].
pub fn execute(
    backend: &dyn Backend,
    compiled: &Compiled,
    plan: &Plan,
    inputs: &[Value],
) -> Result<Vec<Value>, PlanError> {
    // Sizes that are not typical may need others.
    let compile = |id| backend.compile(std::slice::from_ref(&plan.kernels[id])).ok()?.pop();
    let find = |id| compiled.code.launched.get(&id).cloned().or_else(|| compile(id));
    let program = HeapProgram::new(backend, plan, &find).map_err(|error| PlanError::Other(error.to_string()))?;
    program.run(inputs, 2)
}

/// The largest finite float that occurs anywhere in the graph, or 1.
fn largest(graph: &Graph, inputs: &[Value]) -> Result<f64, InterpError> {
    let mut all = graph.clone();
    if let Some(output) = all.output_node() {
        let nodes = all.nodes().filter(|&n| n != output).map(Arg::Node).collect();
        all[output].args = vec![Arg::Tuple(nodes)];
    }
    let mut largest = 1.0;
    interp::run(&all, inputs)?.iter().for_each(|value| widen(value, &mut largest));
    Ok(largest)
}

fn widen(value: &Value, largest: &mut f64) {
    match value {
        Value::Tensor(t) if t.dtype().is_float() => {
            *largest = t.floats().into_iter().map(f64::abs).filter(|x| x.is_finite()).fold(*largest, f64::max);
        }
        Value::Tuple(items) => items.iter().for_each(|v| widen(v, largest)),
        _ => {}
    }
}

fn same(got: &Value, want: &Value, scale: f64) -> Result<(), String> {
    let (Value::Tensor(got), Value::Tensor(want)) = (got, want) else {
        return if got == want { Ok(()) } else { Err(format!("{got:?}, not {want:?}")) };
    };
    if got.dtype() != want.dtype() || got.sizes() != want.sizes() {
        let shape = |t: &Tensor| format!("{}{:?}", t.dtype(), t.sizes());
        return Err(format!("{}, not {}", shape(got), shape(want)));
    }
    let bound = scale * if got.dtype().size() < 4 { 1e-2 } else { TOLERANCE };
    let close = |a: Scalar, b: Scalar| match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a == b || (a - b).abs() <= bound || (a.is_nan() && b.is_nan()),
        (a, b) => a == b,
    };
    match got.values().zip(want.values()).enumerate().find(|(_, (a, b))| !close(*a, *b)) {
        Some((at, (a, b))) => Err(format!("element {at}: {a}, not {b}")),
        None => Ok(()),
    }
}
