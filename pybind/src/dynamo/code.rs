//! Conversion of code objects to plain data and back.
//!
//! A constant without a plain counterpart is opaque, under its place in a table that goes with the code object and
//! those nested in it.

use super::constant;
use dynamo_core::bytecode::{CodeObject, Const};
use dynamo_core::constant::code_constant;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCode, PyComplex, PyFrozenSet, PySlice, PyString, PyTuple};

/// A code object as plain data; objects among its constants are added to `table`.
pub(super) fn read<'py>(code: &Bound<'py, PyAny>, table: &mut Vec<Bound<'py, PyAny>>) -> PyResult<CodeObject> {
    let py = code.py();
    let number = |name| code.getattr(name)?.extract::<u32>();
    let text = |name| code.getattr(name)?.extract::<String>();
    let names = |name| code.getattr(name)?.extract::<Vec<String>>();
    let bytes = |name| Ok::<_, PyErr>(code.getattr(name)?.cast::<PyBytes>()?.as_bytes().to_vec());
    let consts = code.getattr(intern!(py, "co_consts"))?;
    let consts = consts.cast::<PyTuple>()?.iter();
    Ok(CodeObject {
        argcount: number("co_argcount")?,
        posonlyargcount: number("co_posonlyargcount")?,
        kwonlyargcount: number("co_kwonlyargcount")?,
        flags: number("co_flags")?,
        stacksize: number("co_stacksize")?,
        firstlineno: code.getattr(intern!(py, "co_firstlineno"))?.extract()?,
        name: text("co_name")?,
        qualname: text("co_qualname")?,
        filename: text("co_filename")?,
        varnames: names("co_varnames")?,
        cellvars: names("co_cellvars")?,
        freevars: names("co_freevars")?,
        names: names("co_names")?,
        consts: consts.map(|value| read_const(&value, table)).collect::<PyResult<_>>()?,
        code: bytes("co_code")?,
        linetable: bytes("co_linetable")?,
        exceptiontable: bytes("co_exceptiontable")?,
    })
}

fn read_const<'py>(value: &Bound<'py, PyAny>, table: &mut Vec<Bound<'py, PyAny>>) -> PyResult<Const> {
    if value.is_instance_of::<PyCode>() {
        return Ok(Const::Code(Box::new(read(value, table)?)));
    }
    // Another frozen set of the same items may give them in another order.
    let plain = if value.is_instance_of::<PyFrozenSet>() { None } else { read_plain(value)? };
    Ok(plain.unwrap_or_else(|| {
        table.push(value.clone());
        Const::Opaque(table.len() as u32 - 1)
    }))
}

/// A constant with a plain counterpart, slices and tuples with slices included.
fn read_plain(value: &Bound<'_, PyAny>) -> PyResult<Option<Const>> {
    if let Some(plain) = constant::read(value).and_then(|constant| code_constant(&constant)) {
        return Ok(Some(plain));
    }
    if let Ok(items) = value.cast_exact::<PyTuple>() {
        let items: Option<Vec<Const>> = items.iter().map(|item| read_plain(&item)).collect::<PyResult<_>>()?;
        return Ok(items.map(Const::Tuple));
    }
    if !value.is_exact_instance_of::<PySlice>() {
        return Ok(None);
    }
    let part = |name| read_plain(&value.getattr(name)?);
    let parts = (part("start")?, part("stop")?, part("step")?);
    let (Some(start), Some(stop), Some(step)) = parts else { return Ok(None) };
    Ok(Some(Const::Slice(Box::new([start, stop, step]))))
}

/// Gives the object of an opaque constant.
pub(super) type Opaque<'a, 'py> = &'a dyn Fn(u32) -> PyResult<Bound<'py, PyAny>>;

/// Gives the code object that is to stand for one among the constants.
pub(super) type Nested<'a, 'py> = &'a dyn Fn(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>;

/// A code object of plain data.
pub(super) fn write<'py>(
    py: Python<'py>,
    code: &CodeObject,
    opaque: Opaque<'_, 'py>,
    nested: Nested<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let consts =
        code.consts.iter().map(|value| write_const(py, value, opaque, nested)).collect::<PyResult<Vec<_>>>()?;
    let names = |names: &[String]| PyTuple::new(py, names);
    let args = (
        (code.argcount, code.posonlyargcount, code.kwonlyargcount, code.varnames.len(), code.stacksize, code.flags),
        (PyBytes::new(py, &code.code), PyTuple::new(py, consts)?, names(&code.names)?, names(&code.varnames)?),
        (&code.filename, &code.name, &code.qualname, code.firstlineno),
        (PyBytes::new(py, &code.linetable), PyBytes::new(py, &code.exceptiontable)),
        (names(&code.freevars)?, names(&code.cellvars)?),
    );
    let args = args.into_pyobject(py)?;
    let mut flat = Vec::new();
    for group in args.iter() {
        flat.extend(group.cast::<PyTuple>()?.iter());
    }
    py.get_type::<PyCode>().call1(PyTuple::new(py, flat)?)
}

fn write_const<'py>(
    py: Python<'py>,
    value: &Const,
    opaque: Opaque<'_, 'py>,
    nested: Nested<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let all =
        |items: &[Const]| items.iter().map(|item| write_const(py, item, opaque, nested)).collect::<PyResult<Vec<_>>>();
    Ok(match value {
        Const::None => py.None().into_bound(py),
        Const::Ellipsis => py.Ellipsis().into_bound(py),
        Const::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Const::Int(value) => value.into_pyobject(py)?.into_any(),
        Const::BigInt(digits) => py.import("builtins")?.getattr("int")?.call1((digits,))?,
        Const::Float(value) => value.into_pyobject(py)?.into_any(),
        Const::Complex(re, im) => PyComplex::from_doubles(py, *re, *im).into_any(),
        Const::Str(text) => PyString::new(py, text).into_any(),
        Const::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Const::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        Const::FrozenSet(items) => PyFrozenSet::new(py, all(items)?)?.into_any(),
        Const::Slice(parts) => py.get_type::<PySlice>().call1(PyTuple::new(py, all(&parts[..])?)?)?,
        Const::Code(code) => nested(write(py, code, opaque, nested)?)?,
        Const::Opaque(index) => opaque(*index)?,
    })
}
