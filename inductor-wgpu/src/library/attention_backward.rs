//! Backward of attention: the weights of the softmax are computed again from the scores and the logarithms that forward
//! kept.
//!
//! One kernel goes over the keys for 8 queries (the query's gradient), another over the queries for 8 keys (the key's
//! and the value's). 16 threads share a row, as in forward.

use inductor::device::{Refusal, Task};
use inductor::plan::View;

use super::attention::{HIDDEN, Heads, stretched};
use super::builder::{Builder, joined};
use super::call::Given;
use super::groups;
use crate::Gpu;
use crate::work::Work;

const DIMS: [&str; 4] = ["batch", "head", "row", "column"];

/// Rows of a workgroup.
const ROWS: i64 = 8;

/// `_scaled_dot_product_flash_attention_for_cpu_backward`, without dropout.
pub(super) fn backward(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let heads = Heads::of(given)?;
    let mut tasks = Vec::new();
    if let Some(out) = given.opt_result(0)? {
        tasks.push(one(gpu, given, &heads, OF_QUERY, &[("of_query", out)])?);
    }
    let others = [("of_key", given.opt_result(1)?), ("of_value", given.opt_result(2)?)];
    let others: Vec<(&'static str, View)> = others.into_iter().filter_map(|(name, out)| Some((name, out?))).collect();
    if !others.is_empty() {
        tasks.push(one(gpu, given, &heads, OF_KEY, &others)?);
    }
    Ok(joined(tasks))
}

/// One of the two kernels, and what it writes.
fn one(
    gpu: &Gpu,
    given: &Given<'_>,
    heads: &Heads,
    text: &str,
    outs: &[(&'static str, View)],
) -> Result<Task<Work>, Refusal> {
    let mut builder = Builder::new(gpu, given.plan);
    heads.declare(&mut builder, given)?;
    for (binding, name) in
        [("query", "query"), ("key", "key"), ("value", "value"), ("grad", "grad_out"), ("mean", "out")]
    {
        builder.reads(binding, given.tensor(name)?, &DIMS)?;
    }
    builder.reads("sums", given.tensor("logsumexp")?, &DIMS[..3])?;
    let mut added = "";
    if let Some(mask) = given.opt_tensor("attn_mask")? {
        builder.reads("mask", &stretched(mask, heads.scores())?, &DIMS)?;
        added = "score += mask_get(p.mask_offset + batch * p.mask_batch + head * p.mask_head + row * p.mask_row \
                 + column * p.mask_column);";
    }
    let mut stores = String::new();
    for (name, view) in outs {
        builder.writes(name, view, &DIMS)?;
        stores += &format!(
            "{name}_put(p.{name}_offset + batch * p.{name}_batch + head * p.{name}_head + at * p.{name}_row \
             + e * p.{name}_column, result_{name}[i]);\n"
        );
    }
    let seen = if given.bool("is_causal")? { "&& column <= row" } else { "" };
    let text = [FUNCTIONS, text].concat();
    let text = text.replace("SEEN", seen).replace("ADDED", added).replace("STORES", &stores).replace("HIDDEN", HIDDEN);
    let text = heads.written(&text)?;
    let (rows, heads_of_rows) =
        if outs[0].0 == "of_query" { (heads.length, heads.heads) } else { (heads.keys, heads.key_heads) };
    builder.finish(&text, [groups(rows, ROWS)?, groups(heads.batches * heads_of_rows, 1)?, 1])
}

/// Elements, and the weight of a pair with its gradient: `x` is the weight, `y` that of the score.
const FUNCTIONS: &str = "
var<workgroup> weights: array<f32, 128>;
var<workgroup> slopes: array<f32, 128>;
fn query_at(batch: u32, head: u32, row: u32, e: u32) -> f32 {
    return query_get(p.query_offset + batch * p.query_batch + head * p.query_head + row * p.query_row + e * p.query_column);
}
fn key_at(batch: u32, head: u32, row: u32, e: u32) -> f32 {
    return key_get(p.key_offset + batch * p.key_batch + (head / p.sharers) * p.key_head + row * p.key_row + e * p.key_column);
}
fn value_at(batch: u32, head: u32, row: u32, e: u32) -> f32 {
    return value_get(p.value_offset + batch * p.value_batch + (head / p.sharers) * p.value_head + row * p.value_row + e * p.value_column);
}
fn grad_at(batch: u32, head: u32, row: u32, e: u32) -> f32 {
    return grad_get(p.grad_offset + batch * p.grad_batch + head * p.grad_head + row * p.grad_row + e * p.grad_column);
}
fn mean_at(batch: u32, head: u32, row: u32, e: u32) -> f32 {
    return mean_get(p.mean_offset + batch * p.mean_batch + head * p.mean_head + row * p.mean_row + e * p.mean_column);
}
fn pair(batch: u32, head: u32, row: u32, column: u32) -> vec2<f32> {
    if (row >= p.length || column >= p.keys) { return vec2<f32>(0.0, 0.0); }
    var score = HIDDEN;
    if (true SEEN) {
        score = 0.0;
        for (var e = 0u; e < p.width; e++) { score += query_at(batch, head, row, e) * key_at(batch, head, column, e); }
        score *= p.scale;
        ADDED
    }
    if (score <= HIDDEN) { return vec2<f32>(0.0, 0.0); }
    let sum = sums_get(p.sums_offset + batch * p.sums_batch + head * p.sums_head + row * p.sums_row);
    let weight = exp(score - sum);
    var slope = 0.0;
    for (var e = 0u; e < p.width; e++) {
        slope += grad_at(batch, head, row, e) * (value_at(batch, head, column, e) - mean_at(batch, head, row, e));
    }
    return vec2<f32>(weight, weight * slope);
}
";

const OF_QUERY: &str = "
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let batch = group.y / p.heads;
    let head = group.y % p.heads;
    let own = thread / 16u;
    let lane = thread % 16u;
    let at = group.x * 8u + own;
    var result_of_query: array<f32, PER_LANE>;
    for (var start = 0u; start < p.keys; start += 16u) {
        slopes[thread] = pair(batch, head, at, start + lane).y;
        workgroupBarrier();
        for (var i = 0u; i < PER_LANEu; i++) {
            let e = i * 16u + lane;
            var sum = result_of_query[i];
            if (e < p.width) {
                for (var j = 0u; j < min(16u, p.keys - start); j++) {
                    sum += p.scale * slopes[own * 16u + j] * key_at(batch, head, start + j, e);
                }
            }
            result_of_query[i] = sum;
        }
        workgroupBarrier();
    }
    if (at >= p.length) { return; }
    for (var i = 0u; i < PER_LANEu; i++) {
        let e = i * 16u + lane;
        if (e < p.width) { STORES }
    }
}
";

const OF_KEY: &str = "
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let batch = group.y / p.key_heads;
    let head = group.y % p.key_heads;
    let own = thread / 16u;
    let lane = thread % 16u;
    let at = group.x * 8u + own;
    var result_of_key: array<f32, PER_LANE>;
    var result_of_value: array<f32, PER_LANE>;
    for (var one = 0u; one < p.sharers; one++) {
        let sharing = head * p.sharers + one;
        for (var start = 0u; start < p.length; start += 16u) {
            let both = pair(batch, sharing, start + lane, at);
            weights[thread] = both.x;
            slopes[thread] = both.y;
            workgroupBarrier();
            for (var i = 0u; i < PER_LANEu; i++) {
                let e = i * 16u + lane;
                var of_keys = result_of_key[i];
                var of_values = result_of_value[i];
                if (e < p.width) {
                    for (var j = 0u; j < min(16u, p.length - start); j++) {
                        of_keys += p.scale * slopes[own * 16u + j] * query_at(batch, sharing, start + j, e);
                        of_values += weights[own * 16u + j] * grad_at(batch, sharing, start + j, e);
                    }
                }
                result_of_key[i] = of_keys;
                result_of_value[i] = of_values;
            }
            workgroupBarrier();
        }
    }
    if (at >= p.keys) { return; }
    for (var i = 0u; i < PER_LANEu; i++) {
        let e = i * 16u + lane;
        if (e < p.width) { STORES }
    }
}
";
