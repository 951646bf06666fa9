//! Writes a group's roots into its nest.
//!
//! A row kernel runs in levels: level 0 reads only what comes from outside; a root that reads a reduction of level `n`
//! has level `n + 1`. Each level is one pass over the row, so softmax has three and layer norm three.

use fx::prim::{Cost, Pointwise};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{DType, Expr, Pool, Sym};

use super::nest::{Nest, loop_nest};
use super::scope::Scopes;
use crate::backend::Capabilities;
use crate::loop_ir::{Kernel, Param, ParamData, Role, Scalar, Value};
use crate::schedule::{At, LoopVars, Reads, flat_index, looked_up, shift, through_view};
use crate::schedule::{Group, Root, RootKind, Roots, Span, span};
use crate::tensor_ir::{GatherDim, Op, Tensor, TensorGraph, typical};

/// The kinds of arguments of a kernel, which stand in the order of its params without scratch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// The buffer of a stored tensor.
    Stored(Tensor),
    /// A byte that the kernel sets if an index is out of bounds.
    OutOfBounds,
}

/// A kernel and how it is called.
#[derive(Clone, Debug)]
pub struct Built {
    /// The kernel.
    pub kernel: Kernel,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// The sizes that it is launched with: symbols of the graph.
    pub sizes: Vec<Sym>,
    /// The tensors that it computes.
    pub computed: Vec<Tensor>,
}

/// Writes the kernel of a group. `is_stored` tells whether a root's values are needed outside.
pub fn build(
    graph: &TensorGraph,
    pool: &mut Pool,
    roots: &Roots,
    group: &Group,
    is_stored: &dyn Fn(usize) -> bool,
    caps: &Capabilities,
    name: String,
) -> Built {
    let members: Vec<&Root> = group.roots.iter().map(|&r| &roots.roots[r]).collect();
    let (vars, nest) = loop_nest(graph, pool, roots, &members, &group.domain);
    let mut emit = Emit::new(graph, pool, roots, group, vars, nest, is_stored);
    emit.plan_scratch(caps);
    emit.run();
    emit.finish(name)
}

/// A member of the group, and the way in which it is computed.
struct Member<'a> {
    root: &'a Root,
    stored: bool,
    span: Span,
    level: usize,
    /// The position in its own tensor that an iteration computes.
    point: Vec<Expr>,
}

struct Emit<'a> {
    graph: &'a TensorGraph,
    roots: &'a Roots,
    vars: LoopVars,
    nest: Nest,
    b: Scopes<'a>,
    members: Vec<Member<'a>>,
    /// For tensors that the group computes as roots: the member.
    member_of: FxHashMap<Tensor, usize>,
    params: FxHashMap<Tensor, Param>,
    args: Vec<Arg>,
    flag: Option<Param>,
    /// Values computed while their scopes are open.
    memo: FxHashMap<(Tensor, Vec<Expr>, Option<Value>), Value>,
    reduced: FxHashMap<usize, Value>,
    /// Dear values that several levels need at the same position, which changes along the row; and the scratch row that
    /// holds each once it is filled.
    scratch: FxHashMap<At, Option<Param>>,
    computed: FxHashSet<Tensor>,
    level: usize,
}

