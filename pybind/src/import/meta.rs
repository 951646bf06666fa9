//! The metadata of a node's value, from `node.meta["val"]`.

use super::Importer;
use super::number::number;
use fx::{Arg, Meta, TensorMeta};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple};
use symshapes::{Device, DeviceKind, Expr, Range};

/// The prefixes of torch's names of symbolic floats: of backed ones, and of those whose values depend on data.
const FLOATS: [&str; 2] = ["zf", "zuf"];

impl<'py> Importer<'py> {
    /// The metadata of a value; `None` for what is no strided tensor of a known dtype, number, or tuple.
    pub(super) fn meta(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Meta>> {
        if value.is_instance(self.torch.tensor.bind(self.py))? {
            return Ok(self.tensor_meta(value)?.map(Meta::Tensor));
        }
        if value.is_instance(self.torch.sym_int.bind(self.py))? {
            return Ok(self.sym_expr(value)?.map(Meta::Int));
        }
        if value.is_instance(self.torch.sym_float.bind(self.py))? {
            let text = self.sym_text(value)?;
            return Ok(self.into.graph.exprs.parse_float(&text).ok().map(Meta::Float));
        }
        if value.is_instance(self.torch.sym_bool.bind(self.py))? {
            let text = self.sym_text(value)?;
            return Ok(self.into.graph.exprs.parse_pred(&text).ok().map(Meta::Bool));
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.tuple_meta(tuple.iter());
        }
        if let Ok(list) = value.cast::<PyList>() {
            return self.tuple_meta(list.iter());
        }
        if value.is_none() {
            return Ok(Some(Meta::Plain(Arg::None)));
        }
        Ok(match number(value)? {
            Some(Arg::Int(v)) => Some(Meta::Int(self.into.graph.exprs.int(v))),
            other => other.map(Meta::Plain),
        })
    }

    fn tuple_meta(&mut self, values: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Option<Meta>> {
        let parts = values.map(|v| if v.is_none() { Ok(None) } else { self.meta(&v) });
        Ok(Some(Meta::Tuple(parts.collect::<PyResult<_>>()?)))
    }

    fn tensor_meta(&mut self, tensor: &Bound<'py, PyAny>) -> PyResult<Option<TensorMeta>> {
        let (py, torch) = (self.py, self.torch);
        let plain = torch.is_plain_tensor(tensor) || tensor.get_type().is(torch.fake_tensor.bind(py));
        if !plain || !tensor.getattr(intern!(py, "layout"))?.is(torch.strided.bind(py)) {
            return Ok(None);
        }
        let Some(dtype) = torch.dtype_of(&tensor.getattr(intern!(py, "dtype"))?) else { return Ok(None) };
        let device = device(&tensor.getattr(intern!(py, "device"))?)?;
        let Some(sizes) = self.dims(&tensor.getattr(intern!(py, "shape"))?)? else { return Ok(None) };
        let Some(strides) = self.dims(&tensor.call_method0(intern!(py, "stride"))?)? else { return Ok(None) };
        let Some(offset) = self.dim(&tensor.call_method0(intern!(py, "storage_offset"))?)? else { return Ok(None) };
        let requires_grad = tensor.getattr(intern!(py, "requires_grad"))?.extract()?;
        Ok(Some(TensorMeta { dtype, device, sizes, strides, offset, requires_grad }))
    }

    fn dims(&mut self, tuple: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Expr>>> {
        tuple.cast::<PyTuple>()?.iter_borrowed().map(|v| self.dim(&v)).collect()
    }

    fn dim(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Expr>> {
        if value.cast::<PyInt>().is_ok() {
            return Ok(Some(self.into.graph.exprs.int(value.extract()?)));
        }
        self.sym_expr(value)
    }

    /// The expression of a `SymInt`. One that cannot be read is an obstacle.
    pub(super) fn sym_expr(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Expr>> {
        let py = self.py;
        let node = value.getattr(intern!(py, "node"))?;
        let sympy = node.getattr(intern!(py, "expr"))?;
        let text = sympy.str()?;
        let text = text.cast::<PyString>()?.to_str()?;
        if let Some(known) = self.exprs.get(text) {
            return Ok(*known);
        }
        for symbol in sympy.getattr(intern!(py, "free_symbols"))?.try_iter()? {
            self.symbol(&symbol?, &node.getattr(intern!(py, "shape_env"))?)?;
        }
        let parsed = self.into.graph.exprs.parse(text).map_err(|error| format!("symbolic size: {error}"));
        if let Err(why) = &parsed {
            self.obstacle(|| why.clone());
        }
        let expr = parsed.ok();
        self.exprs.insert(text.to_owned(), expr);
        Ok(expr)
    }

    /// The text of a symbolic float or bool, whose symbols are made.
    fn sym_text(&mut self, value: &Bound<'py, PyAny>) -> PyResult<String> {
        let py = self.py;
        let node = value.getattr(intern!(py, "node"))?;
        let sympy = node.getattr(intern!(py, "expr"))?;
        for symbol in sympy.getattr(intern!(py, "free_symbols"))?.try_iter()? {
            self.symbol(&symbol?, &node.getattr(intern!(py, "shape_env"))?)?;
        }
        sympy.str()?.extract()
    }

    /// A symbol as torch's shape environment knows it: its range, and the value that it was traced with.
    fn symbol(&mut self, symbol: &Bound<'py, PyAny>, env: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = self.py;
        let pool = &mut self.into.graph.exprs;
        let name = symbol.str()?;
        let name = name.cast::<PyString>()?.to_str()?;
        if pool.find(name).is_some() {
            return Ok(());
        }
        if FLOATS.iter().any(|start| name.starts_with(start)) {
            pool.float_symbol(name);
            return Ok(());
        }
        let mut range = Range::ALL;
        let ranges = env.getattr(intern!(py, "var_to_range"))?;
        if let Ok(stated) = ranges.get_item(symbol) {
            // What is no number of ours is an infinity.
            let bound = |name| stated.getattr(name).and_then(|b| b.call_method0("__int__")).and_then(|b| b.extract());
            range = Range::new(bound("lower").unwrap_or(i64::MIN), bound("upper").unwrap_or(i64::MAX));
        }
        let sym = pool.symbol(name, range);
        let hints = env.getattr(intern!(py, "backed_var_to_val"))?;
        if let Ok(Ok(hint)) = hints.get_item(symbol).map(|value| value.call_method0("__int__")?.extract()) {
            pool.set_hint(sym, hint);
        }
        Ok(())
    }
}

/// A `torch.device`.
pub(super) fn device(value: &Bound<'_, PyAny>) -> PyResult<Device> {
    let py = value.py();
    let kind = value.getattr(intern!(py, "type"))?;
    let kind = match kind.cast::<PyString>()?.to_str()? {
        "cpu" => return Ok(Device::CPU),
        "cuda" => DeviceKind::Cuda,
        "meta" => DeviceKind::Meta,
        _ => DeviceKind::Other,
    };
    Ok(Device { kind, index: value.getattr(intern!(py, "index"))?.extract()? })
}
