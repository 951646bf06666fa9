//! Results of a graph that are in memory which the caller has, too: an input's, or that of another result. The compiled
//! graph gives the tensor whose memory it is, and each result is made a view of that, as it is in eager.
//!
//! A tensor that is the conjugate or the negative of its memory is one for the caller, too, who can ask: the graph
//! gives the memory, and the result is read by those bits.
//!
//! A view's place is what torch gives for the sizes of the graph. Where those are symbolic, it is what the shape rules
//! give for the result, in expressions that a call evaluates; torch has to agree for several assignments of the
//! symbols.

use crate::import::to_python;
use crate::names::function;
use crate::symbols::{Symbols, Values};
use crate::torch::Torch;
use fx::aten::{Aten, Packet};
use fx::passes::{Base, Given, View};
use fx::pending::Pending;
use fx::{Arg, Graph, TensorMeta};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use symshapes::{Expr, Pool, Sym};

/// A result: the number of an output; or of an input, counted from −1 down; or the same and the bits that it is read
/// by, and where the view of it lies, if it is another one, and how that is kept apart; or the calls that lead to a
/// view of another element type, or of places in a storage.
#[derive(IntoPyObject)]
pub(crate) enum ResultRow {
    Base(i64),
    Pending(i64, Bits),
    View(i64, Bits, Apart, Vec<i64>, Vec<i64>, i64),
    Symbolic(i64, Bits, Apart, Py<SymbolicPlace>),
    Called(i64, Bits, Vec<Step>),
}

/// The call of a view: the function, its arguments after the tensor, and which of several results it is.
type Step = (Py<PyAny>, Py<PyTuple>, Py<PyDict>, Option<usize>);

/// The last call on the way to a result that gives the memory of its operand, but no view of it that autograd knows as
/// one; and whether views of that call's result follow. `None` where each call gives such a view.
type Apart = Option<(&'static str, bool)>;

/// True for views of a tensor that autograd does not follow, whatever its base.
pub(crate) fn is_detached_on_the_way(path: &[View]) -> bool {
    apart(path).is_some_and(|(kind, _)| kind != UNSAFE_SPLIT)
}

const UNSAFE_SPLIT: &str = "unsafe_split";

/// The calls that share memory without being views for autograd: `detach` shares the version counter, `data` does not,
/// nor does an unsafe split, which autograd follows.
fn apart(path: &[View]) -> Apart {
    let is_detached = |view: &View| matches!(view.overload, Aten::detach_default | Aten::view_dtype);
    let is_data = |view: &View| view.overload == Aten::data_default;
    let is_split = |view: &View| {
        matches!(view.overload.packet(), Packet::unsafe_chunk | Packet::unsafe_split | Packet::unsafe_split_with_sizes)
    };
    let last = path.iter().rposition(|view| is_detached(view) || is_data(view) || is_split(view))?;
    let kind = match (path.iter().any(is_detached), path.iter().any(is_split)) {
        _ if path.iter().any(is_data) => "data",
        (true, true) => "data",
        (true, false) => "detach",
        (false, _) => UNSAFE_SPLIT,
    };
    Some((kind, last + 1 < path.len()))
}

/// A row per result of a graph; `None` where the results are the outputs.
pub(crate) type ResultRows = Option<Vec<ResultRow>>;

/// The numbers of inputs or outputs that a graph writes to, and how many of the writes their version counters see.
pub(crate) type Written = Vec<(usize, u32)>;

/// The conjugate and the negative bit of a tensor.
type Bits = (bool, bool);

fn bits(pending: Pending) -> Bits {
    (pending.conj, pending.neg)
}

/// The arguments of `as_strided`: sizes, strides and offset.
type AsStrided = (Vec<i64>, Vec<i64>, i64);

/// The place of a view whose sizes, strides or offset differ between calls.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct SymbolicPlace {
    of: Arc<(Pool, Symbols)>,
    sizes: Vec<Expr>,
    strides: Vec<Expr>,
    /// The offset of the view in its storage, and that of its base.
    starts: [Expr; 2],
}

#[pymethods]
impl SymbolicPlace {
    /// Sizes, strides and offset in a call with these arguments.
    #[expect(clippy::needless_pass_by_value, reason = "lists come from Python as vectors")]
    fn at(&self, py: Python<'_>, args: Vec<Bound<'_, PyAny>>) -> PyResult<AsStrided> {
        let values = self.of.1.read(Torch::get(py)?, &args);
        let place = values.and_then(|values| self.evaluated(&values));
        place.ok_or_else(|| PyRuntimeError::new_err("the place of a result that is a view has no value"))
    }
}

