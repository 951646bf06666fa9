//! The plan that calls every operator: what runs if the compiler gives up on a graph.
//!
//! Values whose metadata is known to be that of a tensor, with sizes that the inputs give, become buffers; all others
//! are handed on as objects. Nothing is computed at compile time but integers that the graph states.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use inductor::plan::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Choices, Fate, Layout, ObjectId, Output, Step, Storage,
    SymbolicPlan, View,
};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{Expr, Sym};

/// The representation of a node's value in the plan.
#[derive(Clone, Debug)]
enum Value {
    Tensor(Buf),
    Object(ObjectId),
    Plain(Arg),
    Tuple(Vec<Value>),
}

/// A plan of calls only. `why` says what kept the graph from being compiled.
///
/// # Errors
/// A graph whose inputs, constants or output cannot be represented.
pub(crate) fn fallback_plan(graph: &Graph, why: &str) -> Result<SymbolicPlan, String> {
    let given = fx::symbols::given(graph).into_keys().collect();
    let (bufs, values) = (PrimaryMap::new(), FxHashMap::default());
    let mut planner = Planner { graph, why, given, bufs, steps: Vec::new(), objects: 0, values };
    let mut fates = Vec::new();
    let (mut inputs, mut constants) = (0, 0);
    let mut outputs = Vec::new();
    for node in graph.nodes() {
        let fate = match graph[node].kind {
            Kind::Placeholder => {
                planner.leaf(node, Storage::Input(inputs))?;
                inputs += 1;
                continue;
            }
            Kind::GetAttr => {
                if graph[node].meta.is_some() {
                    planner.leaf(node, Storage::Constant(constants))?;
                    constants += 1;
                }
                continue;
            }
            Kind::CallFunction => planner.function(node)?,
            Kind::Output => {
                outputs = planner.outputs(node)?;
                continue;
            }
            kind @ (Kind::CallMethod | Kind::CallModule) => {
                return Err(format!("{}: a {kind} node", graph[node].name));
            }
        };
        fates.push((node, fate));
    }
    let Planner { bufs, steps, .. } = planner;
    let pool = graph.exprs.clone();
    let is_input = |(buf, data): (Buf, &BufData<Expr>)| matches!(data.storage, Storage::Input(_)).then_some(buf);
    // Which of them a call changes is not looked at.
    let written = if mutates(graph) { bufs.iter().filter_map(is_input).collect() } else { Vec::new() };
    Ok(SymbolicPlan {
        pool,
        bufs,
        kernels: Arc::default(),
        steps,
        frozen: 0,
        choices: Choices::default(),
        inputs,
        written,
        outputs,
        fates: fates.into(),
    })
}

/// True if a graph changes tensors that it was given.
pub(crate) fn mutates(graph: &Graph) -> bool {
    graph.nodes().any(|node| graph[node].op().is_some_and(|op| op.mutates()))
}

struct Planner<'a> {
    graph: &'a Graph,
    why: &'a str,
    /// The symbols whose values the inputs give.
    given: FxHashSet<Sym>,
    bufs: PrimaryMap<Buf, BufData<Expr>>,
    steps: Vec<Step<Expr>>,
    objects: u32,
    values: FxHashMap<NodeId, Value>,
}

