//! Properties of printing, JSON and passes over random graphs of integer arithmetic.

use cranelift_entity::SecondaryMap;
use fx::passes::{Effect, eliminate_common_subexpressions, eliminate_dead_code, fold_constants, partition};
use fx::{Arg, Graph, Kind, NodeId, verify::verify};
use proptest::prelude::*;

const OPERATORS: [&str; 4] = ["operator.add", "operator.sub", "operator.mul", "operator.neg"];
const INPUTS: usize = 3;

/// A node to add: an operator, and operands that are earlier nodes (modulo their number) or small constants.
type Step = (usize, Operand, Operand);
#[derive(Clone, Debug)]
enum Operand {
    Node(usize),
    Const(i64),
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![3 => (0usize..64).prop_map(Operand::Node), 1 => (-3i64..4).prop_map(Operand::Const)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..OPERATORS.len(), operand(), operand()), 1..40)
}

fn build(steps: &[Step]) -> Graph {
    let mut g = Graph::new();
    let mut nodes: Vec<NodeId> = (0..INPUTS).map(|i| g.placeholder(format!("x{i}"))).collect();
    for (operator, a, b) in steps {
        let arg = |o: &Operand| match o {
            Operand::Node(n) => Arg::Node(nodes[n % nodes.len()]),
            Operand::Const(v) => Arg::Int(*v),
        };
        let args = if *operator == 3 { vec![arg(a)] } else { vec![arg(a), arg(b)] };
        nodes.push(g.call_function(OPERATORS[*operator], args, vec![]));
    }
    let last: Vec<Arg> = nodes.iter().rev().step_by(3).take(4).map(|&n| Arg::Node(n)).collect();
    g.output(Arg::Tuple(last));
    g
}

/// The values of a graph's output; `call` gives those of a submodule.
fn run(g: &Graph, inputs: &[i64], call: &impl Fn(&str, &[i64]) -> Vec<i64>) -> Vec<i64> {
    let mut values: SecondaryMap<NodeId, Vec<i64>> = SecondaryMap::new();
    let mut inputs = inputs.iter();
    for id in g.nodes() {
        let node = &g[id];
        let scalar = |a: &Arg| match a {
            Arg::Node(n) => values[*n][0],
            other => other.as_int().expect("an operand is a node or an int"),
        };
        values[id] = match (node.kind, node.target.as_str(), node.args.as_slice()) {
            (Kind::Placeholder, ..) => vec![*inputs.next().expect("an input for each placeholder")],
            (Kind::Output, _, [Arg::Tuple(items)]) => return items.iter().map(scalar).collect(),
            (Kind::Output, _, [one]) => return vec![scalar(one)],
            (Kind::CallModule, name, args) => call(name, &args.iter().map(scalar).collect::<Vec<_>>()),
            (_, "operator.getitem", [Arg::Node(n), Arg::Int(i)]) => vec![values[*n][*i as usize]],
            (_, "operator.add" | "custom.add", [a, b]) => vec![scalar(a).wrapping_add(scalar(b))],
            (_, "operator.sub", [a, b]) => vec![scalar(a).wrapping_sub(scalar(b))],
            (_, "operator.mul", [a, b]) => vec![scalar(a).wrapping_mul(scalar(b))],
            (_, "operator.neg", [a]) => vec![scalar(a).wrapping_neg()],
            other => panic!("the evaluator does not know {other:?}"),
        };
    }
    vec![]
}

fn plain(g: &Graph, inputs: [i64; INPUTS]) -> Vec<i64> {
    run(g, &inputs, &|name, _| panic!("no submodule {name}"))
}

proptest! {
    #[test]
    fn text_and_json_round_trip(steps in steps()) {
        let g = build(&steps);
        let text = g.to_text();
        prop_assert_eq!(&text.parse::<Graph>().expect("printed text parses").to_text(), &text);
        prop_assert_eq!(&Graph::from_json(&g.to_json()).expect("our JSON reads back").to_text(), &text);
    }

    #[test]
    fn passes_keep_the_meaning(steps in steps(), inputs: [i64; INPUTS]) {
        let mut g = build(&steps);
        let before = plain(&g, inputs);
        fold_constants(&mut g);
        prop_assert_eq!(verify(&g), Ok(()));
        prop_assert_eq!(&plain(&g, inputs), &before);
        eliminate_common_subexpressions(&mut g, |_| Effect::Pure);
        prop_assert_eq!(verify(&g), Ok(()));
        prop_assert_eq!(&plain(&g, inputs), &before);
        eliminate_dead_code(&mut g, |_| false);
        prop_assert_eq!(verify(&g), Ok(()));
        prop_assert_eq!(&plain(&g, inputs), &before);
        let users = g.users();
        prop_assert!(g.nodes().all(|n| !users[n].is_empty() || !matches!(g[n].kind, Kind::CallFunction)));
        prop_assert_eq!(eliminate_common_subexpressions(&mut g, |_| Effect::Pure), 0);
    }

    #[test]
    fn partitions_keep_the_meaning(steps in steps(), inputs: [i64; INPUTS], foreign: u64) {
        let mut g = build(&steps);
        // Every so often an operator that the backend does not support.
        let adds: Vec<NodeId> = g.nodes().filter(|&n| g[n].target == "operator.add").collect();
        for (_, n) in adds.into_iter().enumerate().filter(|(i, _)| foreign >> (i % 64) & 1 == 1) {
            g[n].target = "custom.add".into();
        }
        let parts = partition(&g, |n| n.target != "custom.add");
        prop_assert_eq!(verify(&parts.outer), Ok(()));
        for p in &parts.partitions {
            prop_assert_eq!(verify(&p.graph), Ok(()));
        }
        let call = |name: &str, args: &[i64]| {
            let p = parts.partitions.iter().find(|p| p.name == name).expect("a partition of this name");
            run(&p.graph, args, &|name, _| panic!("no submodule {name}"))
        };
        prop_assert_eq!(run(&parts.outer, &inputs, &call), plain(&g, inputs));
        let again = partition(&parts.outer, |n| n.kind == Kind::CallModule || n.target == "operator.getitem");
        prop_assert!(again.partitions.len() == parts.partitions.len(), "two partitions could be one");
        let foreign_only = |n| !matches!(g[n].kind, Kind::CallFunction) || g[n].target == "custom.add";
        prop_assert!(!g.nodes().all(foreign_only) || parts.partitions.is_empty());
    }
}