impl SymbolicPlace {
    fn evaluated(&self, values: &Values) -> Option<AsStrided> {
        let (pool, symbols) = &*self.of;
        let one = |e| pool.eval(e, &|sym| symbols.find(sym, values));
        let all = |exprs: &[Expr]| exprs.iter().map(|&e| one(e)).collect::<Option<Vec<i64>>>();
        let [start, base] = self.starts.map(one);
        Some((all(&self.sizes)?, all(&self.strides)?, start?.checked_sub(base?)?))
    }
}

/// A row per result: how it is made of the outputs of a functional graph, in which `pending` is yet to be carried out;
/// `None` where the results are the outputs. `original` is the graph that the functional one was made of, which has the
/// results themselves.
pub(crate) fn results(
    py: Python<'_>,
    graph: &Graph,
    results: &[Given],
    pending: &[Pending],
    original: &Graph,
) -> PyResult<ResultRows> {
    let of = |number: usize| pending.get(number).copied().unwrap_or_default();
    let is_output = |(number, result): (usize, &Given)| *result == Given::Output(number) && of(number) == Pending::NONE;
    if results.iter().enumerate().all(is_output) {
        return Ok(None);
    }
    let (outputs, originals) = (outputs(graph), outputs(original));
    let shared = Arc::new((graph.exprs.clone(), Symbols::of(graph)));
    let row = |(place, result): (usize, &Given)| {
        let (base, path) = match result {
            Given::Output(number) => {
                let (of, number) = (of(*number), *number as i64);
                let is_plain = of == Pending::NONE;
                return Ok(if is_plain { ResultRow::Base(number) } else { ResultRow::Pending(number, bits(of)) });
            }
            Given::View { base, path } => (*base, path),
        };
        let (number, of, of_base) = match base {
            Base::Input(number) => (-1 - number as i64, graph.placeholders().nth(number), Pending::NONE),
            Base::Output(number) => (number as i64, outputs.get(number).and_then(Arg::as_node), of(number)),
        };
        let unknown = || PyValueError::new_err("a result is a view whose place is not known");
        if of_base != Pending::NONE {
            return Err(unknown());
        }
        if path.is_empty() {
            return Ok(ResultRow::Base(number));
        }
        let base = of.and_then(|of| graph[of].tensor_meta()).ok_or_else(unknown)?;
        let pool = &graph.exprs;
        if let Some(known) = known(base, &|e| pool.as_int(e)) {
            let is_within = !path.iter().any(|view| view.overload.packet() == Packet::as_strided);
            let place = if is_within { viewed(py, base, known, path, &|e| pool.as_int(e))? } else { None };
            return Ok(match place {
                Some(((sizes, strides, offset), pending)) => {
                    ResultRow::View(number, bits(pending), apart(path), sizes, strides, offset)
                }
                None => ResultRow::Called(number, bits(Pending::NONE), steps(py, path, &|e| pool.as_int(e))?),
            });
        }
        let meta = originals.get(place).and_then(Arg::as_node).and_then(|node| original[node].tensor_meta());
        let place = symbolic(py, &shared, base, meta.ok_or_else(unknown)?, path);
        let (place, pending) = place.ok_or_else(unknown)?;
        Ok(ResultRow::Symbolic(number, bits(pending), apart(path), Py::new(py, place)?))
    };
    results.iter().enumerate().map(row).collect::<PyResult<_>>().map(Some)
}

/// The results of a graph.
fn outputs(graph: &Graph) -> &[Arg] {
    match graph.output_node().and_then(|output| graph[output].args.first()) {
        Some(Arg::Tuple(outputs) | Arg::List(outputs)) => outputs,
        _ => &[],
    }
}

/// The number of assignments of symbols, rising and falling each, that a place is compared for, and the number of those
/// for which torch has to agree.
const TRIALS: i64 = 8;
const NEEDED: usize = 2;

