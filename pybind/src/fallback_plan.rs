//! The plan that calls every operator: what runs if the compiler gives up on a graph.
//!
//! Values whose metadata is known to be that of a tensor become buffers; all others are handed on as objects. Nothing is
//! computed at compile time but integers that the graph states.

use cranelift_entity::PrimaryMap;
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use inductor::plan::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Fate, Layout, ObjectId, Output, Plan, Step, Storage, View,
};
use rustc_hash::FxHashMap;
use symshapes::Pool;

/// What stands for a node's value.
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
pub(crate) fn fallback_plan(graph: &Graph, why: &str) -> Result<Plan, String> {
    let mut planner =
        Planner { graph, why, bufs: PrimaryMap::new(), steps: Vec::new(), objects: 0, values: FxHashMap::default() };
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
    let steps = with_frees(steps, &bufs, &outputs);
    Ok(Plan { bufs, kernels: PrimaryMap::new(), steps, inputs, outputs, arena_bytes: 0, fates })
}

struct Planner<'a> {
    graph: &'a Graph,
    why: &'a str,
    bufs: PrimaryMap<Buf, BufData>,
    steps: Vec<Step>,
    objects: u32,
    values: FxHashMap<NodeId, Value>,
}

impl Planner<'_> {
    /// An input or a constant.
    fn leaf(&mut self, node: NodeId, storage: Storage) -> Result<(), String> {
        let value = match &self.graph[node].meta {
            Some(Meta::Tensor(meta)) => Value::Tensor(self.buf(meta, storage)?),
            Some(Meta::Int(e)) => Value::Plain(self.int(*e)?),
            Some(Meta::Plain(arg)) => Value::Plain(arg.clone()),
            Some(Meta::Tuple(_)) | None => return Err(format!("{}: not a tensor or a number", self.graph[node].name)),
        };
        self.values.insert(node, value);
        Ok(())
    }

    fn int(&self, e: symshapes::Expr) -> Result<Arg, String> {
        constant(&self.graph.exprs, e).map(Arg::Int)
    }

    fn buf(&mut self, meta: &TensorMeta, storage: Storage) -> Result<Buf, String> {
        let dims =
            |dims: &[symshapes::Expr]| dims.iter().map(|&e| constant(&self.graph.exprs, e)).collect::<Result<_, _>>();
        let layout = Layout { sizes: dims(&meta.sizes)?, strides: dims(&meta.strides)?, offset: 0 };
        Ok(self.bufs.push(BufData { dtype: meta.dtype, layout, storage }))
    }

    fn function(&mut self, node: NodeId) -> Result<Fate, String> {
        let data = &self.graph[node];
        if let Some(Meta::Int(e)) = &data.meta
            && let Ok(value) = constant(&self.graph.exprs, *e)
        {
            self.values.insert(node, Value::Plain(Arg::Int(value)));
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
        let value = self.result(data.meta.as_ref())?;
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

    fn result(&mut self, meta: Option<&Meta>) -> Result<Value, String> {
        Ok(match meta {
            Some(Meta::Tensor(meta)) => Value::Tensor(self.buf(meta, Storage::Result)?),
            Some(Meta::Tuple(parts)) if parts.iter().all(|p| !matches!(p, Some(Meta::Tuple(_)))) => {
                let parts = parts.iter().map(|part| self.result(part.as_ref()));
                Value::Tuple(parts.collect::<Result<_, _>>()?)
            }
            _ => {
                self.objects += 1;
                Value::Object(ObjectId::from_u32(self.objects - 1))
            }
        })
    }

    fn arg(&self, arg: &Arg) -> Result<CallArg, String> {
        Ok(match arg {
            Arg::Node(node) => match self.values.get(node) {
                Some(value) => self.value(value),
                None => return Err(format!("{} has no value", self.graph[*node].name)),
            },
            Arg::Sym(e) => CallArg::Plain(self.int(*e)?),
            Arg::List(items) | Arg::Tuple(items) if !is_plain(arg) => {
                CallArg::List(items.iter().map(|a| self.arg(a)).collect::<Result<_, _>>()?)
            }
            _ if is_plain(arg) => CallArg::Plain(arg.clone()),
            _ => return Err(format!("an argument holds a node where none is expected: {arg:?}")),
        })
    }

    fn value(&self, value: &Value) -> CallArg {
        match value {
            Value::Tensor(buf) => CallArg::Tensor(self.whole(*buf)),
            Value::Object(object) => CallArg::Object(*object),
            Value::Plain(arg) => CallArg::Plain(arg.clone()),
            Value::Tuple(parts) => CallArg::List(parts.iter().map(|p| self.value(p)).collect()),
        }
    }

    fn whole(&self, buf: Buf) -> View {
        let data = &self.bufs[buf];
        View { buf, dtype: data.dtype, layout: data.layout.clone() }
    }

    fn outputs(&self, node: NodeId) -> Result<Vec<Output>, String> {
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

fn constant(pool: &Pool, e: symshapes::Expr) -> Result<i64, String> {
    pool.as_int(e).ok_or_else(|| format!("`{}` is not constant", pool.display(e)))
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

/// Frees each result after the last step that reads it, unless it is returned.
fn with_frees(steps: Vec<Step>, bufs: &PrimaryMap<Buf, BufData>, outputs: &[Output]) -> Vec<Step> {
    let mut last: FxHashMap<Buf, usize> = FxHashMap::default();
    for (at, step) in steps.iter().enumerate() {
        let Step::Call(call) = step else { continue };
        let mut mark = |buf| {
            last.insert(buf, at);
        };
        call.args.iter().chain(call.kwargs.iter().map(|(_, a)| a)).for_each(|a| each_buf(a, &mut mark));
        call.results.iter().for_each(|r| {
            if let CallResult::Tensor(buf) = r {
                mark(*buf);
            }
        });
    }
    for output in outputs {
        if let Output::Tensor(view) = output {
            last.remove(&view.buf);
        }
    }
    let mut dead: Vec<(usize, Buf)> = last.into_iter().map(|(buf, at)| (at, buf)).collect();
    dead.retain(|(_, buf)| bufs[*buf].storage == Storage::Result);
    dead.sort_unstable();
    let mut dead = dead.into_iter().peekable();
    let mut all = Vec::new();
    for (at, step) in steps.into_iter().enumerate() {
        all.push(step);
        while let Some((_, buf)) = dead.next_if(|(when, _)| *when == at) {
            all.push(Step::Free(buf));
        }
    }
    all
}

fn each_buf(arg: &CallArg, f: &mut impl FnMut(Buf)) {
    match arg {
        CallArg::Tensor(view) => f(view.buf),
        CallArg::List(items) => items.iter().for_each(|a| each_buf(a, f)),
        CallArg::Object(_) | CallArg::Plain(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use symshapes::{DType, Device};

    fn tensor(graph: &mut Graph, node: NodeId, sizes: &[i64]) -> TensorMeta {
        let strides = inductor::tensor_ir::contiguous_strides(sizes);
        let mut dims = |dims: &[i64]| dims.iter().map(|&n| graph.exprs.int(n)).collect();
        let (sizes, strides) = (dims(sizes), dims(&strides));
        let offset = graph.exprs.int(0);
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
        .assert_eq(&plan.to_string());
    }
}
