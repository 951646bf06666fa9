// k_rms_norm
@group(0) @binding(0) var<storage, read> b0: array<u32>;
@group(0) @binding(1) var<storage, read> b1: array<u32>;
@group(0) @binding(2) var<storage, read_write> b2: array<u32>;
var<workgroup> w0: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: f32;
  var x1: u32;
  x0 = 0.0f;
  let v7: i32 = group * 64i;
  let v8: i32 = v7 + thread;
  let v9: i32 = v8 >> 1u;
  let v10: i32 = v8 & 1i;
  let v12: i32 = v10 * 16i;
  let v13: u32 = u32(v12);
  let v14: u32 = b0[v9];
  let v16: u32 = v14 >> v13;
  let v17: u32 = v16 & 0xffffu;
  let v19: u32 = v17 << 16u;
  let v20: f32 = bitcast<f32>(v19);
  let v22: f32 = v20 * v20;
  let v23: f32 = x0;
  let v24: f32 = v23 + v22;
  x0 = v24;
  let v25: f32 = x0;
  w0[thread] = v25;
  storageBarrier();
  workgroupBarrier();
  let v27: bool = thread < 32i;
  let v28: i32 = thread + 32i;
  if v27 {
    let v29: f32 = w0[thread];
    let v30: f32 = w0[v28];
    let v31: f32 = v29 + v30;
    w0[thread] = v31;
  }
  storageBarrier();
  workgroupBarrier();
  let v32: bool = thread < 16i;
  let v33: i32 = thread + 16i;
  if v32 {
    let v34: f32 = w0[thread];
    let v35: f32 = w0[v33];
    let v36: f32 = v34 + v35;
    w0[thread] = v36;
  }
  storageBarrier();
  workgroupBarrier();
  let v38: bool = thread < 8i;
  let v39: i32 = thread + 8i;
  if v38 {
    let v40: f32 = w0[thread];
    let v41: f32 = w0[v39];
    let v42: f32 = v40 + v41;
    w0[thread] = v42;
  }
  storageBarrier();
  workgroupBarrier();
  let v44: bool = thread < 4i;
  let v45: i32 = thread + 4i;
  if v44 {
    let v46: f32 = w0[thread];
    let v47: f32 = w0[v45];
    let v48: f32 = v46 + v47;
    w0[thread] = v48;
  }
  storageBarrier();
  workgroupBarrier();
  let v50: bool = thread < 2i;
  let v51: i32 = thread + 2i;
  if v50 {
    let v52: f32 = w0[thread];
    let v53: f32 = w0[v51];
    let v54: f32 = v52 + v53;
    w0[thread] = v54;
  }
  storageBarrier();
  workgroupBarrier();
  let v55: bool = thread < 1i;
  let v56: i32 = thread + 1i;
  if v55 {
    let v57: f32 = w0[thread];
    let v58: f32 = w0[v56];
    let v59: f32 = v57 + v58;
    w0[thread] = v59;
  }
  storageBarrier();
  workgroupBarrier();
  let v60: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v62: f32 = v60 / 64.0f;
  let v64: f32 = v62 + 1e-6f;
  let v65: f32 = sqrt(v64);
  let v66: f32 = 1.0f / v65;
  let v67: i32 = thread * 2i;
  let v68: bool = v67 < 64i;
  if v68 {
    x1 = 0x0u;
    for (var v70: i32 = 0i; v70 < 2i; v70 += 1i) {
      let v71: i32 = v67 + v70;
      let v72: bool = v71 < 64i;
      let v74: bool = v71 == 63i;
      let v75: i32 = v7 + v71;
      let v76: i32 = v75 >> 1u;
      let v77: i32 = v75 & 1i;
      let v78: i32 = v77 * 16i;
      let v79: u32 = u32(v78);
      let v86: i32 = v71 >> 1u;
      let v87: i32 = v71 & 1i;
      let v88: i32 = v87 * 16i;
      let v89: u32 = u32(v88);
      let v131: i32 = v70 & 1i;
      let v132: i32 = v131 * 16i;
      let v133: u32 = u32(v132);
      let v137: bool = v131 == 1i;
      let v138: bool = v137 | v74;
      let v139: i32 = v71 + v7;
      let v140: i32 = v139 >> 1u;
      if v72 {
        let v80: u32 = b0[v76];
        let v81: u32 = v80 >> v79;
        let v82: u32 = v81 & 0xffffu;
        let v83: u32 = v82 << 16u;
        let v84: f32 = bitcast<f32>(v83);
        let v85: f32 = v84 * v66;
        let v90: u32 = b1[v86];
        let v91: u32 = v90 >> v89;
        let v92: u32 = v91 & 0xffffu;
        let v94: u32 = v92 & 0x8000u;
        let v95: u32 = v94 << 16u;
        let v97: u32 = v92 & 0x7fffu;
        let v99: u32 = v97 << 13u;
        let v101: u32 = v99 + 0x38000000u;
        let v102: u32 = v101 + 0x38000000u;
        let v103: i32 = i32(v97);
        let v104: f32 = f32(v103);
        let v106: f32 = v104 * 5.9604645e-8f;
        let v107: u32 = bitcast<u32>(v106);
        let v109: bool = v97 >= 0x7c00u;
        let v110: u32 = select(v101, v102, v109);
        let v112: bool = v97 < 0x400u;
        let v113: u32 = select(v110, v107, v112);
        let v114: u32 = v113 | v95;
        let v115: f32 = bitcast<f32>(v114);
        let v116: f32 = v85 * v115;
        let v117: u32 = bitcast<u32>(v116);
        let v118: u32 = v117 >> 16u;
        let v120: u32 = v118 & 0x1u;
        let v121: u32 = v117 + 0x7fffu;
        let v122: u32 = v121 + v120;
        let v123: u32 = v122 >> 16u;
        let v124: i32 = bitcast<i32>(v116);
        let v126: i32 = v124 & 2147483647i;
        let v128: bool = v126 > 2139095040i;
        let v130: u32 = select(v123, 0x7fc0u, v128);
        let v134: u32 = x1;
        let v135: u32 = v130 << v133;
        let v136: u32 = v134 | v135;
        x1 = v136;
        if v138 {
          let v141: u32 = x1;
          b2[v140] = v141;
          x1 = 0x0u;
        }
      }
    }
  }
}
