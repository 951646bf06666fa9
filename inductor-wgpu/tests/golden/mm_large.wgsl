struct Numbers { m: u32, n: u32, k: u32, a_offset: u32, a_batch: u32, a_row: u32, a_column: u32, b_offset: u32, b_batch: u32, b_row: u32, b_column: u32, out_offset: u32, out_batch: u32, out_row: u32, out_column: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
fn a_get(at: u32) -> f32 {
    return a[at];
}
fn b_get(at: u32) -> f32 {
    return b[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
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
var<workgroup> slab_a: array<f32, 1024>;
var<workgroup> slab_b: array<f32, 1024>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * 64u;
    let column = group.x * 64u;
    let own_row = (thread / 16u) * 4u;
    let own_column = (thread % 16u) * 4u;
    var sums: array<f32, 16>;
    for (var at = 0u; at < p.k; at += 16u) {
        for (var i = 0u; i < 4u; i++) {
            let e = thread + i * 256u;
            let r = e / 16u;
            let k = e % 16u;
            var value = f32(0);
            if (row + r < p.m && at + k < p.k) { value = load_a(group.z, row + r, at + k); }
            slab_a[k * 64u + r] = value;
        }
        for (var i = 0u; i < 4u; i++) {
            let e = thread + i * 256u;
            let c = e / 16u;
            let k = e % 16u;
            var value = f32(0);
            if (column + c < p.n && at + k < p.k) { value = load_b(group.z, at + k, column + c); }
            slab_b[k * 64u + c] = value;
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            for (var r = 0u; r < 4u; r++) {
                let a = slab_a[k * 64u + own_row + r];
                for (var c = 0u; c < 4u; c++) {
                    sums[r * 4u + c] += a * slab_b[k * 64u + own_column + c];
                }
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 4u; r++) {
        for (var c = 0u; c < 4u; c++) {
            if (row + own_row + r < p.m && column + own_column + c < p.n) {
                store(group.z, row + own_row + r, column + own_column + c, sums[r * 4u + c]);
            }
        }
    }
}
