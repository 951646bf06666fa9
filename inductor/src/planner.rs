//! From a schedule to a plan: kernels are written and equal ones shared, buffers get their storage, values their
//! lifetimes.

use fx::aten::Aten;
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, SecondaryMap};
use fx::{Graph, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::backend::Capabilities;
use crate::calls::CallResult;
use crate::convolution::Convolution;
use crate::decompose::COPY;
use crate::kernel::{self, Arg as KernelArg, Built, Form, Tensors};
use crate::layout;
use crate::plan::{
    Buf, BufData, Call, CallKind, Choices, Fate, KernelId, Launch, Layout, Output, Step, Storage, SymbolicPlan, View,
};
use crate::schedule::{Group, Place, Schedule, Unit};
use crate::tensor_ir::{self as tir, CallId, Op, Tensor, TensorGraph};
use std::collections::BTreeSet;
use symshapes::{DType, Expr, Pool, Sym};

/// Writes the plan of a schedule.
pub fn plan(
    source: &Graph,
    graph: &TensorGraph,
    mut pool: Pool,
    schedule: &Schedule,
    caps: &Capabilities,
) -> SymbolicPlan {
    let mut readers: SecondaryMap<Tensor, Vec<usize>> = SecondaryMap::new();
    for (unit, reads) in schedule.reads.iter().enumerate() {
        reads.iter().for_each(|&tensor| readers[tensor].push(unit));
    }
    let mut planner = Planner {
        source,
        graph,
        pool: &mut pool,
        schedule,
        caps,
        bufs: PrimaryMap::new(),
        buf_of: SecondaryMap::new(),
        kernels: PrimaryMap::new(),
        known: FxHashMap::default(),
        forms: FxHashMap::default(),
        steps: Vec::new(),
        readers,
        computed: FxHashMap::default(),
        exposed: FxHashSet::default(),
    };
    planner.find_exposed();
    planner.run();
    let written = planner.writes();
    let outputs = planner.outputs();
    let fates = planner.fates().into();
    let Planner { bufs, kernels, steps, .. } = planner;
    let (kernels, inputs) = (Arc::new(kernels), graph.inputs);
    let choices = Choices { groups_launches: caps.groups_launches, ..Choices::default() };
    SymbolicPlan { pool, bufs, kernels, steps, frozen: 0, choices, inputs, written, outputs, fates }
}

struct Planner<'a> {
    source: &'a Graph,
    graph: &'a TensorGraph,
    pool: &'a mut Pool,
    schedule: &'a Schedule,
    caps: &'a Capabilities,
    bufs: PrimaryMap<Buf, BufData<Expr>>,
    buf_of: SecondaryMap<Tensor, Option<Buf>>,
    kernels: PrimaryMap<KernelId, crate::loop_ir::Kernel>,
    /// Kernels by their fingerprint.
    known: FxHashMap<u128, KernelId>,
    /// Kernels by the forms of groups: by a key those with it.
    forms: FxHashMap<(String, usize, usize), Vec<(Form, Template)>>,
    steps: Vec<Step<Expr>>,
    /// For each stored tensor, the units that read it.
    readers: SecondaryMap<Tensor, Vec<usize>>,
    /// For each graph node, the kernels that compute it.
    computed: FxHashMap<NodeId, Vec<KernelId>>,
    /// Stored tensors that leave the plan's own memory: outputs, and what fallback calls see.
    exposed: FxHashSet<Tensor>,
}

/// The launch of a kernel, for groups of one form: tensors are numbered as in the form.
#[derive(Clone, PartialEq, Debug)]
struct Template {
    kernel: KernelId,
    args: Vec<KernelArg>,
    sizes: Vec<Sym>,
    computed: Vec<Tensor>,
}

