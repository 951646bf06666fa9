//! Library kernels that are called through libtorch's generated C shim, a row each.
//!
//! A row states the C signature by the kinds of its parameters, in the order of the ATen schema; a test holds every row
//! against its schema. The generated shims carry no signature check, so they are used only on releases of torch that
//! were tried (`Torch::tried`); on others the same call goes through Python.

use crate::torch::{RawTensor, Shim};
use fx::aten::Aten;
use inductor::plan::{Call, CallArg, View};
use std::ffi::c_void;
use std::{mem, ptr};

/// The kinds of parameters, by their C types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `AtenTensorHandle`
    Tensor,
    /// `AtenTensorHandle*`, null for none.
    OptTensor,
    /// `const int64_t*, int64_t`
    Ints,
    /// `const int64_t**, int64_t`, null for none.
    OptInts,
    /// `const int32_t*, int64_t`: a list of bool.
    Bools,
    /// `int64_t`
    Int,
    /// `int64_t*`, null for none.
    OptInt,
    /// `int32_t`
    Bool,
    /// `int32_t*`, null for none.
    OptBool,
    /// `double`
    Float,
    /// `double*`, null for none.
    OptFloat,
}

/// A parameter's value, ready for C.
#[derive(Debug)]
pub(crate) enum Value {
    /// The tensor of the call with this number.
    Tensor(usize),
    /// Null.
    None,
    /// Integers, and the address of the first.
    Ints(Box<[i64]>, *const i64),
    /// Bools.
    Bools(Box<[i32]>),
    /// An integer.
    Int(i64),
    /// A bool.
    Bool(i32),
    /// A float.
    Float(f64),
}

// SAFETY: the address in `Ints` is that of the box beside it, which is never written to.
unsafe impl Send for Value {}
// SAFETY: as above.
unsafe impl Sync for Value {}

/// The arguments of one call: the values, and the tensors among them.
#[derive(Clone, Copy)]
pub(crate) struct Actual<'a> {
    values: &'a [Value],
    tensors: &'a [RawTensor],
}

/// The ways in which a shim returns its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// It writes into the tensor that is its first parameter.
    Out,
    /// It stores new handles through its last parameters.
    New,
}