impl<'a> Emit<'a> {
    fn new(
        graph: &'a TensorGraph,
        pool: &'a mut Pool,
        roots: &'a Roots,
        group: &'a Group,
        vars: LoopVars,
        nest: Nest,
        is_stored: &dyn Fn(usize) -> bool,
    ) -> Emit<'a> {
        let b = Scopes::new(pool);
        let mut emit = Emit {
            graph,
            roots,
            vars,
            nest,
            b,
            members: Vec::new(),
            member_of: FxHashMap::default(),
            params: FxHashMap::default(),
            args: Vec::new(),
            flag: None,
            memo: FxHashMap::default(),
            reduced: FxHashMap::default(),
            scratch: FxHashMap::default(),
            computed: FxHashSet::default(),
            level: 0,
        };
        for (k, &r) in group.roots.iter().enumerate() {
            let root = &roots.roots[r];
            if root.value == root.stored {
                emit.member_of.insert(root.value, k);
            }
            let span = emit.vars.span(emit.b.exprs, root);
            let point = emit.vars.point(emit.b.exprs, root);
            let level = emit.level_of(root);
            emit.members.push(Member { root, stored: is_stored(r), span, level, point });
        }
        emit
    }

    /// The tensors at which a root's expression ends, and everything that it visits; with positions.
    fn reads(&mut self, root: &Root) -> (Vec<At>, FxHashSet<At>) {
        let (graph, roots) = (self.graph, self.roots);
        let stops = |t| roots.is_stop(graph, t);
        let mut reads = Reads::new(graph, self.b.exprs, &self.vars, &stops);
        reads.root(root);
        (reads.found, reads.seen)
    }

    fn level_of(&mut self, root: &Root) -> usize {
        let (found, _) = self.reads(root);
        let of = found.iter().filter_map(|(t, _)| self.member_of.get(t)).map(|&m| {
            let member = &self.members[m];
            member.level + usize::from(matches!(member.root.kind, RootKind::Reduce { .. }))
        });
        of.max().unwrap_or(0)
    }

    /// Finds the dear values that more than one level computes at the same position.
    fn plan_scratch(&mut self, caps: &Capabilities) {
        let vector_inside = self.nest.red.last().is_some_and(|axis| axis.vector);
        if !vector_inside {
            return;
        }
        let mut first: FxHashMap<At, usize> = FxHashMap::default();
        let mut again: Vec<At> = Vec::new();
        for k in 0..self.members.len() {
            let Member { root, level, .. } = self.members[k];
            if !self.runs_along_row(k) {
                continue;
            }
            let (_, mut seen) = self.reads(root);
            if root.kind == RootKind::Map {
                seen.insert((root.value, self.members[k].point.clone()));
            }
            for key in seen {
                let is_dear = matches!(self.graph.tensors[key.0].op, Op::Map(op, _) if op.cost() == Cost::Dear);
                if !is_dear || !self.changes_along_row(&key.1) {
                    continue;
                }
                if *first.entry(key.clone()).or_insert(level) != level && !again.contains(&key) {
                    again.push(key);
                }
            }
        }
        let row_len = self.vars.domain.row_len(self.b.exprs);
        let mut room = caps.scratch_bytes as i64;
        for at in again {
            let bytes = typical(self.b.exprs, row_len) * self.graph.tensors[at.0].dtype.size() as i64;
            let is_stored = self.member_of.get(&at.0).is_some_and(|&m| self.members[m].stored);
            if bytes <= room && !is_stored {
                room -= bytes;
                self.scratch.insert(at, None);
            }
        }
    }

    /// True if the elements of a row are at different positions. A value at one position is computed outside of the
    /// row's loops, once for all levels.
    fn changes_along_row(&self, index: &[Expr]) -> bool {
        self.vars.red.iter().any(|&sym| index.iter().any(|&e| self.b.exprs.mentions(e, sym)))
    }

    fn runs_along_row(&self, k: usize) -> bool {
        let member = &self.members[k];
        matches!(member.root.kind, RootKind::Reduce { .. }) || member.span == Span::Full
    }

    fn run(&mut self) {
        self.b.open(self.nest.root);
        for axis in self.nest.outer.clone() {
            self.b.open(axis);
        }
        let last = self.members.iter().map(|m| m.level).max().unwrap_or(0);
        for level in 0..=last {
            self.level = level;
            self.rows(level);
            self.elements(level);
        }
    }

    /// Emits what is computed once for each row.
    fn rows(&mut self, level: usize) {
        for k in 0..self.members.len() {
            if self.members[k].level == level && !self.runs_along_row(k) {
                let value = self.member_value(k);
                self.store_member(k, value);
            }
        }
    }

    /// Emits one pass over the row.
    fn elements(&mut self, level: usize) {
        let along: Vec<usize> =
            (0..self.members.len()).filter(|&k| self.members[k].level == level && self.runs_along_row(k)).collect();
        if along.is_empty() {
            return;
        }
        let row_depth = self.b.depth();
        for axis in self.nest.red.clone() {
            self.b.open(axis);
        }
        let mut accs = Vec::new();
        for &k in &along {
            let root = self.members[k].root;
            let RootKind::Reduce { kind, source, .. } = &root.kind else {
                let value = self.member_value(k);
                self.store_member(k, value);
                continue;
            };
            let index = self.vars.source_point(self.b.exprs, root, self.graph);
            let value = self.eval(*source, &index, None);
            let value = self.widen(value);
            let acc = self.b.accumulator(row_depth, *kind, self.b.dtype(value));
            let is_arg = matches!(kind, fx::prim::Reduction::ArgMax | fx::prim::Reduction::ArgMin);
            let position = is_arg.then(|| self.row_position());
            self.b.accumulate(acc, value, position);
            self.computed.insert(root.value);
            accs.push((k, acc));
        }
        for _ in 0..self.nest.red.len() {
            let outermost = self.b.close();
            debug_assert!(outermost.is_none(), "a row's loops lie inside the parallel one");
        }
        for (k, acc) in accs {
            let value = self.b.reduced(acc);
            self.reduced.insert(k, value);
            self.store_member(k, value);
        }
    }

    fn row_position(&mut self) -> Expr {
        let position = self.vars.row_position(self.b.exprs);
        self.in_loops(position)
    }

    /// An expression of the variables in terms of the loops.
    ///
    /// # Panics
    /// If the expression tells apart what the nest has merged: the nest was chosen without knowing of it.
    fn in_loops(&mut self, e: Expr) -> Expr {
        assert!(self.nest.can_express(self.b.exprs, e), "an index that the nest was not chosen for");
        self.b.exprs.subst(e, &self.nest.axes)
    }

    fn widen(&mut self, v: Value) -> Value {
        let dtype = self.b.dtype(v);
        self.b.convert(v, dtype.compute())
    }

    fn member_value(&mut self, k: usize) -> Value {
        let root = self.members[k].root;
        let point = self.members[k].point.clone();
        if let RootKind::Scan { source, dim } = root.kind {
            return self.scan(root, source, dim, &point);
        }
        let value = if root.value == root.stored {
            let key = (root.value, point.clone(), None);
            let value = self.compute(root.value, &point, None);
            self.memo.insert(key, value);
            value
        } else {
            self.eval(root.value, &point, None)
        };
        self.keep_in_scratch(root.value, &point, value);
        value
    }

    /// The element before this one, which the kernel has just written, plus the source's.
    fn scan(&mut self, root: &Root, source: Tensor, dim: usize, point: &[Expr]) -> Value {
        let value = self.eval(source, point, None);
        self.computed.insert(root.value);
        if root.layout.sizes[dim] == Expr::ONE {
            return value;
        }
        let position = self.in_loops(point[dim]);
        let position = self.b.index(position);
        let zero = self.b.int(0);
        let is_later = self.b.map(Pointwise::Gt, &[position, zero]);
        let param = self.param(root.stored, Role::Out);
        let here = self.address(root, point);
        let before = self.b.exprs.sub(here, root.layout.strides[dim]);
        let sum = self.b.load(param, before, Some(is_later));
        self.b.map(Pointwise::Add, &[sum, value])
    }

    fn address(&mut self, root: &Root, point: &[Expr]) -> Expr {
        let flat = flat_index(self.b.exprs, point, &root.layout.strides, root.layout.offset);
        self.in_loops(flat)
    }

    fn store_member(&mut self, k: usize, value: Value) {
        let root = self.members[k].root;
        if !self.members[k].stored {
            return;
        }
        let point = self.members[k].point.clone();
        let param = self.param(root.stored, Role::Out);
        let index = self.address(root, &point);
        let dtype = self.graph.tensors[root.stored].dtype;
        let value = self.widen(value);
        let value = self.b.convert(value, dtype);
        self.b.store(param, index, value, None);
    }

    fn param(&mut self, t: Tensor, role: Role) -> Param {
        if let Some(&param) = self.params.get(&t) {
            return param;
        }
        let dtype = self.graph.tensors[t].dtype;
        let len = span(self.b.exprs, &self.roots.stored[t]);
        let param = self.b.params.push(ParamData { dtype, len, role });
        self.args.push(Arg::Stored(t));
        self.params.insert(t, param);
        param
    }

    /// The value of a tensor at a position.
    fn eval(&mut self, t: Tensor, index: &[Expr], mask: Option<Value>) -> Value {
        let key = (t, index.to_vec(), mask);
        if let Some(&v) = self.memo.get(&key)
            && self.b.is_usable(v)
        {
            return v;
        }
        let value = match self.member_of.get(&t).copied() {
            Some(k) if self.members[k].point == *index => self.eval_member(k, index, mask),
            _ if self.roots.is_stop(self.graph, t) => self.load(t, index, mask),
            _ => self.eval_inline(t, index, mask),
        };
        self.memo.insert(key, value);
        value
    }

    /// A value of another member at the same position.
    fn eval_member(&mut self, k: usize, index: &[Expr], mask: Option<Value>) -> Value {
        if let Some(&v) = self.reduced.get(&k) {
            return v;
        }
        let t = self.members[k].root.value;
        if self.members[k].stored && self.members[k].level < self.level && self.runs_along_row(k) {
            return self.load(t, index, None);
        }
        self.eval_inline(t, index, mask)
    }

    fn eval_inline(&mut self, t: Tensor, index: &[Expr], mask: Option<Value>) -> Value {
        if mask.is_none()
            && let Some(&Some(param)) = self.scratch.get(&(t, index.to_vec()))
        {
            let row = self.row_position();
            return self.b.load(param, row, None);
        }
        let value = self.compute(t, index, mask);
        if mask.is_none() {
            self.keep_in_scratch(t, index, value);
        }
        value
    }

    /// Writes a dear value to its scratch row the first time that it is computed.
    fn keep_in_scratch(&mut self, t: Tensor, index: &[Expr], value: Value) {
        let at = (t, index.to_vec());
        if self.scratch.get(&at) != Some(&None) {
            return;
        }
        let dtype = self.b.dtype(value);
        let len = self.vars.domain.row_len(self.b.exprs);
        let param = self.b.params.push(ParamData { dtype, len, role: Role::Scratch });
        let row = self.row_position();
        self.b.store(param, row, value, None);
        self.scratch.insert(at, Some(param));
    }

    fn load(&mut self, t: Tensor, index: &[Expr], mask: Option<Value>) -> Value {
        let flat = flat_index(self.b.exprs, index, &self.roots.stored[t].strides, Expr::ZERO);
        let flat = self.in_loops(flat);
        let param = self.param(t, Role::In);
        let mask = mask.filter(|&mask| !self.b.is_unneeded(mask, param, flat));
        self.b.load(param, flat, mask)
    }

    /// The value of a tensor from its operands.
    fn compute(&mut self, t: Tensor, index: &[Expr], mask: Option<Value>) -> Value {
        let graph = self.graph;
        let data = &graph.tensors[t];
        if !matches!(data.op, Op::View(..)) {
            self.computed.insert(t);
        }
        match &data.op {
            Op::Input(_) | Op::Constant(_) | Op::Result(..) | Op::Reduce(..) | Op::Cumsum(..) => {
                self.load(t, index, mask)
            }
            Op::Full(value) => self.b.constant(*value, data.dtype),
            Op::Size(e) => self.b.index(*e),
            Op::Iota { start, step } => {
                let scaled = self.b.exprs.mul_int(index[0], *step);
                let e = self.b.exprs.add(scaled, *start);
                let e = self.in_loops(e);
                self.b.index(e)
            }
            Op::Map(op, args) => {
                let args: Vec<Value> = args.iter().map(|&a| self.eval(a, index, mask)).collect();
                match (op, &args[..]) {
                    // The one primitive that tensors of half types may have.
                    (Pointwise::Where, &[cond, a, b]) => self.b.select(cond, a, b),
                    _ => self.b.map(*op, &args),
                }
            }
            Op::Convert(x) => {
                let v = self.eval(*x, index, mask);
                self.b.convert(v, data.dtype)
            }
            Op::View(x, view) => {
                let inner = through_view(self.b.exprs, view, data, &graph.tensors[*x], index);
                self.eval(*x, &inner, mask)
            }
            Op::Gather { source, dims } => self.gather(*source, dims, index, mask),
            Op::Pad { .. } => self.pad(t, index, mask),
            Op::Cat(parts, dim) => self.cat(parts, *dim, index, mask),
        }
    }

    fn gather(&mut self, source: Tensor, dims: &[GatherDim], index: &[Expr], mask: Option<Value>) -> Value {
        let sizes = self.graph.tensors[source].sizes.clone();
        let inner = looked_up(dims, index, |k, positions| {
            let position = self.eval(positions, index, mask);
            self.wrapped(position, sizes[k], mask)
        });
        self.eval(source, &inner, mask)
    }

    /// A position that counts from the end where negative, as an index within `0..len`. Where it is out of bounds the
    /// kernel says so and reads the nearest element.
    fn wrapped(&mut self, position: Value, len: Expr, mask: Option<Value>) -> Expr {
        if let Some(e) = self.b.as_index(position)
            && self.b.exprs.range(e).lo >= 0
            && self.b.exprs.is_less(e, len)
        {
            return e;
        }
        let least = self.b.exprs.range(len).lo as f64;
        if self.b.bounds(position).is_some_and(|bounds| bounds.lo >= 0.0 && bounds.hi < least) {
            return self.b.bind(position, len);
        }
        let last = self.b.exprs.add_int(len, -1);
        let (zero, size, last) = (self.b.int(0), self.b.index(len), self.b.index(last));
        let is_negative = self.b.map(Pointwise::Lt, &[position, zero]);
        let from_end = self.b.map(Pointwise::Add, &[position, size]);
        let wrapped = self.b.map(Pointwise::Where, &[is_negative, from_end, position]);
        let below = self.b.map(Pointwise::Lt, &[wrapped, zero]);
        let above = self.b.map(Pointwise::Ge, &[wrapped, size]);
        let outside = self.b.map(Pointwise::Or, &[below, above]);
        let outside = self.b.both(mask, outside);
        self.report(outside);
        let clamped = self.b.map(Pointwise::Maximum, &[wrapped, zero]);
        let clamped = self.b.map(Pointwise::Minimum, &[clamped, last]);
        self.b.bind(clamped, len)
    }

    fn report(&mut self, outside: Value) {
        let flag = match self.flag {
            Some(flag) => flag,
            None => {
                let flag = self.b.params.push(ParamData { dtype: DType::Bool, len: Expr::ONE, role: Role::Out });
                self.args.push(Arg::OutOfBounds);
                self.flag = Some(flag);
                flag
            }
        };
        let yes = self.b.constant(Scalar::Int(1), DType::Bool);
        self.b.note(flag, yes, outside);
    }

    /// True where a position lies within `0..len`; nothing if it always does.
    fn within(&mut self, e: Expr, len: Expr, mut mask: Option<Value>) -> Option<Value> {
        let e = self.in_loops(e);
        if !self.b.exprs.is_not_negative(e) {
            let (position, zero) = (self.b.index(e), self.b.int(0));
            let inside = self.b.map(Pointwise::Ge, &[position, zero]);
            mask = Some(self.b.both(mask, inside));
        }
        if !self.b.exprs.is_less(e, len) {
            let (position, len) = (self.b.index(e), self.b.index(len));
            let inside = self.b.map(Pointwise::Lt, &[position, len]);
            mask = Some(self.b.both(mask, inside));
        }
        mask
    }

    fn pad(&mut self, t: Tensor, index: &[Expr], mask: Option<Value>) -> Value {
        let graph = self.graph;
        let Op::Pad { source, low, value } = &graph.tensors[t].op else { unreachable!("called on a pad") };
        let inner = shift(self.b.exprs, index, low);
        let mut inside = None;
        for (d, &n) in graph.tensors[*source].sizes.iter().enumerate() {
            // Other dimensions need no test, and their positions alone may mean nothing in merged loops.
            if graph.tensors[t].sizes[d] != n {
                inside = self.within(inner[d], n, inside);
            }
        }
        let Some(inside) = inside else { return self.eval(*source, &inner, mask) };
        let readable = self.b.both(mask, inside);
        let within = self.eval(*source, &inner, Some(readable));
        if matches!(*value, Scalar::Float(zero) if zero.to_bits() == 0) && self.b.is_zero_unless(within, inside) {
            return within;
        }
        let around = self.b.constant(*value, self.b.dtype(within));
        self.b.select(inside, within, around)
    }

    fn cat(&mut self, parts: &[Tensor], dim: usize, index: &[Expr], mask: Option<Value>) -> Value {
        let mut inner = index.to_vec();
        let mut value = None;
        for &part in parts {
            let len = self.graph.tensors[part].sizes[dim];
            let inside = self.within(inner[dim], len, None);
            let readable = inside.map(|inside| self.b.both(mask, inside)).or(mask);
            let element = self.eval(part, &inner, readable);
            value = Some(match (value, inside) {
                (Some(before), Some(inside)) => self.b.select(inside, element, before),
                _ => element,
            });
            inner[dim] = self.b.exprs.sub(inner[dim], len);
        }
        value.expect("a concatenation has parts")
    }

    fn finish(mut self, name: String) -> Built {
        let mut root = None;
        while self.b.depth() > 0 {
            root = self.b.close();
        }
        let (kernel, sizes) = self.b.finish(name, root.expect("the parallel loop closes last"));
        let mut computed: Vec<Tensor> = self.computed.into_iter().collect();
        computed.sort_unstable();
        Built { kernel, args: self.args, sizes, computed }
    }
}
