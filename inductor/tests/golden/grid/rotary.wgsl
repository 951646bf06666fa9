// k_rotary
@group(0) @binding(0) var<storage, read> b0: array<u32>;
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
  var x1: u32;
  var x2: u32;
  let v5: i32 = group * 256i;
  let v6: i32 = v5 + thread;
  let v10: i32 = v6 * 2i;
  x0 = 0x0u;
  for (var v12: i32 = 0i; v12 < 2i; v12 += 1i) {
    let v13: i32 = v10 + v12;
    let v14: bool = v13 < 65536i;
    let v16: bool = v13 == 65535i;
    let v18: i32 = v13 >> 1u;
    let v19: i32 = v13 & 1i;
    let v21: i32 = v19 * 16i;
    let v22: u32 = u32(v21);
    let v32: i32 = v13 & 127i;
    let v34: i32 = v13 >> 7u;
    let v36: i32 = v34 & 63i;
    let v37: i32 = v36 * 128i;
    let v38: i32 = v32 + v37;
    let v39: i32 = v38 >> 1u;
    let v40: i32 = v38 & 1i;
    let v41: i32 = v40 * 16i;
    let v42: u32 = u32(v41);
    let v51: bool = v32 < 64i;
    let v52: i32 = v13 + 64i;
    let v53: i32 = v52 >> 1u;
    let v54: i32 = v52 & 1i;
    let v55: i32 = v54 * 16i;
    let v56: u32 = u32(v55);
    let v65: i32 = -64i + v32;
    let v66: bool = v65 >= 0i;
    let v67: i32 = v13 + -64i;
    let v68: i32 = v67 >> 1u;
    let v69: i32 = v67 & 1i;
    let v70: i32 = v69 * 16i;
    let v71: u32 = u32(v70);
    let v95: i32 = v12 & 1i;
    let v96: i32 = v95 * 16i;
    let v97: u32 = u32(v96);
    let v101: bool = v95 == 1i;
    let v102: bool = v101 | v16;
    if v14 {
      let v23: u32 = b0[v18];
      let v25: u32 = v23 >> v22;
      let v26: u32 = v25 & 0xffffu;
      let v28: u32 = v26 << 16u;
      let v29: f32 = bitcast<f32>(v28);
      let v43: u32 = b1[v39];
      let v44: u32 = v43 >> v42;
      let v45: u32 = v44 & 0xffffu;
      let v46: u32 = v45 << 16u;
      let v47: f32 = bitcast<f32>(v46);
      let v50: f32 = v29 * v47;
      x1 = 0x0u;
      if v51 {
        let v57: u32 = b0[v53];
        let v58: u32 = v57 >> v56;
        let v59: u32 = v58 & 0xffffu;
        x1 = v59;
      }
      let v60: u32 = x1;
      let v61: u32 = v60 << 16u;
      let v62: f32 = bitcast<f32>(v61);
      let v63: f32 = -v62;
      x2 = 0x0u;
      if v66 {
        let v72: u32 = b0[v68];
        let v73: u32 = v72 >> v71;
        let v74: u32 = v73 & 0xffffu;
        x2 = v74;
      }
      let v75: u32 = x2;
      let v76: u32 = v75 << 16u;
      let v77: f32 = bitcast<f32>(v76);
      let v78: f32 = select(v63, v77, v66);
      let v79: f32 = v50 + v78;
      let v80: u32 = bitcast<u32>(v79);
      let v81: u32 = v80 >> 16u;
      let v83: u32 = v81 & 0x1u;
      let v85: u32 = v80 + 0x7fffu;
      let v86: u32 = v85 + v83;
      let v87: u32 = v86 >> 16u;
      let v88: i32 = bitcast<i32>(v79);
      let v90: i32 = v88 & 2147483647i;
      let v92: bool = v90 > 2139095040i;
      let v94: u32 = select(v87, 0x7fc0u, v92);
      let v98: u32 = x0;
      let v99: u32 = v94 << v97;
      let v100: u32 = v98 | v99;
      x0 = v100;
      if v102 {
        let v103: u32 = x0;
        b2[v18] = v103;
        x0 = 0x0u;
      }
    }
  }
}