/// One shim.
pub(crate) struct Row {
    /// The operator.
    pub(crate) op: Aten,
    /// The function, NUL-terminated.
    symbol: &'static str,
    /// The way in which results are returned.
    pub(crate) form: Form,
    /// The parameters.
    kinds: &'static [Kind],
    /// The number of results.
    pub(crate) results: usize,
    invoke: unsafe fn(*const c_void, Actual<'_>, *mut RawTensor) -> i32,
}

/// A shim, found.
#[derive(Clone, Copy)]
pub(crate) struct Extern {
    pub(crate) row: &'static Row,
    address: *const c_void,
}

// SAFETY: the address is that of a function.
unsafe impl Send for Extern {}
// SAFETY: as above.
unsafe impl Sync for Extern {}

impl Extern {
    /// Calls it; `results` are read (`Form::Out`) or written (`Form::New`).
    ///
    /// # Safety
    /// `values` were bound by [`bind`] for this row; `tensors` has a live handle for each that it took; `results` has
    /// the row's number of elements, for `Form::Out` live handles.
    pub(crate) unsafe fn call(&self, values: &[Value], tensors: &[RawTensor], results: &mut [RawTensor]) -> i32 {
        debug_assert_eq!(results.len(), self.row.results);
        // SAFETY: the address was found under the row's symbol; the caller vouches for the rest.
        unsafe { (self.row.invoke)(self.address, Actual { values, tensors }, results.as_mut_ptr()) }
    }
}

/// True for an operator with a row.
#[cfg(test)]
pub(crate) fn has_row(op: Aten) -> bool {
    ROWS.iter().any(|row| row.op == op)
}

/// The shim for a call and its bound arguments, if there is one and the arguments fit it.
pub(crate) fn find(call: &Call, take: &mut dyn FnMut(&View)) -> Option<(Extern, Vec<Value>)> {
    let row = ROWS.iter().find(|row| call.target == row.op)?;
    let values = bind(row, call, take)?;
    let address = Shim::get().find(row.symbol)?;
    Some((Extern { row, address }, values))
}

/// Binds a call's arguments to a row's parameters, with the schema's names and defaults.
fn bind(row: &Row, call: &Call, take: &mut dyn FnMut(&View)) -> Option<Vec<Value>> {
    let schema = &row.op.overload().schema;
    if call.args.len() > schema.params.len() || call.results.len() > row.results {
        return None;
    }
    let known = |name: &String| schema.position(name).is_some_and(|at| at >= call.args.len());
    if !call.kwargs.iter().all(|(name, _)| known(name)) {
        return None;
    }
    let mut taken = 0..;
    let values = schema.params.iter().zip(row.kinds).enumerate().map(|(at, (param, &kind))| {
        let given = call.args.get(at).or_else(|| call.kwargs.iter().find(|(n, _)| *n == param.name).map(|(_, v)| v));
        let repeat = match param.ty.required() {
            fx::aten::Type::List(_, Some(n)) => *n,
            _ => 1,
        };
        match (given, &param.default) {
            (Some(CallArg::Tensor(v)), _) if matches!(kind, Kind::Tensor | Kind::OptTensor) => {
                take(v);
                taken.next().map(Value::Tensor)
            }
            (Some(arg), _) => plain(kind, &as_plain(arg)?, repeat),
            (None, Some(default)) => plain(kind, default, repeat),
            (None, None) => None,
        }
    });
    values.collect()
}

/// An argument without tensors and objects.
fn as_plain(arg: &CallArg) -> Option<fx::Arg> {
    match arg {
        CallArg::Plain(arg) => Some(arg.clone()),
        CallArg::List(items) => Some(fx::Arg::List(items.iter().map(as_plain).collect::<Option<_>>()?)),
        CallArg::Tensor(_) | CallArg::Object(_) => None,
    }
}

fn plain(kind: Kind, arg: &fx::Arg, repeat: usize) -> Option<Value> {
    use fx::Arg;
    let ints = |list: Vec<i64>| {
        let list = list.into_boxed_slice();
        let start = list.as_ptr();
        Value::Ints(list, start)
    };
    Some(match (kind, arg) {
        (Kind::OptTensor | Kind::OptInts | Kind::OptInt | Kind::OptBool | Kind::OptFloat, Arg::None) => Value::None,
        (Kind::Ints | Kind::OptInts, Arg::Int(v)) => ints(vec![*v; repeat]),
        (Kind::Ints | Kind::OptInts, Arg::List(_) | Arg::Tuple(_)) => ints(arg.as_int_list()?),
        (Kind::Bools, Arg::List(_) | Arg::Tuple(_)) => {
            Value::Bools(arg.as_list()?.iter().map(|v| v.as_bool().map(i32::from)).collect::<Option<_>>()?)
        }
        (Kind::Int | Kind::OptInt, Arg::Int(v)) => Value::Int(*v),
        (Kind::Bool | Kind::OptBool, Arg::Bool(v)) => Value::Bool((*v).into()),
        (Kind::Float | Kind::OptFloat, Arg::Float(_) | Arg::Int(_)) => Value::Float(arg.as_float()?),
        _ => return None,
    })
}

impl Actual<'_> {
    fn tensor(self, i: usize) -> RawTensor {
        if let Value::Tensor(number) = self.values[i] { self.tensors[number] } else { ptr::null_mut() }
    }

    fn opt_tensor(self, i: usize) -> *const RawTensor {
        if let Value::Tensor(number) = self.values[i] { &raw const self.tensors[number] } else { ptr::null() }
    }

    fn ints(self, i: usize) -> (*const i64, i64) {
        match &self.values[i] {
            Value::Ints(list, start) => (*start, list.len() as i64),
            _ => (ptr::null(), 0),
        }
    }

    fn opt_ints(self, i: usize) -> (*const *const i64, i64) {
        match &self.values[i] {
            Value::Ints(list, start) => (&raw const *start, list.len() as i64),
            _ => (ptr::null(), 0),
        }
    }

    fn bools(self, i: usize) -> (*const i32, i64) {
        match &self.values[i] {
            Value::Bools(list) => (list.as_ptr(), list.len() as i64),
            _ => (ptr::null(), 0),
        }
    }

    fn int(self, i: usize) -> i64 {
        if let Value::Int(v) = self.values[i] { v } else { 0 }
    }

    fn opt_int(self, i: usize) -> *const i64 {
        if let Value::Int(v) = &self.values[i] { v } else { ptr::null() }
    }

    fn bool(self, i: usize) -> i32 {
        if let Value::Bool(v) = self.values[i] { v } else { 0 }
    }

    fn opt_bool(self, i: usize) -> *const i32 {
        if let Value::Bool(v) = &self.values[i] { v } else { ptr::null() }
    }

