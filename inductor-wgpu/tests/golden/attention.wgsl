struct Numbers { heads: u32, key_heads: u32, sharers: u32, length: u32, keys: u32, width: u32, scale: f32, query_offset: u32, query_batch: u32, query_head: u32, query_row: u32, query_column: u32, key_offset: u32, key_batch: u32, key_head: u32, key_row: u32, key_column: u32, value_offset: u32, value_batch: u32, value_head: u32, value_row: u32, value_column: u32, out_offset: u32, out_batch: u32, out_head: u32, out_row: u32, out_column: u32, sums_offset: u32, sums_batch: u32, sums_head: u32, sums_row: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> query: array<f32>;
@group(0) @binding(2) var<storage, read> key: array<f32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> sums: array<f32>;
fn query_get(at: u32) -> f32 {
    return query[at];
}
fn key_get(at: u32) -> f32 {
    return key[at];
}
fn value_get(at: u32) -> f32 {
    return value[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}
fn sums_put(at: u32, value: f32) {
    sums[at] = value;
}

var<workgroup> queries: array<f32, 8 * 16>;
var<workgroup> slab: array<f32, 16 * 16>;
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
    var top = -1.0e38;
    var total = 0.0;
    var result: array<f32, 1>;
    for (var at = 0u; at < p.keys; at += 16u) {
        let column = at + lane;
        let is_seen = row < p.length && column < p.keys && column <= row;
        var score = 0.0;
        for (var first = 0u; first < p.width; first += 16u) {
            let part = min(16u, p.width - first);
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
        if (is_seen) {  } else { score = -1.0e38; }
        scores[thread] = score;
        workgroupBarrier();
        var highest = top;
        for (var j = 0u; j < 16u; j++) { highest = max(highest, scores[own * 16u + j]); }
        workgroupBarrier();
        var weight = 0.0;
        if (score > -1.0e38) { weight = exp(score - highest); }
        scores[thread] = weight;
        let shrink = exp(top - highest);
        for (var first = 0u; first < p.width; first += 16u) {
            let part = min(16u, p.width - first);
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
            for (var i = 0u; i < 1u; i++) {
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
    for (var i = 0u; i < 1u; i++) {
        let e = i * 16u + lane;
        if (e < p.width) {
            var mean = 0.0;
            if (total > 0.0) { mean = result[i] / total; }
            out_put(p.out_offset + batch * p.out_batch + head * p.out_head + row * p.out_row + e * p.out_column, mean);
        }
    }
    if (lane == 0u) { sums_put(p.sums_offset + batch * p.sums_batch + head * p.sums_head + row * p.sums_row, top + log(total)); }
}
