struct Numbers { m: u32, n: u32, k: u32, a_offset: u32, a_batch: u32, a_row: u32, a_column: u32, b_offset: u32, b_batch: u32, b_row: u32, b_column: u32, out_offset: u32, out_batch: u32, out_row: u32, out_column: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> b1: array<f32>;
@group(0) @binding(4) var<storage, read> b2: array<f32>;
@group(0) @binding(5) var<storage, read_write> b3: array<f32>;
fn a_get(at: u32) -> f32 {
    return a[at];
}
fn b_get(at: u32) -> f32 {
    return b[at];
}
fn epilogue(group: i32, given: f32) {
  let local = u32(group);
  let v3: f32 = given;
  let v6: u32 = u32(group);
  let v8: u32 = v6 / 0x64u;
  let v9: i32 = i32(v8);
  let v10: i32 = v9 * 100i;
  let v11: i32 = group - v10;
  let v12: f32 = b1[v11];
  let v13: f32 = b2[v11];
  let v16: f32 = fma(v3, v12, v13);
  let v18: f32 = v16 * 0.70710677f;
  let v19: f32 = abs(v18);
  let v21: bool = v19 > 4.0f;
  let v22: f32 = select(v19, 4.0f, v21);
  let v25: f32 = fma(0.00019593826f, v22, -0.0030432267f);
  let v27: f32 = fma(v25, v22, 0.022226956f);
  let v29: f32 = fma(v27, v22, -0.103931665f);
  let v31: f32 = fma(v29, v22, -0.6371822f);
  let v33: f32 = fma(v31, v22, -1.1276757f);
  let v35: f32 = fma(v33, v22, -0.00019566652f);
  let v38: f32 = fma(v35, 1.442695f, 12582912.0f);
  let v39: i32 = bitcast<i32>(v38);
  let v41: i32 = v39 - 1262485504i;
  let v42: f32 = f32(v41);
  let v44: f32 = fma(v42, -0.69314575f, v35);
  let v46: f32 = fma(v42, -1.4286068e-6f, v44);
  let v49: f32 = fma(0.0013814465f, v46, 0.008368781f);
  let v51: f32 = fma(v49, v46, 0.041668393f);
  let v53: f32 = fma(v51, v46, 0.1666652f);
  let v55: f32 = fma(v53, v46, 0.49999994f);
  let v56: f32 = v46 * v46;
  let v57: f32 = fma(v56, v55, v46);
  let v58: f32 = v57 + 1.0f;
  let v60: i32 = v39 << 23u;
  let v62: i32 = v60 + 1065353216i;
  let v63: f32 = bitcast<f32>(v62);
  let v64: f32 = v58 * v63;
  let v65: f32 = 1.0f - v64;
  let v67: bool = v19 < 0.92f;
  let v68: f32 = v18 * v18;
  let v71: f32 = fma(-0.00059768936f, v68, 0.00499098f);
  let v73: f32 = fma(v71, v68, -0.026765566f);
  let v75: f32 = fma(v73, v68, 0.112818025f);
  let v77: f32 = fma(v75, v68, -0.37612495f);
  let v79: f32 = fma(v77, v68, 0.12837915f);
  let v80: f32 = fma(v18, v79, v18);
  let v81: u32 = bitcast<u32>(v65);
  let v83: u32 = v81 & 0x7fffffffu;
  let v84: u32 = bitcast<u32>(v18);
  let v86: u32 = v84 & 0x80000000u;
  let v87: u32 = v83 | v86;
  let v88: f32 = bitcast<f32>(v87);
  let v89: f32 = select(v88, v80, v67);
  let v90: f32 = v89 + 1.0f;
  let v92: f32 = v16 * 0.5f;
  let v93: f32 = v92 * v90;
  b3[group] = v93;
}
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    return a_get(p.a_offset + batch * p.a_batch + row * p.a_row + k * p.a_column);
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    return b_get(p.b_offset + batch * p.b_batch + k * p.b_row + column * p.b_column);
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    epilogue(i32(p.out_offset + batch * p.out_batch + row * p.out_row + column * p.out_column), sum);
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
            let c = e % 64u;
            let k = e / 64u;
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