    fn float(self, i: usize) -> f64 {
        if let Value::Float(v) = self.values[i] { v } else { 0.0 }
    }

    fn opt_float(self, i: usize) -> *const f64 {
        if let Value::Float(v) = &self.values[i] { v } else { ptr::null() }
    }
}

/// Calls `$f` with the C arguments of the kinds that are left, taken from `$a` in order, then the addresses of new
/// results.
macro_rules! invoke {
    (($f:ident $a:ident $i:ident $r:ident) ($($t:ty,)*) ($($e:expr,)*)) => {{
        // SAFETY: the row states the type that torch's header declares; see `Extern::call`.
        let f = unsafe { mem::transmute::<*const c_void, unsafe extern "C" fn($($t),*) -> i32>($f) };
        // SAFETY: as above; where the result is read (`Form::Out`), there is one.
        unsafe { f($($e),*) }
    }};
    (($($c:ident)*) ($($t:ty,)*) ($($e:expr,)*) $kind:ident $($rest:tt)*) => {
        invoke!(@$kind ($($c)*) ($($t,)*) ($($e,)*) $($rest)*)
    };
    (@Tensor $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one tensor RawTensor; $c $t $e $($rest)*) };
    (@OptTensor $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one opt_tensor *const RawTensor; $c $t $e $($rest)*) };
    (@Ints $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@two ints *const i64; $c $t $e $($rest)*) };
    (@OptInts $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@two opt_ints *const *const i64; $c $t $e $($rest)*) };
    (@Bools $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@two bools *const i32; $c $t $e $($rest)*) };
    (@Int $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one int i64; $c $t $e $($rest)*) };
    (@OptInt $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one opt_int *const i64; $c $t $e $($rest)*) };
    (@Bool $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one bool i32; $c $t $e $($rest)*) };
    (@OptBool $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one opt_bool *const i32; $c $t $e $($rest)*) };
    (@Float $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one float f64; $c $t $e $($rest)*) };
    (@OptFloat $c:tt $t:tt $e:tt $($rest:tt)*) => { invoke!(@one opt_float *const f64; $c $t $e $($rest)*) };
    // The tensor that is written into comes first.
    (@Out ($f:ident $a:ident $i:ident $r:ident) ($($t:ty,)*) ($($e:expr,)*) $($rest:tt)*) => {
        invoke!(($f $a $i $r) ($($t,)* RawTensor,) ($($e,)* *$r,) $($rest)*)
    };
    // One more new result: `next` of the result counter, which shares `$i` after the parameters.
    (@New ($f:ident $a:ident $i:ident $r:ident) ($($t:ty,)*) ($($e:expr,)*) $($rest:tt)*) => {
        invoke!(
            ($f $a $i $r) ($($t,)* *mut RawTensor,) ($($e,)* $r.wrapping_add($i.next() - $a.values.len()),) $($rest)*
        )
    };
    (@one $method:ident $ty:ty; ($f:ident $a:ident $i:ident $r:ident) ($($t:ty,)*) ($($e:expr,)*) $($rest:tt)*) => {
        invoke!(($f $a $i $r) ($($t,)* $ty,) ($($e,)* $a.$method($i.next()),) $($rest)*)
    };
    (@two $method:ident $ty:ty; ($f:ident $a:ident $i:ident $r:ident) ($($t:ty,)*) ($($e:expr,)*) $($rest:tt)*) => {
        invoke!(
            ($f $a $i $r) ($($t,)* $ty, i64,) ($($e,)* $a.$method($i.next()).0, $a.$method($i.last()).1,) $($rest)*
        )
    };
}

/// Counts the arguments while they are written down in order.
struct Counter(usize);

impl Counter {
    fn next(&mut self) -> usize {
        self.0 += 1;
        self.0 - 1
    }

    fn last(&self) -> usize {
        self.0 - 1
    }
}

/// Declares the rows: operator, symbol, parameters, results.
macro_rules! rows {
    (@form Out) => { Form::Out };
    (@form $($new:ident)+) => { Form::New };
    (@emit [$($kind:ident)*] Out) => {
        |f, a, r| { let mut i = Counter(0); invoke!((f a i r) () () Out $($kind)*) }
    };
    (@emit [$($kind:ident)*] $($new:ident)+) => {
        |f, a, r| { let mut i = Counter(0); invoke!((f a i r) () () $($kind)* $($new)+) }
    };
    ($($op:ident = $symbol:literal [$($kind:ident)*] -> $($result:ident)+;)*) => {
        static ROWS: &[Row] = &[$(Row {
            op: Aten::$op,
            symbol: concat!("aoti_torch_cpu_", $symbol, "\0"),
            form: rows!(@form $($result)+),
            kinds: &[$(Kind::$kind),*],
            results: [$(stringify!($result)),+].len(),
            invoke: rows!(@emit [$($kind)*] $($result)+),
        },)*];
    };
}