impl Planner<'_> {
    /// An input or a constant.
    fn leaf(&mut self, node: NodeId, storage: Storage) -> Result<(), String> {
        let value = match &self.graph[node].meta {
            Some(Meta::Tensor(meta)) if self.is_known(meta) => Value::Tensor(self.buf(meta, storage)),
            Some(Meta::Tensor(_)) => return Err(format!("{}: sizes that no input gives", self.graph[node].name)),
            Some(Meta::Int(e)) => Value::Plain(self.int(*e)),
            Some(Meta::Plain(arg)) => Value::Plain(arg.clone()),
            Some(Meta::Float(_) | Meta::Bool(_) | Meta::Tuple(_)) | None => {
                return Err(format!("{}: not a tensor or a number", self.graph[node].name));
            }
        };
        self.values.insert(node, value);
        Ok(())
    }

    fn int(&self, e: Expr) -> Arg {
        self.graph.exprs.as_int(e).map_or(Arg::Sym(e), Arg::Int)
    }

    /// True if the inputs give the value.
    fn is_given(&self, e: Expr) -> bool {
        self.graph.exprs.symbols(e).iter().all(|sym| self.given.contains(sym))
    }

    fn is_known(&self, meta: &TensorMeta) -> bool {
        meta.sizes.iter().chain(&meta.strides).all(|&e| self.is_given(e))
    }

    fn buf(&mut self, meta: &TensorMeta, storage: Storage) -> Buf {
        let layout = Layout { sizes: meta.sizes.clone(), strides: meta.strides.clone(), offset: Expr::ZERO };
        self.bufs.push(BufData { dtype: meta.dtype, layout, storage })
    }

    fn function(&mut self, node: NodeId) -> Result<Fate, String> {
        let data = &self.graph[node];
        if let Some(Meta::Int(e)) = data.meta
            && self.is_given(e)
        {
            self.values.insert(node, Value::Plain(self.int(e)));
            return Ok(Fate::Constant);
        }
        if data.target == "operator.getitem"
            && let Some(part) = self.part(data.args.first(), data.args.get(1))
        {
            self.values.insert(node, part);
            return Ok(Fate::View);
        }
        let args = data.args.iter().map(|a| self.arg(a)).collect::<Result<_, _>>()?;
        let kwargs = data.kwargs.iter().map(|(k, v)| Ok((k.clone(), self.arg(v)?)));
        let kwargs = kwargs.collect::<Result<_, String>>()?;
        let tuple = matches!(data.meta, Some(Meta::Tuple(_)));
        let value = self.result(data.meta.as_ref());
        let results = match &value {
            Value::Tuple(parts) => parts.iter().map(call_result).collect(),
            single => vec![call_result(single)],
        };
        let kind = CallKind::Fallback(self.why.to_owned());
        self.steps.push(Step::Call(Call { target: data.target.clone(), node, args, kwargs, results, tuple, kind }));
        self.values.insert(node, value);
        Ok(Fate::Fallback(self.why.to_owned()))
    }

    /// An element of a call's results.
    fn part(&self, of: Option<&Arg>, at: Option<&Arg>) -> Option<Value> {
        match self.values.get(&of?.as_node()?)? {
            Value::Tuple(parts) => parts.get(usize::try_from(at?.as_int()?).ok()?).cloned(),
            _ => None,
        }
    }

    fn result(&mut self, meta: Option<&Meta>) -> Value {
        match meta {
            Some(Meta::Tensor(meta)) if self.is_known(meta) => Value::Tensor(self.buf(meta, Storage::Result)),
            Some(Meta::Tuple(parts)) if parts.iter().all(|p| !matches!(p, Some(Meta::Tuple(_)))) => {
                Value::Tuple(parts.iter().map(|part| self.result(part.as_ref())).collect())
            }
            _ => {
                self.objects += 1;
                Value::Object(ObjectId::from_u32(self.objects - 1))
            }
        }
    }

    fn arg(&self, arg: &Arg) -> Result<CallArg<Expr>, String> {
        Ok(match arg {
            Arg::Node(node) => match self.values.get(node) {
                Some(value) => self.value(value),
                None => return Err(format!("{} has no value", self.graph[*node].name)),
            },
            Arg::List(items) | Arg::Tuple(items) if !is_plain(arg) => {
                CallArg::List(items.iter().map(|a| self.arg(a)).collect::<Result<_, _>>()?)
            }
            _ if is_plain(arg) => CallArg::Plain(arg.clone()),
            _ => return Err(format!("an argument holds a node where none is expected: {arg:?}")),
        })
    }

    fn value(&self, value: &Value) -> CallArg<Expr> {
        match value {
            Value::Tensor(buf) => CallArg::Tensor(self.whole(*buf)),
            Value::Object(object) => CallArg::Object(*object),
            Value::Plain(arg) => CallArg::Plain(arg.clone()),
            Value::Tuple(parts) => CallArg::List(parts.iter().map(|p| self.value(p)).collect()),
        }
    }

    fn whole(&self, buf: Buf) -> View<Expr> {
        let data = &self.bufs[buf];
        View { buf, dtype: data.dtype, layout: data.layout.clone() }
    }

    fn outputs(&self, node: NodeId) -> Result<Vec<Output<Expr>>, String> {
        let arg = self.graph[node].args.first();
        let single = arg.map(std::slice::from_ref).unwrap_or_default();
        let items = arg.and_then(Arg::as_list).unwrap_or(single);
        let output = |arg: &Arg| {
            Ok(match self.arg(arg)? {
                CallArg::Tensor(view) => Output::Tensor(view),
                CallArg::Object(object) => Output::Object(object),
                CallArg::Plain(arg) => Output::Plain(arg),
                CallArg::List(_) => return Err("an output is a list".to_owned()),
            })
        };
        items.iter().map(output).collect()
    }
}

