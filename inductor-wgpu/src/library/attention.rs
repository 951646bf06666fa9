//! Scaled dot product attention in one pass over the keys: the softmax of a row is kept up to date while they stream
//! by.
//!
//! A workgroup takes 8 queries of one head. 16 threads share a query: each scores one of 16 keys at a time, and owns
//! every sixteenth element of the result. Keys and values come through workgroup memory, in parts of their width where
//! that is too wide. A score below [`HIDDEN`] is a masked one, so that no infinity is computed with.

use inductor::device::{Refusal, Task};
use inductor::plan::{Layout, View};

use super::builder::Builder;
use super::call::Given;
use super::groups;
use crate::Gpu;
use crate::work::Work;

/// Queries of a workgroup.
const QUERIES: i64 = 8;

/// Scores below this count as masked.
pub(super) const HIDDEN: &str = "-1.0e38";

/// The widest head: what a thread keeps of a result.
const WIDEST: i64 = 512;

/// `_scaled_dot_product_flash_attention_for_cpu`, without dropout.
pub(super) fn attention(gpu: &Gpu, given: &Given<'_>) -> Result<Task<Work>, Refusal> {
    let heads = Heads::of(given)?;
    let [query, key, value] = [given.tensor("query")?, given.tensor("key")?, given.tensor("value")?];
    let (mask, out, sums) = (given.opt_tensor("attn_mask")?, given.result()?, given.opt_result(1)?);
    let mut builder = Builder::new(gpu, given.plan);
    heads.declare(&mut builder, given)?;
    let dims = ["batch", "head", "row", "column"];
    for (name, view) in [("query", query), ("key", key), ("value", value)] {
        builder.reads(name, view, &dims)?;
    }
    builder.writes("out", &out, &dims)?;
    let mut added = "";
    if let Some(mask) = mask {
        builder.reads("mask", &stretched(mask, heads.scores())?, &dims)?;
        added = "score += mask_get(p.mask_offset + batch * p.mask_batch + head * p.mask_head + row * p.mask_row \
                 + column * p.mask_column);";
    }
    let mut store = "";
    if let Some(sums) = sums {
        builder.writes("sums", &sums, &dims[..3])?;
        store = "if (lane == 0u) { sums_put(p.sums_offset + batch * p.sums_batch + head * p.sums_head \
                 + row * p.sums_row, top + log(total)); }";
    }
    let seen = if given.bool("is_causal")? { "column < p.keys && column <= row" } else { "column < p.keys" };
    let text = TEXT.replace("SEEN", seen).replace("ADDED", added).replace("STORE", store).replace("HIDDEN", HIDDEN);
    let text = heads.written(&text.replace("PART", &heads.part(gpu)?.to_string()))?;
    builder.finish(&text, [groups(heads.length, QUERIES)?, groups(heads.batches * heads.heads, 1)?, 1])
}

/// The sizes of attention.
pub(super) struct Heads {
    pub(super) batches: i64,
    pub(super) heads: i64,
    /// Heads of the keys and values, each of which as many heads of the queries share.
    pub(super) key_heads: i64,
    pub(super) length: i64,
    pub(super) keys: i64,
    width: i64,
}

impl Heads {
    /// The sizes of a call without dropout.
    pub(super) fn of(given: &Given<'_>) -> Result<Heads, Refusal> {
        if given.float("dropout_p")? != 0.0 {
            return Refusal::because("attention with dropout");
        }
        let sizes = |name: &str| <[i64; 4]>::try_from(&given.tensor(name)?.layout.sizes[..]).map_err(|_| rank());
        let ([batches, heads, length, width], key) = (sizes("query")?, sizes("key")?);
        let [_, key_heads, keys, _] = key;
        if width > WIDEST || key != sizes("value")? || key != [batches, key_heads, keys, width] {
            return Refusal::because(format!("attention with heads of {width} elements, or of several widths"));
        }
        let may_share = !given.has("enable_gqa") || given.bool("enable_gqa")?;
        if heads != key_heads && !(may_share && key_heads > 0 && heads % key_heads == 0) {
            return Refusal::because(format!("{heads} heads of queries, and {key_heads} of keys"));
        }
        Ok(Heads { batches, heads, key_heads, length, keys, width })
    }

    /// The elements of each of 16 keys that a workgroup has room for at once, beside its queries and their scores.
    fn part(&self, gpu: &Gpu) -> Result<i64, Refusal> {
        let room = i64::from(gpu.limits().max_compute_workgroup_storage_size) / 4 - 128 - QUERIES * self.width;
        match (room / 16).min(self.width).max(0) {
            part if part == self.width => Ok(part.max(1)),
            part if part >= 16 => Ok(part / 16 * 16),
            _ => Refusal::because(format!("attention with heads of {} elements", self.width)),
        }
    }

    /// The sizes of the scores.
    pub(super) fn scores(&self) -> [i64; 4] {
        [self.batches, self.heads, self.length, self.keys]
    }