rows! {
    mm_default = "mm_out" [Tensor Tensor] -> Out;
    bmm_default = "bmm_out" [Tensor Tensor] -> Out;
    addmm_default = "addmm_out" [Tensor Tensor Tensor Float Float] -> Out;
    baddbmm_default = "baddbmm_out" [Tensor Tensor Tensor Float Float] -> Out;
    convolution_default = "convolution" [Tensor Tensor OptTensor Ints Ints Ints Bool Ints Int] -> New;
    convolution_backward_default = "convolution_backward"
        [Tensor Tensor Tensor OptInts Ints Ints Ints Bool Ints Int Bools] -> New New New;
    _scaled_dot_product_flash_attention_for_cpu_default = "_scaled_dot_product_flash_attention_for_cpu"
        [Tensor Tensor Tensor Float Bool OptTensor OptFloat] -> New New;
    _scaled_dot_product_flash_attention_for_cpu_backward_default =
        "_scaled_dot_product_flash_attention_for_cpu_backward"
        [Tensor Tensor Tensor Tensor Tensor Tensor Float Bool OptTensor OptFloat] -> New New New;
    max_pool2d_with_indices_default = "max_pool2d_with_indices" [Tensor Ints Ints Ints Ints Bool] -> New New;
    max_pool2d_with_indices_backward_default = "max_pool2d_with_indices_backward"
        [Tensor Tensor Ints Ints Ints Ints Bool Tensor] -> New;
    avg_pool2d_default = "avg_pool2d" [Tensor Ints Ints Ints Bool Bool OptInt] -> New;
    avg_pool2d_backward_default = "avg_pool2d_backward"
        [Tensor Tensor Ints Ints Ints Bool Bool OptInt] -> New;
    avg_pool3d_default = "avg_pool3d" [Tensor Ints Ints Ints Bool Bool OptInt] -> New;
    _adaptive_avg_pool2d_default = "_adaptive_avg_pool2d" [Tensor Ints] -> New;
    _adaptive_avg_pool2d_backward_default = "_adaptive_avg_pool2d_backward" [Tensor Tensor] -> New;
    adaptive_max_pool2d_default = "adaptive_max_pool2d" [Tensor Ints] -> New New;
    addbmm_default = "addbmm" [Tensor Tensor Tensor Float Float] -> New;
    histc_default = "histc" [Tensor Int Float Float] -> New;
    scatter_value = "scatter_value_out" [Tensor Int Tensor Float] -> Out;
    add_Tensor = "add_Tensor" [Tensor Tensor Float] -> New;
    native_dropout_default = "native_dropout" [Tensor Float OptBool] -> New New;
}

#[cfg(test)]
mod tests {
    use super::*;
    use fx::aten::Type;

    fn kind_of(ty: &Type) -> Option<Kind> {
        Some(match ty {
            Type::Tensor => Kind::Tensor,
            Type::Int | Type::SymInt => Kind::Int,
            Type::Bool => Kind::Bool,
            Type::Float | Type::Scalar => Kind::Float,
            Type::List(inner, _) => match inner.as_ref() {
                Type::Int | Type::SymInt => Kind::Ints,
                Type::Bool => Kind::Bools,
                _ => return None,
            },
            Type::Optional(inner) => match kind_of(inner)? {
                Kind::Tensor => Kind::OptTensor,
                Kind::Int => Kind::OptInt,
                Kind::Bool => Kind::OptBool,
                Kind::Float => Kind::OptFloat,
                Kind::Ints => Kind::OptInts,
                _ => return None,
            },
            _ => return None,
        })
    }

    #[test]
    fn rows_have_their_schemas_parameters_and_results() {
        for row in ROWS {
            let schema = &row.op.overload().schema;
            let kinds: Vec<_> = schema.params.iter().map(|p| kind_of(&p.ty).expect("a kind for every type")).collect();
            assert_eq!(row.kinds, kinds, "{}", row.op);
            assert_eq!(row.results, schema.returns.len(), "{}", row.op);
        }
    }
}