impl Planner<'_> {
    fn place(&self, t: Tensor) -> &Place {
        self.schedule.roots.place(t)
    }

    fn find_exposed(&mut self) {
        for output in &self.graph.outputs {
            if let tir::Output::Tensor(t) = *output {
                self.exposed.insert(self.place(t).stored);
            }
        }
        for call in self.graph.calls.values().filter(|c| c.kind != CallKind::Extern) {
            call.for_each_tensor(&mut |&t| {
                self.exposed.insert(self.schedule.roots.place(t).stored);
            });
        }
    }

    fn run(&mut self) {
        let schedule = self.schedule;
        for (number, unit) in schedule.units.iter().enumerate() {
            match unit {
                Unit::Kernel(group) => self.launch(number, group),
                Unit::Call(call) => self.call(*call),
            }
        }
    }

    /// True if a call's results may lie in memory of the plan's.
    fn is_planned(&self, id: CallId) -> bool {
        let call = &self.graph.calls[id];
        let is_own_product = || self.caps.multiplies && self.is_own_convolution(call);
        (call.planned && self.caps.plans_calls)
            || is_own_product()
            || (self.caps.scatters && layout::is_own_scatter(self.graph, call))
    }

    /// True if a call is a convolution that devices compute as a matrix product: of single pixels where channels lie
    /// last, of any window where they do not.
    fn is_own_convolution(&self, call: &tir::Call) -> bool {
        let [tir::Arg::Tensor(_), tir::Arg::Tensor(weight), _, plain @ ..] = call.args.as_slice() else {
            return false;
        };
        let [CallResult::Tensor(result)] = *call.results.as_slice() else { return false };
        let plain = plain.iter().map(|arg| if let tir::Arg::Plain(arg) = arg { Some(arg) } else { None });
        let (weight, result) = (&self.graph.tensors[*weight], &self.graph.tensors[result]);
        let number = |size: &Expr| self.pool.as_int(*size).and_then(|size| usize::try_from(size).ok());
        let sizes: Option<Vec<usize>> = weight.sizes.iter().map(number).collect();
        let (Some(form), Some(&[m, k, rows, columns])) = (Convolution::of(plain), sizes.as_deref()) else {
            return false;
        };
        let is_last = result.strides.as_ref().is_some_and(|strides| strides.get(1) == Some(&Expr::ONE));
        call.target == Aten::convolution_default
            && call.kind == CallKind::Extern
            && weight.dtype == DType::F32
            && form.is_product([m, k, rows, columns])
            && (!is_last || form.is_pointwise([rows, columns]))
    }

    /// The buffer of a stored tensor.
    fn buf(&mut self, t: Tensor) -> Buf {
        if let Some(buf) = self.buf_of[t] {
            return buf;
        }
        let data = &self.graph.tensors[t];
        let storage = match data.op {
            Op::Input(number) => Storage::Input(number),
            Op::Constant(number) => Storage::Constant(number),
            Op::Result(call, _) if !self.is_planned(call) => Storage::Result,
            _ if self.exposed.contains(&t) => Storage::Owned,
            _ => Storage::Arena(0),
        };
        let layout = self.schedule.roots.stored[t].clone();
        let buf = self.bufs.push(BufData { dtype: data.dtype, layout, storage });
        self.buf_of[t] = Some(buf);
        buf
    }

    fn launch(&mut self, number: usize, group: &Group) {
        let roots = &self.schedule.roots;
        let is_stored = |&r: &usize| {
            let stored = roots.roots[r].stored;
            roots.required[stored]
                || roots.roots[r].value != stored
                || self.readers[stored].iter().any(|&unit| unit != number)
        };
        let stored: FxHashSet<usize> = group.roots.iter().copied().filter(is_stored).collect();
        let (template, tensors) = self.template(group, &|r| stored.contains(&r));
        let mut flag = None;
        let args = template.args.iter().map(|arg| match arg {
            KernelArg::Stored(t) => self.buf(tensors[*t]),
            KernelArg::OutOfBounds => {
                let layout = Layout { sizes: vec![Expr::ONE], strides: vec![Expr::ONE], offset: Expr::ZERO };
                let buf = self.bufs.push(BufData { dtype: DType::Bool, layout, storage: Storage::Arena(0) });
                flag = Some(buf);
                buf
            }
        });
        let args = args.collect();
        let kernel = template.kernel;
        let nodes: BTreeSet<NodeId> =
            template.computed.iter().map(|&t| self.graph.tensors[tensors[t]].origin).collect();
        for node in nodes {
            self.computed.entry(node).or_default().push(kernel);
        }
        let sizes = template.sizes.iter().map(|&sym| self.pool.sym(sym)).collect();
        self.steps.push(Step::Launch(Launch { kernel, args, sizes }));
        self.steps.extend(flag.map(Step::Check));
    }

    /// The kernel of a group, which is written if there is none of its form, and the tensors of the group.
    fn template(&mut self, group: &Group, is_stored: &dyn Fn(usize) -> bool) -> (Template, Tensors) {
        let (schedule, name) = (self.schedule, self.kernel_name(group));
        let (form, tensors) = Form::of(self.graph, &schedule.roots, group, is_stored, name.clone());
        let (roots, count) = form.counts();
        let key = (name.clone(), roots, count);
        let found = self.forms.get(&key).and_then(|forms| forms.iter().find(|(known, _)| *known == form));
        let found = found.map(|(_, template)| template.clone());
        let build = |planner: &mut Self| {
            let (graph, caps) = (planner.graph, planner.caps);
            let built = kernel::build(graph, planner.pool, &schedule.roots, group, is_stored, caps, name);
            planner.written(built, &tensors)
        };
        let template = match found {
            Some(found) => {
                if cfg!(debug_assertions) {
                    assert_eq!(found, build(self), "a form that does not tell all of a group");
                }
                found
            }
            None => {
                let template = build(self);
                self.forms.entry(key).or_default().push((form, template.clone()));
                template
            }
        };
        (template, tensors)
    }

    /// A kernel that was written for a group of these tensors.
    fn written(&mut self, built: Built, tensors: &Tensors) -> Template {
        let Built { kernel, args, sizes, computed } = built;
        let fingerprint = kernel.fingerprint();
        let kernel = *self.known.entry(fingerprint).or_insert_with(|| self.kernels.push(kernel));
        let numbers: FxHashMap<Tensor, Tensor> = tensors.iter().map(|(number, &t)| (t, number)).collect();
        let args = args.into_iter().map(|arg| match arg {
            KernelArg::Stored(t) => KernelArg::Stored(numbers[&t]),
            KernelArg::OutOfBounds => KernelArg::OutOfBounds,
        });
        let mut computed: Vec<Tensor> = computed.iter().map(|t| numbers[t]).collect();
        computed.sort_unstable();
        Template { kernel, args: args.collect(), sizes, computed }
    }

    /// A kernel is named after the operators whose results it computes.
    fn kernel_name(&self, group: &Group) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for &r in &group.roots {
            let origin = self.graph.tensors[self.schedule.roots.roots[r].value].origin;
            let target = self.source[origin].target.trim_start_matches("aten.");
            let base = target.split('.').next().unwrap_or("op").trim_start_matches('_');
            if !parts.contains(&base) {
                parts.push(base);
            }
        }
        parts.truncate(4);
        parts.join("_")
    }

    fn view(&mut self, t: Tensor) -> View<Expr> {
        let place = self.place(t).clone();
        let buf = self.buf(place.stored);
        View { buf, dtype: self.graph.tensors[t].dtype, layout: place.layout }
    }

    fn call(&mut self, id: CallId) {
        let graph = self.graph;
        let call = &graph.calls[id];
        let args = call.args.iter().map(|a| a.map(&mut |t| self.view(*t))).collect();
        let kwargs = call.kwargs.iter().map(|(name, a)| (name.clone(), a.map(&mut |t| self.view(*t)))).collect();
        let results = call.results.iter().map(|result| result.map(&mut |t| self.buf(t))).collect();
        let (target, node, tuple, kind) = (call.target.clone(), call.node, call.tuple, call.kind.clone());
        self.steps.push(Step::Call(Call { target, node, args, kwargs, results, tuple, kind }));
    }

    /// Adds the steps that write the new values of the caller's tensors, when everything is computed; gives the buffers
    /// of those tensors.
    fn writes(&mut self) -> Vec<Buf> {
        let graph = self.graph;
        let writes = graph.writes.iter().map(|write| {
            let (into, from) = (self.buf(write.input), self.view(write.value));
            self.steps.push(Step::Write { into, from });
            into
        });
        writes.collect()
    }

    fn outputs(&mut self) -> Vec<Output<Expr>> {
        let graph = self.graph;
        let outputs = graph.outputs.iter().map(|output| match output {
            tir::Output::Tensor(t) => Output::Tensor(self.output(*t)),
            tir::Output::Plain(arg) => Output::Plain(arg.clone()),
            tir::Output::Object(o) => Output::Object(*o),
        });
        outputs.collect()
    }

    /// The view that is returned. Along dimensions of size 1, where no address depends on them, it has the promised
    /// strides too.
    fn output(&mut self, t: Tensor) -> View<Expr> {
        let mut view = self.view(t);
        let data = &self.graph.tensors[t];
        for (k, &promised) in data.strides.iter().flatten().enumerate() {
            if data.sizes[k] == Expr::ONE {
                view.layout.strides[k] = promised;
            }
        }
        view
    }

    fn fates(&self) -> Vec<(NodeId, Fate)> {
        let calls: FxHashMap<NodeId, &CallKind> = self.graph.calls.values().map(|c| (c.node, &c.kind)).collect();
        let viewed: FxHashSet<NodeId> = self
            .graph
            .tensors
            .values()
            .filter(|data| matches!(data.op, Op::View(..) | Op::Convert(_)))
            .map(|data| data.origin)
            .collect();
        let constant: FxHashSet<NodeId> =
            self.graph.tensors.values().filter(|data| data.op.is_free()).map(|data| data.origin).collect();
        let is_computation = |n: &NodeId| self.source[*n].kind == fx::Kind::CallFunction;
        self.source
            .nodes()
            .filter(is_computation)
            .map(|node| {
                let fate = match (calls.get(&node), self.computed.get(&node)) {
                    (Some(CallKind::Extern), _) => Fate::Extern,
                    (Some(CallKind::Fallback(reason)), _) => Fate::Fallback(reason.clone()),
                    (None, Some(kernels)) => Fate::Kernel(kernels.clone()),
                    (None, None) if self.source[node].target == COPY => Fate::Write,
                    (None, None) if self.source[node].target == "operator.getitem" => Fate::View,
                    (None, None) if viewed.contains(&node) => Fate::View,
                    (None, None) if constant.contains(&node) => Fate::Constant,
                    (None, None) => Fate::Dead,
                };
                (node, fate)
            })
            .collect()
    }
}