    /// Declares the numbers.
    pub(super) fn declare(&self, builder: &mut Builder<'_>, given: &Given<'_>) -> Result<(), Refusal> {
        let sharers = self.heads / self.key_heads.max(1);
        for (name, size) in [
            ("heads", self.heads),
            ("key_heads", self.key_heads),
            ("sharers", sharers),
            ("length", self.length),
            ("keys", self.keys),
            ("width", self.width),
        ] {
            builder.int(name, size)?;
        }
        builder.float("scale", given.opt_float("scale")?.unwrap_or(1.0 / (self.width as f64).sqrt()));
        Ok(())
    }

    /// The text with the width of a head, and the elements of one that a thread owns.
    pub(super) fn written(&self, text: &str) -> Result<String, Refusal> {
        let per_lane = groups(self.width, 16)?.max(1).to_string();
        Ok(text.replace("PER_LANE", &per_lane).replace("WIDTH", &self.width.max(1).to_string()))
    }
}

fn rank() -> Refusal {
    Refusal("attention over tensors of other than four dimensions".to_owned())
}

/// The mask with four dimensions of these sizes.
pub(super) fn stretched(mask: &View, sizes: [i64; 4]) -> Result<View, Refusal> {
    let Layout { sizes: own, strides, offset } = &mask.layout;
    let missing = 4usize.checked_sub(own.len()).ok_or_else(|| Refusal("a mask of more dimensions".to_owned()))?;
    let mut wide = vec![0; missing];
    for ((&size, &stride), wanted) in own.iter().zip(strides).zip(&sizes[missing..]) {
        if size != *wanted && size != 1 {
            return Refusal::because("a mask of other sizes");
        }
        wide.push(if size == 1 { 0 } else { stride });
    }
    Ok(View { layout: Layout { sizes: sizes.to_vec(), strides: wide, offset: *offset }, ..mask.clone() })
}

const TEXT: &str = "
var<workgroup> queries: array<f32, 8 * WIDTH>;
var<workgroup> slab: array<f32, 16 * PART>;
var<workgroup> scores: array<f32, 128>;
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let batch = group.y / p.heads;
    let head = group.y % p.heads;
    let own = thread / 16u;
    let lane = thread % 16u;
    let row = group.x * 8u + own;
    for (var e = thread; e < 8u * p.width; e += 128u) {
        let r = group.x * 8u + e / p.width;
        var value = 0.0;
        if (r < p.length) {
            value = query_get(p.query_offset + batch * p.query_batch + head * p.query_head + r * p.query_row
                + (e % p.width) * p.query_column);
        }
        queries[e] = value;
    }
    var top = HIDDEN;
    var total = 0.0;
    var result: array<f32, PER_LANE>;
    for (var at = 0u; at < p.keys; at += 16u) {
        let column = at + lane;
        let is_seen = row < p.length && SEEN;
        var score = 0.0;
        for (var first = 0u; first < p.width; first += PARTu) {
            let part = min(PARTu, p.width - first);
            workgroupBarrier();
            for (var e = thread; e < 16u * part; e += 128u) {
                let r = at + e / part;
                var value = 0.0;
                if (r < p.keys) {
                    value = key_get(p.key_offset + batch * p.key_batch + (head / p.sharers) * p.key_head + r * p.key_row
                        + (first + e % part) * p.key_column);
                }
                slab[e] = value;
            }
            workgroupBarrier();
            if (is_seen) {
                let of_query = own * p.width + first;
                for (var e = 0u; e < part; e++) { score += queries[of_query + e] * slab[lane * part + e]; }
            }
        }
        score *= p.scale;
        if (is_seen) { ADDED } else { score = HIDDEN; }
        scores[thread] = score;
        workgroupBarrier();
        var highest = top;
        for (var j = 0u; j < 16u; j++) { highest = max(highest, scores[own * 16u + j]); }
        workgroupBarrier();
        var weight = 0.0;
        if (score > HIDDEN) { weight = exp(score - highest); }
        scores[thread] = weight;
        let shrink = exp(top - highest);
        for (var first = 0u; first < p.width; first += PARTu) {
            let part = min(PARTu, p.width - first);
            workgroupBarrier();
            for (var e = thread; e < 16u * part; e += 128u) {
                let r = at + e / part;
                var v = 0.0;
                if (r < p.keys) {
                    v = value_get(p.value_offset + batch * p.value_batch + (head / p.sharers) * p.value_head
                        + r * p.value_row + (first + e % part) * p.value_column);
                }
                slab[e] = v;
            }
            workgroupBarrier();
            for (var i = 0u; i < PER_LANEu; i++) {
                let e = i * 16u + lane;
                if (e >= first && e < first + part) {
                    var sum = result[i] * shrink;
                    for (var j = 0u; j < 16u; j++) { sum += scores[own * 16u + j] * slab[j * part + e - first]; }
                    result[i] = sum;
                }
            }
        }
        workgroupBarrier();
        total *= shrink;
        for (var j = 0u; j < 16u; j++) { total += scores[own * 16u + j]; }
        top = highest;
    }
    if (row >= p.length) { return; }
    for (var i = 0u; i < PER_LANEu; i++) {
        let e = i * 16u + lane;
        if (e < p.width) {
            var mean = 0.0;
            if (total > 0.0) { mean = result[i] / total; }
            out_put(p.out_offset + batch * p.out_batch + head * p.out_head + row * p.out_row + e * p.out_column, mean);
        }
    }
    STORE
}
";
