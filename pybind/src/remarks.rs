//! Lines of `explain` on how a graph came about: what functionalization did, what is saved for gradients, and what is
//! computed again.

use autograd::{Backward, Forward, Saved, bytes};
use fx::passes::{Base, Functional, Given};
use fx::{Arg, Graph};
use indexmap::IndexMap;
use std::sync::Arc;

/// The number of names in a list, beyond which the others are counted.
const MOST_NAMES: usize = 6;

/// The writes and views of a graph, which became functional.
pub(crate) fn functionalized(original: &Graph, functional: &Functional) -> Vec<String> {
    let mut remarks = Vec::new();
    let input = |number: usize| original.placeholders().nth(number).map_or("", |input| original[input].name.as_ref());
    let ops = original.nodes().filter_map(|id| original[id].op());
    let writes = counted(ops.filter(|op| op.mutates()).map(|op| op.packet().name()));
    if !writes.is_empty() {
        let written = listed(functional.written.iter().map(|&(number, _)| input(number).to_owned()));
        let ends = if written.is_empty() { String::new() } else { format!("; written to at the end: {written}") };
        remarks.push(format!("functionalized: {writes}{ends}"));
    }
    let viewed = (0..).zip(&functional.results).filter_map(|(number, result)| match result {
        Given::View { base: Base::Input(of), .. } => Some(format!("{number} of input {}", input(*of))),
        Given::View { base: Base::Output(of), path } if !path.is_empty() => Some(format!("{number} of output {of}")),
        _ => None,
    });
    let viewed = listed(viewed);
    if !viewed.is_empty() {
        remarks.push(format!("results that are views: {viewed}"));
    }
    remarks
}

/// The values that a forward graph saves, in which torch's autograd records calls of these overloads.
pub(crate) fn saved(forward: &Forward, regions: usize, by_torch: &[String]) -> Vec<String> {
    let Forward { graph, results, saved, saved_bytes, .. } = forward;
    let inputs = saved.iter().filter(|saved| matches!(saved, Saved::Input(_))).count();
    let mut remarks = vec![format!(
        "saved for backward graphs: {inputs} inputs and {} values, of which {} are not results",
        saved.len() - inputs,
        mebibytes(*saved_bytes)
    )];
    let outputs = graph.output_node().and_then(|output| graph[output].args.first()).and_then(Arg::as_list);
    let given = outputs.unwrap_or_default().get(*results..).unwrap_or_default().iter().filter_map(Arg::as_node);
    let sized = given.filter_map(|id| Some((bytes(graph, graph[id].tensor_meta()?), graph[id].name.clone())));
    let mut largest: Vec<(u64, Arc<str>)> = sized.collect();
    largest.sort_by_key(|&(bytes, _)| std::cmp::Reverse(bytes));
    let largest = listed(largest.into_iter().map(|(bytes, name)| format!("{name} {}", mebibytes(bytes))));
    if !largest.is_empty() {
        remarks.push(format!("  {largest}"));
    }
    if regions > 0 {
        remarks.push(format!("checkpointed regions, whose own values are not saved: {regions}"));
    }
    if !by_torch.is_empty() {
        remarks.push(format!("differentiated by torch's autograd: {}", by_torch.join(", ")));
    }
    remarks
}

/// The calls that a backward graph repeats.
pub(crate) fn recomputed(backward: &Backward) -> Vec<String> {
    let Backward { graph, recomputed, .. } = backward;
    let names = recomputed.iter().filter_map(|&id| graph[id].op()).map(|op| op.packet().name());
    let names = counted(names);
    let names = if names.is_empty() { names } else { format!(": {names}") };
    vec![format!("{} calls of the forward graph are computed again{names}", recomputed.len())]
}

/// Names, each once with how often it comes if that is more than once, the most frequent first.
fn counted(names: impl Iterator<Item = &'static str>) -> String {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.sort_by(|_, a, _, b| b.cmp(a));
    listed(counts.into_iter().map(|(name, count)| if count > 1 { format!("{name} ×{count}") } else { name.to_owned() }))
}

/// The first items of a list, and the number of others.
fn listed(items: impl Iterator<Item = String>) -> String {
    let mut items: Vec<String> = items.collect();
    if items.len() > MOST_NAMES {
        let more = items.split_off(MOST_NAMES).len();
        items.push(format!("{more} more"));
    }
    items.join(", ")
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
