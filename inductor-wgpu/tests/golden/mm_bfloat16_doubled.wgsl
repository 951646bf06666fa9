struct Numbers { m: u32, n: u32, k: u32, a_offset: u32, a_batch: u32, a_row: u32, a_column: u32, b_offset: u32, b_batch: u32, b_row: u32, b_column: u32, out_offset: u32, out_batch: u32, out_row: u32, out_column: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> b1: array<atomic<u32>>;
fn bf16_value(word: u32) -> f32 { return bitcast<f32>(word << 16u); }
fn bf16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { return 0x7fc0u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
fn a_get(at: u32) -> f32 {
    return bf16_value(a[(at) >> 1u] >> (((at) & 1u) << 4u));
}
fn b_get(at: u32) -> f32 {
    return bf16_value(b[(at) >> 1u] >> (((at) & 1u) << 4u));
}
fn epilogue(group: i32, given: u32) {
  let local = u32(group);
  let v4: i32 = group >> 1u;
  let v5: i32 = group & 1i;
  let v7: i32 = v5 * 16i;
  let v8: u32 = u32(v7);
  let v9: u32 = given;
  let v11: u32 = v9 >> v8;
  let v12: u32 = v11 & 0xffffu;
  let v14: u32 = v12 << 16u;
  let v15: f32 = bitcast<f32>(v14);
  let v18: f32 = v15 + v15;
  let v19: u32 = bitcast<u32>(v18);
  let v20: u32 = v19 >> 16u;
  let v22: u32 = v20 & 0x1u;
  let v24: u32 = v19 + 0x7fffu;
  let v25: u32 = v24 + v22;
  let v26: u32 = v25 >> 16u;
  let v27: i32 = bitcast<i32>(v18);
  let v29: i32 = v27 & 2147483647i;
  let v31: bool = v29 > 2139095040i;
  let v33: u32 = select(v26, 0x7fc0u, v31);
  let v34: u32 = 0xffffu << v8;
  let v35: u32 = ~v34;
  atomicAnd(&b1[v4], v35);
  let v36: u32 = v33 << v8;
  atomicOr(&b1[v4], v36);
}
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    return a_get(p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column);
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    return b_get(p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column);
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    epilogue(i32(p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column), bf16_bits(sum) * 0x10001u);
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
