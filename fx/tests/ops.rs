//! Runs recorded calls of ATen overloads (`ops/cases.py` writes them) through the interpreter and the shape rules, and
//! compares both with what torch gave.

use fx::{Arg, Graph, Meta, Scalar, TensorMeta, infer};
use fx_interp::{self as interp, Tensor, Value};
use serde_json::Value as Json;
use symshapes::{DType, Device, Pool};

const CASES: &str = include_str!("ops/cases.jsonl");

/// The calls that the shape rules cannot answer: sizes that depend on values, compositions of others.
const WITHOUT_SHAPE: &[&str] = &["nonzero.default", "pixel_shuffle.default"];

fn cases() -> impl Iterator<Item = (usize, Json)> {
    CASES.lines().enumerate().map(|(i, line)| (i + 1, serde_json::from_str(line).expect("a line of JSON")))
}

fn ints(json: &Json) -> Vec<i64> {
    json.as_array().into_iter().flatten().map(|v| v.as_i64().expect("an int")).collect()
}

fn scalar(json: &Json) -> Scalar {
    match json {
        Json::Bool(b) => (*b).into(),
        Json::Number(n) => n.as_i64().map_or_else(|| Scalar::Float(n.as_f64().expect("a number")), Scalar::Int),
        Json::String(s) => Scalar::Float(s.parse().expect("a float")),
        other => panic!("no number: {other}"),
    }
}

fn tensor(json: &Json) -> Option<Tensor> {
    let dtype: DType = json.get("tensor")?.as_str()?.parse().expect("a dtype");
    let sizes: Vec<usize> = ints(&json["sizes"]).into_iter().map(|s| s as usize).collect();
    Tensor::from_values(dtype, &sizes, json["values"].as_array()?.iter().map(scalar))
}

/// The argument that a JSON value stands for; `node` makes one of a tensor.
fn arg(json: &Json, node: &mut dyn FnMut(&Json) -> Arg) -> Arg {
    match json {
        Json::Null => Arg::None,
        Json::Bool(b) => Arg::Bool(*b),
        Json::Number(n) => n.as_i64().map_or_else(|| Arg::Float(n.as_f64().expect("a number")), Arg::Int),
        Json::String(s) if matches!(s.as_str(), "inf" | "-inf" | "nan") => Arg::Float(s.parse().expect("a float")),
        Json::String(s) => Arg::Str(s.clone()),
        Json::Array(items) => Arg::List(items.iter().map(|v| arg(v, node)).collect()),
        Json::Object(o) if o.contains_key("tensor") => node(json),
        Json::Object(o) if o.contains_key("dtype") => {
            Arg::DType(o["dtype"].as_str().unwrap_or("").parse().expect("a dtype"))
        }
        Json::Object(o) => Arg::MemoryFormat(o["memory_format"].as_str().expect("a format").to_owned()),
    }
}

fn meta(pool: &mut Pool, json: &Json) -> Option<Meta> {
    if let Json::Array(items) = json {
        return Some(Meta::Tuple(items.iter().map(|v| meta(pool, v)).collect()));
    }
    let dtype = json.get("tensor")?.as_str()?.parse().expect("a dtype");
    let mut exprs = |name: &str| ints(&json[name]).into_iter().map(|i| pool.int(i)).collect::<Vec<_>>();
    let (sizes, strides) = (exprs("sizes"), exprs("strides"));
    let offset = pool.int(0);
    Some(Meta::Tensor(TensorMeta { dtype, device: Device::CPU, sizes, strides, offset, requires_grad: false }))
}

/// A graph of the one call, and its node.
fn graph(case: &Json) -> (Graph, fx::NodeId, Vec<Value>) {
    let (mut graph, mut inputs) = (Graph::new(), Vec::new());
    let mut node = |json: &Json| {
        let id = graph.placeholder(format!("x{}", inputs.len()));
        graph[id].meta = meta(&mut graph.exprs, json);
        inputs.push(Value::Tensor(tensor(json).expect("a tensor")));
        Arg::Node(id)
    };
    let args = case["args"].as_array().into_iter().flatten().map(|a| arg(a, &mut node)).collect();
    let kwargs = case.get("kwargs").and_then(Json::as_object).into_iter().flatten();
    let kwargs = kwargs.map(|(k, v)| (k.clone(), arg(v, &mut node))).collect();
    let id = graph.call_function(case["op"].as_str().expect("an op"), args, kwargs);
    graph.output(Arg::Tuple(vec![Arg::Node(id)]));
    (graph, id, inputs)
}

/// True if a value is torch's, within a tolerance for floats: torch rounds at more places than the oracle does.
fn close(dtype: DType, got: Scalar, want: Scalar) -> bool {
    let (Scalar::Float(a), Scalar::Float(b)) = (got, want) else { return got == want };
    let tolerance = match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 2e-5,
        _ => 1.6e-2,
    };
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * b.abs().max(1.0)
}

fn same(got: &Value, want: &Json) -> Result<(), String> {
    match (got, want) {
        (Value::Plain(Arg::None), Json::Null) => Ok(()),
        (Value::Tuple(items), Json::Array(wanted)) if items.len() == wanted.len() => {
            items.iter().zip(wanted).try_for_each(|(g, w)| same(g, w))
        }
        (Value::Tensor(got), _) => {
            let want = tensor(want).ok_or("no tensor wanted")?;
            let shape = |t: &Tensor| format!("{}{:?}", t.dtype(), t.sizes());
            if shape(got) != shape(&want) {
                return Err(format!("{} for {}", shape(got), shape(&want)));
            }
            match got.values().zip(want.values()).find(|(g, w)| !close(got.dtype(), *g, *w)) {
                Some((g, w)) => Err(format!("{g} for {w}")),
                None => Ok(()),
            }
        }
        _ => Err(format!("{got:?} for {want}")),
    }
}

#[test]
fn interpreter_agrees_with_torch() {
    let mut wrong = Vec::new();
    for (line, case) in cases() {
        let (graph, _, inputs) = graph(&case);
        let result = interp::run(&graph, &inputs).map_err(|e| e.to_string());
        if let Err(why) = result.and_then(|out| same(&out[0], &case["out"])) {
            wrong.push(format!("line {line}: {}: {why}", case["op"]));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn shape_rules_agree_with_torch() {
    let mut wrong = Vec::new();
    for (line, case) in cases() {
        let (mut graph, id, _) = graph(&case);
        let op = case["op"].as_str().unwrap_or("");
        if WITHOUT_SHAPE.contains(&op.strip_prefix("aten.").unwrap_or(op)) {
            continue;
        }
        graph[id].meta = meta(&mut graph.exprs, &case["out"]);
        let why = match infer::node(&mut graph, id) {
            Err(e) if e.to_string().contains("mask") => continue,
            Err(e) => e.to_string(),
            Ok(_) => match infer::check(&graph).first() {
                Some(mismatch) => mismatch.to_string(),
                None => continue,
            },
        };
        wrong.push(format!("line {line}: {op}: {why}"));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
