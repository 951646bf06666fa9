//! Views: which calls give them, how they are made again, and how a tensor looks with one of them replaced.

use super::{Alias, Functionalize, Origin, Outcome, RootId};
use crate::{
    arg::Arg,
    aten::{Aliasing, Aten, Packet},
    graph::{Graph, Meta, NodeId},
    infer::{self, sizes::Sizes},
};
use symshapes::{DType, Device, Expr, TensorMeta};

/// A call that gives another look at the memory of its first argument.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The overload that is called.
    pub overload: Aten,
    /// The arguments after the tensor.
    pub args: Vec<Arg>,
    /// The keyword arguments.
    pub kwargs: Vec<(String, Arg)>,
    /// The place among its results, if there are several.
    pub pick: Option<usize>,
    /// False if it may be a copy instead.
    pub(super) is_certain: bool,
}

/// Places in a storage, counted in elements.
struct Places {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    offset: i64,
}

impl Places {
    /// The last place; `None` if that is no number, or some stride is negative. Of no elements, the offset.
    fn last(&self) -> Option<i64> {
        let steps = self.sizes.iter().zip(&self.strides).map(|(&size, &stride)| match (size, stride) {
            (0, _) => Some(0),
            (_, 0..) => (size - 1).checked_mul(stride),
            _ => None,
        });
        steps.sum::<Option<i64>>()?.checked_add(self.offset)
    }

    /// True if no two elements have one place.
    fn is_injective(&self) -> bool {
        let dims = self.strides.iter().zip(&self.sizes).map(|(&stride, &size)| (stride, size));
        let mut dims: Vec<(i64, i64)> = dims.filter(|&(_, size)| size != 1).collect();
        dims.sort_unstable();
        let mut reach = 0;
        dims.into_iter().all(|(stride, size)| {
            let is_apart = stride > reach;
            reach += stride * (size - 1);
            is_apart
        })
    }
}

/// The overload that gives the view by its sizes, for one that takes them from another tensor: that need not be there
/// when the view is made again.
fn of_sizes(overload: Aten) -> Option<Aten> {
    match overload {
        Aten::expand_as_default => Some(Aten::expand_default),
        Aten::reshape_as_default => Some(Aten::reshape_default),
        Aten::view_as_default => Some(Aten::view_default),
        _ => None,
    }
}

/// True for a call that gives its argument itself where that has the elements in the places asked for.
pub(super) fn gives_back(graph: &Graph, id: NodeId, overload: Aten) -> bool {
    let node = &graph[id];
    match overload.packet() {
        Packet::contiguous | Packet::to | Packet::type_as => true,
        // A range of one dimension.
        Packet::flatten => {
            let operand = node.args.first().and_then(Arg::as_node).and_then(|of| graph[of].tensor_meta());
            let Some(rank) = operand.map(|x| x.sizes.len() as i64) else { return false };
            let Ok(bound) = overload.bind(&node.args, &node.kwargs) else { return false };
            let dim = |name| bound.int(name).map(|dim| dim.rem_euclid(rank.max(1)));
            // A number becomes a row.
            rank > 0 && matches!((dim("start_dim"), dim("end_dim")), (Ok(start), Ok(end)) if start == end)
        }
        _ => false,
    }
}