/// The place of a view of `base` for which the shape rules give `result`; `None` if torch has it elsewhere for the one
/// symbol that there is, or agrees for too few of the sizes that are tried.
fn symbolic(
    py: Python<'_>,
    shared: &Arc<(Pool, Symbols)>,
    base: &TensorMeta,
    result: &TensorMeta,
    path: &[View],
) -> Option<(SymbolicPlace, Pending)> {
    // Windows that are longer than the dimension are no guard's business, and eager refuses them.
    if path.iter().any(|view| view.overload.packet() == Packet::unfold) {
        return None;
    }
    let (sizes, strides) = (result.sizes.clone(), result.strides.clone());
    let place = SymbolicPlace { of: shared.clone(), sizes, strides, starts: [result.offset, base.offset] };
    let (pool, symbols) = &**shared;
    let mut agreed: Vec<Values> = Vec::new();
    let mut pending = None;
    let hints: Option<Values> = symbols.list().map(|sym| pool.symbol_hint(sym)).collect();
    let up = (0..TRIALS).map(|trial| symbols.list().zip(trial..).map(|(sym, at)| tried(pool, sym, at)).collect());
    let down = |trial| symbols.list().zip((0..=trial).rev()).map(|(sym, at)| tried(pool, sym, at)).collect();
    let down = (TRIALS..2 * TRIALS).map(down);
    for values in hints.into_iter().chain(up).chain(down) {
        let values: Values = values;
        if agreed.contains(&values) {
            continue;
        }
        let value = |e| pool.eval(e, &|sym| symbols.find(sym, &values));
        let found = viewed(py, base, known(base, &value)?, path, &value);
        // What guards rule out may be refused.
        let Ok(found) = found else { continue };
        let (found, read) = found?;
        if *pending.get_or_insert(read) != read {
            return None;
        }
        if found != place.evaluated(&values)? {
            // Only several symbols can be related by guards, which the values that are tried do not keep.
            symbols.list().nth(1)?;
            continue;
        }
        agreed.push(values);
    }
    if agreed.len() >= NEEDED { Some((place, pending?)) } else { None }
}

/// The value to try for a symbol in its range: numbers that small ones divide, each another one.
fn tried(pool: &Pool, sym: Sym, number: i64) -> i64 {
    let range = pool.symbol_range(sym);
    let least = range.lo.clamp(0, i64::MAX / 2);
    ((least + 11) / 12 * 12 + 12 * (number + 1)).min(range.hi)
}

/// The sizes and strides of a tensor, by the values of expressions.
fn known(tensor: &TensorMeta, value: &dyn Fn(Expr) -> Option<i64>) -> Option<(Vec<i64>, Vec<i64>)> {
    let all = |exprs: &[Expr]| exprs.iter().map(|&e| value(e)).collect::<Option<Vec<i64>>>();
    Some((all(&tensor.sizes)?, all(&tensor.strides)?))
}

/// The place at which torch has the view of a tensor of these sizes and strides, counted from that one's first
/// element, and what is pending in it; `None` if its elements are read as another type. torch takes the views of a
/// tensor without data.
///
/// # Errors
/// torch refuses, or an argument has no value.
fn viewed(
    py: Python<'_>,
    base: &TensorMeta,
    places: (Vec<i64>, Vec<i64>),
    path: &[View],
    value: &dyn Fn(Expr) -> Option<i64>,
) -> PyResult<Option<(AsStrided, Pending)>> {
    let empty = Torch::get(py)?.without_data(py, base.dtype, places, false)?;
    let mut view = empty.clone();
    for (function, args, kwargs, pick) in steps(py, path, value)? {
        let args = PyTuple::new(py, [vec![view], args.bind(py).iter().collect()].concat())?;
        view = function.bind(py).call(args, Some(kwargs.bind(py)))?;
        if let Some(pick) = pick {
            view = view.get_item(pick)?;
        }
    }
    let of = |name: &str| view.call_method0(name);
    if !view.getattr("dtype")?.eq(empty.getattr("dtype")?)? {
        return Ok(None);
    }
    let pending = Pending { conj: of("is_conj")?.is_truthy()?, neg: of("is_neg")?.is_truthy()? };
    Ok(Some(((of("size")?.extract()?, of("stride")?.extract()?, of("storage_offset")?.extract()?), pending)))
}

/// The calls that make a view.
///
/// # Errors
/// An argument has no value.
fn steps(py: Python<'_>, path: &[View], value: &dyn Fn(Expr) -> Option<i64>) -> PyResult<Vec<Step>> {
    let given = |arg: &Arg| {
        let mut is_known = true;
        let arg = arg.map_exprs(&mut |e| {
            value(e).map_or_else(
                || {
                    is_known = false;
                    Arg::None
                },
                Arg::Int,
            )
        });
        if is_known { to_python(py, &arg, &[]) } else { Err(PyValueError::new_err("an argument without a value")) }
    };
    let step = |view: &View| {
        let args = view.args.iter().map(given).collect::<PyResult<Vec<_>>>()?;
        let kwargs = PyDict::new(py);
        for (name, arg) in &view.kwargs {
            kwargs.set_item(name, given(arg)?)?;
        }
        let function = function(py, view.overload.target())?;
        Ok((function.unbind(), PyTuple::new(py, args)?.unbind(), kwargs.unbind(), view.pick))
    };
    path.iter().map(step).collect()
}
