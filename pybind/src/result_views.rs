//! Results of a graph that are in memory which the caller has, too: an input's, or that of another result. The compiled
//! graph gives the tensor whose memory it is, and each result is made a view of that, as it is in eager.

use crate::fx_module::function;
use crate::import::to_python;
use crate::torch::Torch;
use fx::passes::{Base, Given, View};
use fx::{Arg, Graph, TensorMeta};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use symshapes::{Expr, Pool};

/// A result: the number of an output; or of an input, counted from −1 down; or the same and where the view of it lies.
#[derive(IntoPyObject)]
pub(crate) enum ResultRow {
    Base(i64),
    View(i64, Vec<i64>, Vec<i64>, i64),
}

/// How results are made of the graph's outputs; `None` where they are these.
pub(crate) fn results(py: Python<'_>, graph: &Graph, results: &[Given]) -> PyResult<Option<Vec<ResultRow>>> {
    if results.iter().enumerate().all(|(number, result)| *result == Given::Output(number)) {
        return Ok(None);
    }
    let outputs = match graph.output_node().and_then(|output| graph[output].args.first()) {
        Some(Arg::Tuple(outputs)) => outputs.as_slice(),
        _ => &[],
    };
    let row = |result: &Given| {
        let (base, path) = match result {
            Given::Output(number) => return Ok(ResultRow::Base(*number as i64)),
            Given::View { base, path } => (*base, path),
        };
        let (number, of) = match base {
            Base::Input(number) => (-1 - number as i64, graph.placeholders().nth(number)),
            Base::Output(number) => (number as i64, outputs.get(number).and_then(Arg::as_node)),
        };
        if path.is_empty() {
            return Ok(ResultRow::Base(number));
        }
        let meta = of.and_then(|of| graph[of].tensor_meta());
        let placed = meta.map(|meta| place(py, &graph.exprs, meta, path)).transpose()?.flatten();
        let (sizes, strides, offset) =
            placed.ok_or_else(|| PyValueError::new_err("a result is a view whose place is not known"))?;
        Ok(ResultRow::View(number, sizes, strides, offset))
    };
    results.iter().map(row).collect::<PyResult<_>>().map(Some)
}

/// Sizes, strides and offset.
type Place = (Vec<i64>, Vec<i64>, i64);

/// Where the view of a tensor lies, counted from that one's first element; `None` if that differs between calls, or
/// its elements are read as another type, conjugated or negated. torch takes the views of a tensor without data.
fn place(py: Python<'_>, pool: &Pool, base: &TensorMeta, path: &[View]) -> PyResult<Option<Place>> {
    let known = |exprs: &[Expr]| exprs.iter().map(|&e| pool.as_int(e)).collect::<Option<Vec<i64>>>();
    let (Some(sizes), Some(strides)) = (known(&base.sizes), known(&base.strides)) else { return Ok(None) };
    let empty = Torch::get(py)?.without_data(py, base.dtype, (sizes, strides), false)?;
    let mut view = empty.clone();
    for step in path {
        let args = step.args.iter().map(|arg| to_python(py, arg, &[])).collect::<PyResult<Vec<_>>>()?;
        let kwargs = PyDict::new(py);
        for (name, arg) in &step.kwargs {
            kwargs.set_item(name, to_python(py, arg, &[])?)?;
        }
        let args = PyTuple::new(py, [vec![view], args].concat())?;
        view = function(py, &step.overload.target())?.call(args, Some(&kwargs))?;
        if let Some(pick) = step.pick {
            view = view.get_item(pick)?;
        }
    }
    let of = |name: &str| view.call_method0(name);
    let is_read_otherwise = of("is_conj")?.is_truthy()? || of("is_neg")?.is_truthy()?;
    if is_read_otherwise || !view.getattr("dtype")?.eq(empty.getattr("dtype")?)? {
        return Ok(None);
    }
    Ok(Some((of("size")?.extract()?, of("stride")?.extract()?, of("storage_offset")?.extract()?)))
}