impl Functionalize<'_> {
    /// The view that a call is of one of its arguments, and of which.
    pub(super) fn view(&mut self, id: NodeId, overload: Aten) -> Outcome<Option<(NodeId, View)>> {
        let aliasing = overload.traits().alias;
        if !overload.is_view() && aliasing.is_none() {
            return Ok(None);
        }
        let node = &self.from[id];
        let (again, args, kwargs) = match of_sizes(overload).zip(node.tensor_meta()) {
            Some((again, meta)) => {
                let sizes = meta.sizes.iter().map(|&size| self.size(size)).collect();
                (again, vec![Arg::List(sizes)], Vec::new())
            }
            None => {
                let args = node.args.iter().skip(1).map(|arg| self.read_arg(arg)).collect::<Outcome<_>>()?;
                let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
                (overload, args, kwargs.collect::<Outcome<_>>()?)
            }
        };
        let of = match node.args.first() {
            Some(&Arg::Node(of)) if self.tensors.contains_key(&of) => of,
            // A list of tensors, of which each may be shared.
            _ => return Err(format!("`{}`, of which is not known what it shares", overload.name())),
        };
        let is_certain = match (self.from[of].tensor_meta(), node.tensor_meta()) {
            _ if matches!(aliasing, None | Some(Aliasing::Shares)) => Some(true),
            // Edges that are computed.
            _ if overload.packet() == Packet::histogramdd => None,
            (Some(x), Some(result)) => self.is_same_memory(id, overload, x, result),
            _ => Some(false),
        };
        Ok(is_certain.map(|is_certain| (of, View { overload: again, args, kwargs, pick: None, is_certain })))
    }

    /// A view by places in the storage, which are those of the root: earlier views are no part of its path.
    pub(super) fn as_strided(&mut self, id: NodeId, overload: Aten) -> Outcome {
        let node = &self.from[id];
        let bound = overload.bind(&node.args, &node.kwargs).map_err(|error| error.to_string())?;
        let of = bound.node("self").and_then(|of| Some((of, self.tensors.get(&of)?.clone())));
        let (of, alias) = of.ok_or("places in something other than a tensor")?;
        let root = &self.roots[alias.root];
        let (value, origin, writes) = (root.value, root.origin, root.writes);
        if let Some(view) = alias.path.iter().find(|view| !view.is_certain) {
            return Err(format!("places in the storage of `{}`, which may be a copy", view.overload.name()));
        }
        let dtype = |meta: Option<&TensorMeta>| meta.map(|meta| meta.dtype);
        if dtype(self.from[of].tensor_meta()) != dtype(self.to[value].tensor_meta()) {
            return Err("places in a storage of elements of another type".to_owned());
        }
        if origin != Origin::Call && writes > 0 {
            return Err("places in a storage that was written to, of which only the tensor's own are known".to_owned());
        }
        if !alias.path.is_empty() && self.from[of].tensor_meta().is_some_and(|meta| meta.requires_grad) {
            return Err("places in the storage of a view, of which autograd follows those in the view".to_owned());
        }
        let start = match bound.get("storage_offset") {
            // A tensor of the graph's own begins where its storage does, that of an input anywhere.
            Arg::None if alias.path.is_empty() => Arg::None,
            Arg::None => match self.from[of].tensor_meta().filter(|_| origin == Origin::Call) {
                Some(meta) => self.size(meta.offset),
                None => return Err("places in a storage of which it is not known where a tensor begins".to_owned()),
            },
            given => self.read_arg(given)?,
        };
        let place = ["size", "stride"].map(|name| self.read_arg(bound.get(name)));
        let mut place = place.into_iter().collect::<Outcome<Vec<_>>>()?;
        place.extend((!start.is_none()).then_some(start));
        let value = self.at_places(alias.root, value, &place)?;
        let view = View { overload, args: place, kwargs: Vec::new(), pick: None, is_certain: true };
        self.tensors.insert(id, Alias { root: alias.root, path: vec![view], value, writes });
        Ok(())
    }

    /// A size as an argument.
    pub(super) fn size(&self, size: Expr) -> Arg {
        self.to.exprs.as_int(size).map_or(Arg::Sym(size), Arg::Int)
    }

    /// Whether the result of an operator that copies where a view is impossible or needless is a view; `None` for a
    /// copy, false if that is not known.
    pub(super) fn is_same_memory(
        &mut self,
        id: NodeId,
        overload: Aten,
        x: &TensorMeta,
        result: &TensorMeta,
    ) -> Option<bool> {
        let node = &self.from[id];
        let bound = overload.bind(&node.args, &node.kwargs).ok();
        let is_given =
            |name| bound.as_ref().is_some_and(|b| b.has(name) && !matches!(b.get(name), Arg::None | Arg::Bool(false)));
        match overload.packet() {
            _ if x.dtype != result.dtype => None,
            Packet::to if is_given("copy") => None,
            Packet::to | Packet::type_as => Some(x.device == result.device && !is_given("memory_format")),
            // A tensor that lies as is asked for is given back.
            Packet::contiguous => lies_as(x, result).then_some(true),
            Packet::ravel => match infer::strides::is_contiguous(&mut Sizes::Proved(&mut self.to.exprs), x) {
                Some(is_contiguous) => is_contiguous.then_some(true),
                None => Some(false),
            },
            Packet::flatten | Packet::reshape | Packet::reshape_as => {
                match infer::strides::viewed(&mut Sizes::Proved(&mut self.to.exprs), x, &result.sizes) {
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
                return Err(format!("`{}`, which may be a view, is read after a write", view.overload.name()));
            }
            let of = values[values.len() - 1];
            let mut value = match view.overload {
                Aten::as_strided_default => self.at_places(root, of, &view.args)?,
                _ => self.call_view(view, of)?,
            };
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
        self.push(view.overload, args, view.kwargs.clone())
    }

    /// The tensor with one of its views replaced.
    pub(super) fn inverse(&mut self, view: &View, whole: NodeId, part: NodeId) -> Outcome<NodeId> {
        let no = || format!("a write through `{}`", view.overload.name());
        let meta = self.to[whole].tensor_meta().ok_or_else(no)?.clone();
        let rank = meta.sizes.len() as i64;
        let args = [vec![Arg::Node(whole)], view.args.clone()].concat();
        let bound = view.overload.bind(&args, &view.kwargs).map_err(|error| error.to_string())?;
        let of = |name: &str| bound.get(name).clone();
        let dim = |name: &str| bound.int(name).map(|dim| if dim < 0 { dim + rank } else { dim }).map_err(|_| no());
        let known: Vec<Option<i64>> = meta.sizes.iter().map(|&size| self.to.exprs.as_int(size)).collect();
        let scatter = |rest: Vec<Arg>| [vec![Arg::Node(whole), Arg::Node(part)], rest].concat();
        let (target, args) = match (view.overload, view.pick) {
            (Aten::select_int, None) => (Aten::select_scatter_default, scatter(vec![of("dim"), of("index")])),
            (Aten::slice_Tensor, None) => {
                (Aten::slice_scatter_default, scatter(vec![of("dim"), of("start"), of("end"), of("step")]))
            }
            (Aten::narrow_default, None) => {
                let (Arg::Int(start), Arg::Int(length)) = (of("start"), of("length")) else { return Err(no()) };
                let length_of_all = known[dim("dim")? as usize];
                let start = if start < 0 { start + length_of_all.ok_or_else(no)? } else { start };
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(start + length), Arg::Int(1)];
                (Aten::slice_scatter_default, scatter(rest))
            }
            (Aten::unbind_int, Some(pick)) => {
                (Aten::select_scatter_default, scatter(vec![of("dim"), Arg::Int(pick as i64)]))
            }
            (
                Aten::split_Tensor
                | Aten::split_with_sizes_default
                | Aten::split_sizes
                | Aten::chunk_default
                | Aten::unsafe_split_Tensor
                | Aten::unsafe_split_with_sizes_default
                | Aten::unsafe_chunk_default,
                Some(pick),
            ) => {
                let dim = dim("dim")? as usize;
                let start = self.start(view, whole, pick, dim).ok_or_else(no)?;
                let length = self.to[part].tensor_meta().and_then(|part| self.to.exprs.as_int(part.sizes[dim]));
                let end = start + length.ok_or_else(no)?;
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(end), Arg::Int(1)];
                (Aten::slice_scatter_default, scatter(rest))
            }
            (Aten::diagonal_default, None) => {
                (Aten::diagonal_scatter_default, scatter(vec![of("offset"), of("dim1"), of("dim2")]))
            }
            (Aten::as_strided_default, None) => {
                let places = self.places(whole, &view.args).filter(Places::is_injective);
                let places = places.ok_or("a write to places that are not known, or of which some may be one")?;
                let index = self.index_of(&places, meta.device)?;
                let flat =
                    self.push(Aten::view_default, vec![Arg::Node(whole), Arg::List(vec![Arg::Int(-1)])], vec![])?;
                let args = vec![Arg::Node(flat), Arg::List(vec![Arg::Node(index)]), Arg::Node(part)];
                let flat = self.push(Aten::index_put_default, args, vec![])?;
                let sizes = meta.sizes.iter().map(|&size| self.size(size)).collect();
                (Aten::view_default, vec![Arg::Node(flat), Arg::List(sizes)])
            }
            (Aten::alias_default | Aten::detach_default | Aten::data_default | Aten::contiguous_default, None) => {
                return Ok(part);
            }
            (Aten::t_default, None) => (Aten::t_default, vec![Arg::Node(part)]),
            (Aten::transpose_int, None) => (Aten::transpose_int, vec![Arg::Node(part), of("dim0"), of("dim1")]),
            (Aten::permute_default, None) => {
                let dims = bound.ints("dims").map_err(|_| no())?;
                let mut inverse = vec![Arg::None; dims.len()];
                for (at, dim) in dims.into_iter().enumerate() {
                    let dim = if dim < 0 { dim + rank } else { dim };
                    *inverse.get_mut(dim as usize).ok_or_else(no)? = Arg::Int(at as i64);
                }
                (Aten::permute_default, vec![Arg::Node(part), Arg::List(inverse)])
            }
            (Aten::unsqueeze_default, None) => {
                let dim = bound.int("dim").map_err(|_| no())?;
                let dim = if dim < 0 { dim + rank + 1 } else { dim };
                (Aten::squeeze_dim, vec![Arg::Node(part), Arg::Int(dim)])
            }
            (overload, None) if RESHAPING.contains(&overload) => {
                let sizes: Option<Vec<Arg>> = known.iter().map(|size| size.map(Arg::Int)).collect();
                (Aten::reshape_default, vec![Arg::Node(part), Arg::List(sizes.ok_or_else(no)?)])
            }
            _ => return Err(no()),
        };
        self.push(target, args, Vec::new())
    }

    /// The value of a view of places in the storage of a root that has this value.
    fn at_places(&mut self, root: RootId, value: NodeId, place: &[Arg]) -> Outcome<NodeId> {
        let is_own = self.roots[root].origin == Origin::Call;
        if !is_own && self.roots[root].writes > 0 {
            return Err("places in a storage that was written to, of which only the tensor's own are known".to_owned());
        }
        let device = self.to[value].tensor_meta().map(|meta| meta.device);
        if let Some((places, device)) = self.places(value, place).filter(|_| is_own).zip(device) {
            let index = self.index_of(&places, device)?;
            let args = vec![Arg::Node(value), Arg::List(vec![Arg::Int(-1)])];
            let flat = self.push(Aten::view_default, args, Vec::new())?;
            return self.push(Aten::index_Tensor, vec![Arg::Node(flat), Arg::List(vec![Arg::Node(index)])], Vec::new());
        }
        // What is computed need not be in a storage of its own: its value is a copy.
        self.push(Aten::as_strided_copy_default, [&[Arg::Node(value)], place].concat(), Vec::new())
    }

    /// The places that sizes, strides and an offset lead to, if they are known and all in a tensor that is row-major.
    fn places(&mut self, whole: NodeId, place: &[Arg]) -> Option<Places> {
        let ints =
            |arg: Option<&Arg>| arg.and_then(Arg::as_list)?.iter().map(Arg::as_int).collect::<Option<Vec<i64>>>();
        let (sizes, strides) = (ints(place.first())?, ints(place.get(1))?);
        let offset = place.get(2).map_or(Some(0), Arg::as_int)?;
        let meta = self.to[whole].tensor_meta()?.clone();
        let count: i64 = meta.sizes.iter().map(|&size| self.to.exprs.as_int(size)).product::<Option<i64>>()?;
        let is_row_major = infer::strides::is_contiguous(&mut Sizes::Proved(&mut self.to.exprs), &meta) == Some(true);
        let places = Places { sizes, strides, offset };
        let is_within = places.offset >= 0 && places.sizes.len() == places.strides.len() && places.last()? < count;
        (is_row_major && is_within).then_some(places)
    }

    /// A tensor of the places.
    fn index_of(&mut self, places: &Places, device: Device) -> Outcome<NodeId> {
        let device = || vec![("device".to_owned(), Arg::Device(device))];
        let options = [vec![("dtype".to_owned(), Arg::DType(DType::I64))], device()].concat();
        let start = vec![Arg::List(Vec::new()), Arg::Int(places.offset)];
        let mut index = self.push(Aten::full_default, start, options)?;
        for (dim, (&size, &stride)) in places.sizes.iter().zip(&places.strides).enumerate() {
            let steps = self.push(Aten::arange_default, vec![Arg::Int(size)], device())?;
            let steps = self.push(Aten::mul_Scalar, vec![Arg::Node(steps), Arg::Int(stride)], Vec::new())?;
            let mut sizes = vec![Arg::Int(1); places.sizes.len()];
            sizes[dim] = Arg::Int(size);
            let steps = self.push(Aten::view_default, vec![Arg::Node(steps), Arg::List(sizes)], Vec::new())?;
            index = self.push(Aten::add_Tensor, vec![Arg::Node(index), Arg::Node(steps)], Vec::new())?;
        }
        Ok(index)
    }

    /// The index at which a part of a split begins, along `dim`.
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

/// Views that keep the order of the elements.
const RESHAPING: &[Aten] = &[
    Aten::flatten_using_ints,
    Aten::ravel_default,
    Aten::reshape_default,
    Aten::reshape_as_default,
    Aten::squeeze_default,
    Aten::squeeze_dim,
    Aten::squeeze_dims,
    Aten::unflatten_int,
    Aten::view_default,
    Aten::view_as_default,
];

/// True if two tensors have the same elements in the same places.
pub(super) fn lies_as(a: &TensorMeta, b: &TensorMeta) -> bool {
    (a.dtype, &a.sizes, &a.strides) == (b.dtype, &b.sizes, &b.strides)
}