fn is_plain(arg: &Arg) -> bool {
    let mut plain = true;
    arg.for_each_node(&mut |_| plain = false);
    plain
}

fn call_result(value: &Value) -> CallResult {
    match value {
        Value::Tensor(buf) => CallResult::Tensor(*buf),
        Value::Object(object) => CallResult::Object(*object),
        Value::Plain(_) | Value::Tuple(_) => CallResult::Unused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use symshapes::{DType, Device};

    fn tensor(graph: &mut Graph, node: NodeId, sizes: &[i64]) -> TensorMeta {
        let sizes: Vec<Expr> = sizes.iter().map(|&n| graph.exprs.int(n)).collect();
        let strides = inductor::tensor_ir::contiguous_strides(&mut graph.exprs, &sizes).to_vec();
        let offset = Expr::ZERO;
        let meta = TensorMeta { dtype: DType::F32, device: Device::CPU, sizes, strides, offset, requires_grad: false };
        graph[node].meta = Some(Meta::Tensor(meta.clone()));
        meta
    }

    #[test]
    fn tensors_become_buffers_tuples_their_parts_and_all_else_objects() {
        let mut g = Graph::new();
        let x = g.placeholder("x");
        tensor(&mut g, x, &[4, 2]);
        let split = g.call_function("aten.split.Tensor", vec![x.into(), 2.into()], vec![]);
        let part = tensor(&mut g, split, &[2, 2]);
        g[split].meta = Some(Meta::Tuple(vec![Some(Meta::Tensor(part.clone())), Some(Meta::Tensor(part))]));
        let second = g.call_function("operator.getitem", vec![split.into(), 1.into()], vec![]);
        let item = g.call_function("aten.item.default", vec![second.into()], vec![]);
        let sum = g.call_function("aten.add.Tensor", vec![second.into(), item.into()], vec![]);
        tensor(&mut g, sum, &[2, 2]);
        g.output(Arg::Tuple(vec![sum.into(), item.into(), Arg::None]));
        let plan = fallback_plan(&g, "a test").expect("every value can be represented");
        expect![[r#"
            plan(1 inputs, arena of 0 bytes)
              b0: float32[4, 2] input 0
              b1: float32[2, 2] result
              b2: float32[2, 2] result
              b3: float32[2, 2] result
              b1, b2 = fallback aten.split.Tensor(b0: float32[4, 2], Int(2))  # a test
              free b1
              o0 = fallback aten.item.default(b2: float32[2, 2])  # a test
              b3 = fallback aten.add.Tensor(b2: float32[2, 2], o0)  # a test
              free b2
              return [b3: float32[2, 2], o0, None]
        "#]]
        .assert_eq(&plan.typical().expect("sizes are constant").to_string());
    }
}
