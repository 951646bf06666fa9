// k_add_mul_to
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read> b1: array<u32>;
@group(0) @binding(2) var<storage, read_write> b2: array<u32>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: u32;
  let v5: i32 = group * 256i;
  let v6: i32 = v5 + thread;
  let v10: i32 = v6 * 2i;
  x0 = 0x0u;
  for (var v12: i32 = 0i; v12 < 2i; v12 += 1i) {
    let v13: i32 = v10 + v12;
    let v14: bool = v13 < 65536i;
    let v16: bool = v13 == 65535i;
    let v19: i32 = v13 & 255i;
    let v20: i32 = v19 >> 1u;
    let v21: i32 = v19 & 1i;
    let v23: i32 = v21 * 16i;
    let v24: u32 = u32(v23);
    let v50: i32 = v12 & 1i;
    let v51: i32 = v50 * 16i;
    let v52: u32 = u32(v51);
    let v56: bool = v50 == 1i;
    let v57: bool = v56 | v16;
    let v58: i32 = v13 >> 1u;
    if v14 {
      let v17: f32 = b0[v13];
      let v25: u32 = b1[v20];
      let v27: u32 = v25 >> v24;
      let v28: u32 = v27 & 0xffffu;
      let v30: u32 = v28 << 16u;
      let v31: f32 = bitcast<f32>(v30);
      let v34: f32 = v17 + v31;
      let v35: u32 = bitcast<u32>(v34);
      let v36: u32 = v35 >> 16u;
      let v38: u32 = v36 & 0x1u;
      let v40: u32 = v35 + 0x7fffu;
      let v41: u32 = v40 + v38;
      let v42: u32 = v41 >> 16u;
      let v43: i32 = bitcast<i32>(v34);
      let v45: i32 = v43 & 2147483647i;
      let v47: bool = v45 > 2139095040i;
      let v49: u32 = select(v42, 0x7fc0u, v47);
      let v53: u32 = x0;
      let v54: u32 = v49 << v52;
      let v55: u32 = v53 | v54;
      x0 = v55;
      if v57 {
        let v59: u32 = x0;
        b2[v58] = v59;
        x0 = 0x0u;
      }
    }
  }
}
