//! A call's arguments by the names that its schema gives them.

use std::borrow::Cow;

use fx::Arg;
use fx::aten::{Aten, Schema};
use inductor::device::Refusal;
use inductor::plan::{BufData, Call, CallArg, CallResult, Epilogue, Plan, View};
use symshapes::DType;

/// A call and the plan around it.
pub(super) struct Given<'a> {
    call: &'a Call,
    op: Aten,
    schema: &'static Schema,
    /// The epilogue: the kernel that is computed on the result before it is stored.
    pub(super) epilogue: Option<&'a Epilogue>,
    pub(super) plan: &'a Plan,
}

impl<'a> Given<'a> {
    pub(super) fn new(call: &'a Call, epilogue: Option<&'a Epilogue>, plan: &'a Plan) -> Result<Given<'a>, Refusal> {
        let op = call.target.op().ok_or_else(|| Refusal(format!("{} is unknown", call.target)))?;
        Ok(Given { call, op, schema: &op.overload().schema, epilogue, plan })
    }

    fn find(&self, name: &str) -> Option<&'a CallArg> {
        let by_name = self.call.kwargs.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        by_name.or_else(|| self.call.args.get(self.schema.position(name)?))
    }

    /// A tensor of floats that must be there.
    pub(super) fn tensor(&self, name: &str) -> Result<&'a View, Refusal> {
        self.opt_tensor(name)?.ok_or_else(|| Refusal(format!("{}: no tensor `{name}`", self.call.target)))
    }

    /// A tensor of floats that may be there.
    pub(super) fn opt_tensor(&self, name: &str) -> Result<Option<&'a View>, Refusal> {
        match self.find(name) {
            Some(CallArg::Tensor(view)) if matches!(view.dtype, DType::F32 | DType::F16 | DType::BF16) => {
                Ok(Some(view))
            }
            Some(CallArg::Tensor(view)) => {
                Refusal::because(format!("{}: `{name}` is {}", self.call.target, view.dtype))
            }
            _ => Ok(None),
        }
    }

    /// A tensor of integers that must be there.
    pub(super) fn integers(&self, name: &str) -> Result<&'a View, Refusal> {
        match self.find(name) {
            Some(CallArg::Tensor(view)) if view.dtype == DType::I64 => Ok(view),
            _ => Err(self.wrong(name)),
        }
    }

    /// A tensor of any elements that must be there.
    pub(super) fn any(&self, name: &str) -> Result<&'a View, Refusal> {
        match self.find(name) {
            Some(CallArg::Tensor(view)) => Ok(view),
            _ => Err(self.wrong(name)),
        }
    }

    /// A list of tensors, some of which may be missing.
    pub(super) fn tensors(&self, name: &str) -> Result<Vec<Option<&'a View>>, Refusal> {
        let Some(CallArg::List(items)) = self.find(name) else { return Err(self.wrong(name)) };
        let one = |item: &'a CallArg| match item {
            CallArg::Tensor(view) => Ok(Some(view)),
            CallArg::Plain(arg) if arg.is_none() => Ok(None),
            CallArg::Plain(_) | CallArg::List(_) | CallArg::Object(_) => Err(self.wrong(name)),
        };
        items.iter().map(one).collect()
    }

    /// A name.
    pub(super) fn text(&self, name: &str) -> Result<String, Refusal> {
        self.plain(name)?.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name))
    }

    /// A number or truth value of any kind.
    pub(super) fn scalar(&self, name: &str) -> Result<Arg, Refusal> {
        Ok(self.plain(name)?.into_owned())
    }

    /// A value that is no tensor, or its default.
    fn plain(&self, name: &str) -> Result<Cow<'a, Arg>, Refusal> {
        let missing = || Refusal(format!("{}: no `{name}`", self.call.target));
        match self.find(name) {
            Some(CallArg::Plain(arg)) => Ok(Cow::Borrowed(arg)),
            Some(_) => Err(missing()),
            None => {
                let default = self.schema.position(name).and_then(|at| self.schema.params[at].default.clone());
                default.map(Cow::Owned).ok_or_else(missing)
            }
        }
    }

    fn wrong(&self, name: &str) -> Refusal {
        Refusal(format!("{}: `{name}` is not what it should be", self.call.target))
    }

    pub(super) fn float(&self, name: &str) -> Result<f64, Refusal> {
        self.plain(name)?.as_float().ok_or_else(|| self.wrong(name))
    }

    /// A number, or `None`.
    pub(super) fn opt_float(&self, name: &str) -> Result<Option<f64>, Refusal> {
        if self.plain(name)?.is_none() { Ok(None) } else { self.float(name).map(Some) }
    }

    pub(super) fn int(&self, name: &str) -> Result<i64, Refusal> {
        self.plain(name)?.as_int().ok_or_else(|| self.wrong(name))
    }

    /// The dimension `dim` of so many.
    pub(super) fn dimension(&self, rank: usize) -> Result<usize, Refusal> {
        let dim = self.int("dim")?;
        let dim = usize::try_from(if dim < 0 { dim + rank as i64 } else { dim }).ok().filter(|&dim| dim < rank);
        dim.ok_or_else(|| Refusal("a dimension that is not there".to_owned()))
    }

    /// The operator that is called.
    pub(super) fn op(&self) -> Aten {
        self.op
    }

    /// True if the operator has a parameter of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.schema.position(name).is_some()
    }

    pub(super) fn bool(&self, name: &str) -> Result<bool, Refusal> {
        self.plain(name)?.as_bool().ok_or_else(|| self.wrong(name))
    }

    pub(super) fn ints(&self, name: &str) -> Result<Vec<i64>, Refusal> {
        let plain = self.plain(name)?;
        let single = || plain.as_int().map(|one| vec![one]);
        plain.as_int_list().or_else(single).ok_or_else(|| self.wrong(name))
    }

    /// A result as the plan wants it; `None` if nothing uses it.
    pub(super) fn opt_result(&self, number: usize) -> Result<Option<View>, Refusal> {
        match self.call.results.get(number) {
            Some(CallResult::Tensor(buf)) => {
                let BufData { dtype, layout, .. } = &self.plan.bufs[*buf];
                Ok(Some(View { buf: *buf, dtype: *dtype, layout: layout.clone() }))
            }
            Some(CallResult::Unused) | None => Ok(None),
            Some(CallResult::Object(_)) => Refusal::because(format!("{}: a result is no tensor", self.call.target)),
        }
    }

    /// A result that is computed where `wanted` says so and is `None` otherwise.
    pub(super) fn result_if(&self, wanted: bool, number: usize) -> Result<Option<View>, Refusal> {
        if wanted { self.opt_result(number) } else { Ok(None) }
    }

    pub(super) fn bools(&self, name: &str) -> Result<Vec<bool>, Refusal> {
        let plain = self.plain(name)?;
        let bools = plain.as_list().and_then(|items| items.iter().map(fx::Arg::as_bool).collect());
        bools.ok_or_else(|| self.wrong(name))
    }

    /// The first result.
    pub(super) fn result(&self) -> Result<View, Refusal> {
        let view = self.opt_result(0)?;
        view.ok_or_else(|| Refusal(format!("{}: its result is not used", self.call.target)))
    }
}
