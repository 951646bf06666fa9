struct Numbers { m: u32, n: u32, k: u32, a_offset: u32, a_batch: u32, a_row: u32, a_column: u32, b_offset: u32, b_batch: u32, b_row: u32, b_column: u32, out_offset: u32, out_batch: u32, out_row: u32, out_column: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<atomic<u32>>;
fn f16_value(word: u32) -> f32 {
    let magnitude = word & 0x7fffu;
    var bits = (magnitude << 13u) + 0x38000000u;
    if (magnitude >= 0x7c00u) { bits += 0x38000000u; }
    if (magnitude < 0x0400u) { bits = bitcast<u32>(f32(magnitude) * 5.9604645e-8); }
    return bitcast<f32>(bits | ((word & 0x8000u) << 16u));
}
fn f16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    var half = ((magnitude + 0x0fffu + ((magnitude >> 13u) & 1u)) >> 13u) - 0x1c000u;
    if (magnitude < 0x38800000u) { half = bitcast<u32>(abs(x) + 0.5) - 0x3f000000u; }
    if (magnitude >= 0x477ff000u) { half = 0x7c00u; }
    if (magnitude > 0x7f800000u) { half = 0x7e00u; }
    return half | ((bits >> 16u) & 0x8000u);
}
fn a_get(at: u32) -> f32 {
    return f16_value(a[(at) >> 1u] >> (((at) & 1u) << 4u));
}
fn b_get(at: u32) -> f32 {
    return f16_value(b[(at) >> 1u] >> (((at) & 1u) << 4u));
}
fn out_put(at: u32, value: f32) {
    let bits = f16_bits(value); let shift = ((at) & 1u) << 4u; atomicAnd(&out[(at) >> 1u], ~(0xffffu << shift)); atomicOr(&out[(at) >> 1u], bits << shift);
}
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    return a_get(p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column);
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    return b_get(p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column);
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    out_put(p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column, sum);
}
var<workgroup> slab_a: array<f32, 256>;
var<workgroup> slab_b: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * 16u;
    let column = group.x * 16u;
    let own_row = (thread / 16u) * 1u;
    let own_column = (thread % 16u) * 1u;
    var sums: array<f32, 1>;
    for (var at = 0u; at < p.k; at += 16u) {
        for (var i = 0u; i < 1u; i++) {
            let e = thread + i * 256u;
            let r = e / 16u;
            let k = e % 16u;
            var value = f32(0);
            if (row + r < p.m && at + k < p.k) { value = load_a(group.z, row + r, at + k); }
            slab_a[k * 16u + r] = value;
        }
        for (var i = 0u; i < 1u; i++) {
            let e = thread + i * 256u;
            let c = e % 16u;
            let k = e / 16u;
            var value = f32(0);
            if (column + c < p.n && at + k < p.k) { value = load_b(group.z, at + k, column + c); }
            slab_b[k * 16u + c] = value;
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            for (var r = 0u; r < 1u; r++) {
                let a = slab_a[k * 16u + own_row + r];
                for (var c = 0u; c < 1u; c++) {
                    sums[r * 1u + c] += a * slab_b[k * 16u + own_column + c];
                }
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 1u; r++) {
        for (var c = 0u; c < 1u; c++) {
            if (row + own_row + r < p.m && column + own_column + c < p.n) {
                store(group.z, row + own_row + r, column + own_column + c, sums[r * 1u + c]);
            }
        }
    }
}
