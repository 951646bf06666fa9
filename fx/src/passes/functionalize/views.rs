//! Views: which calls give them, how they are made again, and how a tensor looks with one of them replaced.

use super::{Functionalize, Outcome, RootId};
use crate::{
    arg::Arg,
    aten::Overload,
    graph::{Meta, NodeId},
    infer,
};
use symshapes::TensorMeta;

/// A call that gives another look at the memory of its first argument.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// What is called.
    pub overload: &'static Overload,
    /// The arguments after the tensor.
    pub args: Vec<Arg>,
    /// Those by name.
    pub kwargs: Vec<(String, Arg)>,
    /// Which of its results it is, if there are several.
    pub pick: Option<usize>,
    /// False if it may be a copy instead.
    pub(super) is_certain: bool,
}

/// True for an operator that gives its argument itself where it has nothing to do.
pub(super) fn gives_back(overload: &Overload) -> bool {
    matches!(overload.base(), "contiguous" | "to" | "type_as")
}

impl Functionalize<'_> {
    /// The view that a call is of one of its arguments, and of which.
    pub(super) fn view(&mut self, id: NodeId, overload: &'static Overload) -> Outcome<Option<(NodeId, View)>> {
        if !overload.is_view() && !MAY_SHARE.contains(&overload.base()) {
            return Ok(None);
        }
        if overload.base() == "as_strided" {
            return Err("places in a storage, of which only the tensors' own are known".to_owned());
        }
        let node = &self.from[id];
        let args = node.args.iter().skip(1).map(|arg| self.read_arg(arg)).collect::<Outcome<_>>()?;
        let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
        let kwargs = kwargs.collect::<Outcome<_>>()?;
        let of = match node.args.first() {
            Some(&Arg::Node(of)) if self.tensors.contains_key(&of) => of,
            // A list of tensors, of which each may be shared.
            _ => return Err(format!("`{}`, of which is not known what it shares", overload.name)),
        };
        let is_certain = match (self.from[of].tensor_meta(), node.tensor_meta()) {
            _ if !MAY_SHARE.contains(&overload.base()) && !MAY_COPY.contains(&overload.base()) => Some(true),
            (Some(x), Some(result)) => self.is_same_memory(id, overload, x, result),
            _ => Some(false),
        };
        Ok(is_certain.map(|is_certain| (of, View { overload, args, kwargs, pick: None, is_certain })))
    }

    /// Whether what an operator gives that copies where it cannot or need not give a view is one; `None` for a copy,
    /// false if that is not known.
    pub(super) fn is_same_memory(
        &mut self,
        id: NodeId,
        overload: &Overload,
        x: &TensorMeta,
        result: &TensorMeta,
    ) -> Option<bool> {
        let node = &self.from[id];
        let bound = overload.bind(&node.args, &node.kwargs).ok();
        let is_given =
            |name| bound.as_ref().is_some_and(|b| b.has(name) && !matches!(b.get(name), Arg::None | Arg::Bool(false)));
        match overload.base() {
            _ if x.dtype != result.dtype => None,
            "to" if is_given("copy") => None,
            "to" | "type_as" => Some(x.device == result.device && !is_given("memory_format")),
            // A tensor that lies as is asked for is given back.
            "contiguous" => lies_as(x, result).then_some(true),
            "flatten" | "ravel" | "reshape" | "reshape_as" => {
                match infer::strides::viewed(&mut infer::sizes::Sizes::Proved(&mut self.to.exprs), x, &result.sizes) {
                    Some(strides) => strides.map(|_| true),
                    None => Some(false),
                }
            }
            _ => Some(false),
        }
    }

    /// Makes the views of a path anew: the root's value and each view's.
    pub(super) fn along(&mut self, root: RootId, path: &[View]) -> Outcome<Vec<NodeId>> {
        let mut values = vec![self.roots[root].value];
        for view in path {
            if !view.is_certain {
                return Err(format!("`{}`, which may be a view, is read after a write", view.overload.name));
            }
            let mut value = self.call_view(view, values[values.len() - 1])?;
            if let Some(pick) = view.pick {
                value = self.push("operator.getitem", vec![Arg::Node(value), Arg::Int(pick as i64)], Vec::new())?;
            }
            values.push(value);
        }
        Ok(values)
    }

    /// Appends a view of a tensor, or the sequence of views of which it is one.
    pub(super) fn call_view(&mut self, view: &View, of: NodeId) -> Outcome<NodeId> {
        let args = [vec![Arg::Node(of)], view.args.clone()].concat();
        self.push(&view.overload.target(), args, view.kwargs.clone())
    }

    /// The tensor with one of its views replaced.
    pub(super) fn inverse(&mut self, view: &View, whole: NodeId, part: NodeId) -> Outcome<NodeId> {
        let no = || format!("a write through `{}`", view.overload.name);
        let meta = self.to[whole].tensor_meta().ok_or_else(no)?.clone();
        let rank = meta.sizes.len() as i64;
        let args = [vec![Arg::Node(whole)], view.args.clone()].concat();
        let bound = view.overload.bind(&args, &view.kwargs).map_err(|error| error.to_string())?;
        let of = |name: &str| bound.get(name).clone();
        let dim = |name: &str| bound.int(name).map(|dim| if dim < 0 { dim + rank } else { dim }).map_err(|_| no());
        let known: Vec<Option<i64>> = meta.sizes.iter().map(|&size| self.to.exprs.as_int(size)).collect();
        let scatter = |rest: Vec<Arg>| [vec![Arg::Node(whole), Arg::Node(part)], rest].concat();
        let (target, args) = match (&*view.overload.name, view.pick) {
            ("select.int", None) => ("aten.select_scatter.default", scatter(vec![of("dim"), of("index")])),
            ("slice.Tensor", None) => {
                ("aten.slice_scatter.default", scatter(vec![of("dim"), of("start"), of("end"), of("step")]))
            }
            ("narrow.default", None) => {
                let (Arg::Int(start), Arg::Int(length)) = (of("start"), of("length")) else { return Err(no()) };
                let length_of_all = known[dim("dim")? as usize];
                let start = if start < 0 { start + length_of_all.ok_or_else(no)? } else { start };
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(start + length), Arg::Int(1)];
                ("aten.slice_scatter.default", scatter(rest))
            }
            ("unbind.int", Some(pick)) => {
                ("aten.select_scatter.default", scatter(vec![of("dim"), Arg::Int(pick as i64)]))
            }
            ("split.Tensor" | "split_with_sizes.default" | "split.sizes" | "chunk.default", Some(pick)) => {
                let dim = dim("dim")? as usize;
                let start = self.start(view, whole, pick, dim).ok_or_else(no)?;
                let length = self.to[part].tensor_meta().and_then(|part| self.to.exprs.as_int(part.sizes[dim]));
                let end = start + length.ok_or_else(no)?;
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(end), Arg::Int(1)];
                ("aten.slice_scatter.default", scatter(rest))
            }
            ("diagonal.default", None) => {
                ("aten.diagonal_scatter.default", scatter(vec![of("offset"), of("dim1"), of("dim2")]))
            }
            ("alias.default" | "detach.default" | "contiguous.default", None) => return Ok(part),
            ("t.default", None) => ("aten.t.default", vec![Arg::Node(part)]),
            ("transpose.int", None) => ("aten.transpose.int", vec![Arg::Node(part), of("dim0"), of("dim1")]),
            ("permute.default", None) => {
                let dims = bound.ints("dims").map_err(|_| no())?;
                let mut inverse = vec![Arg::None; dims.len()];
                for (at, dim) in dims.into_iter().enumerate() {
                    let dim = if dim < 0 { dim + rank } else { dim };
                    *inverse.get_mut(dim as usize).ok_or_else(no)? = Arg::Int(at as i64);
                }
                ("aten.permute.default", vec![Arg::Node(part), Arg::List(inverse)])
            }
            ("unsqueeze.default", None) => {
                let dim = bound.int("dim").map_err(|_| no())?;
                let dim = if dim < 0 { dim + rank + 1 } else { dim };
                ("aten.squeeze.dim", vec![Arg::Node(part), Arg::Int(dim)])
            }
            (name, None) if RESHAPING.contains(&name) => {
                let sizes: Option<Vec<Arg>> = known.iter().map(|size| size.map(Arg::Int)).collect();
                ("aten.reshape.default", vec![Arg::Node(part), Arg::List(sizes.ok_or_else(no)?)])
            }
            _ => return Err(no()),
        };
        self.push(target, args, Vec::new())
    }

    /// Where a part of a split begins.
    pub(super) fn start(&mut self, view: &View, whole: NodeId, pick: usize, dim: usize) -> Option<i64> {
        let split = self.call_view(view, whole).ok()?;
        let meta = self.to[split].meta.take();
        self.to.erase(split).ok()?;
        let Some(Meta::Tuple(parts)) = meta else { return None };
        let length = |part: &Option<Meta>| match part {
            Some(Meta::Tensor(part)) => self.to.exprs.as_int(part.sizes[dim]),
            _ => None,
        };
        parts[..pick].iter().map(length).sum()
    }
}

/// Operators whose result may share memory with the first argument, though their schemas say nothing of it.
const MAY_SHARE: &[&str] = &[
    "_unsafe_view",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_tensors",
    "cartesian_prod",
    "einsum",
    "meshgrid",
    "type_as",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
];

/// Operators whose schemas say that they give views, and that copy where they cannot or need not.
const MAY_COPY: &[&str] =
    &["contiguous", "flatten", "ravel", "reshape", "reshape_as", "resolve_conj", "resolve_neg", "to", "to_dense"];

/// Views that keep the order of the elements.
const RESHAPING: &[&str] = &[
    "flatten.using_ints",
    "ravel.default",
    "reshape.default",
    "reshape_as.default",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "unflatten.int",
    "view.default",
    "view_as.default",
];

/// True if two tensors have the same elements in the same places.
pub(super) fn lies_as(a: &TensorMeta, b: &TensorMeta) -> bool {
    (a.dtype, &a.sizes, &a.strides) == (b.dtype, &b.sizes, &b.strides)
}
