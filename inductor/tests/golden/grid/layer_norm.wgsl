// k_layer_norm
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read> b1: array<f32>;
@group(0) @binding(2) var<storage, read> b2: array<f32>;
@group(0) @binding(3) var<storage, read_write> b3: array<f32>;
var<workgroup> w0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: f32;
  var x1: f32;
  x0 = 0.0f;
  let v9: i32 = group * 768i;
  for (var v8: i32 = thread; v8 < 768i; v8 += 256i) {
    let v10: i32 = v9 + v8;
    let v11: f32 = b0[v10];
    let v12: f32 = x0;
    let v13: f32 = v12 + v11;
    x0 = v13;
  }
  let v14: f32 = x0;
  w0[thread] = v14;
  storageBarrier();
  workgroupBarrier();
  let v16: bool = thread < 128i;
  let v17: i32 = thread + 128i;
  if v16 {
    let v18: f32 = w0[thread];
    let v19: f32 = w0[v17];
    let v20: f32 = v18 + v19;
    w0[thread] = v20;
  }
  storageBarrier();
  workgroupBarrier();
  let v22: bool = thread < 64i;
  let v23: i32 = thread + 64i;
  if v22 {
    let v24: f32 = w0[thread];
    let v25: f32 = w0[v23];
    let v26: f32 = v24 + v25;
    w0[thread] = v26;
  }
  storageBarrier();
  workgroupBarrier();
  let v28: bool = thread < 32i;
  let v29: i32 = thread + 32i;
  if v28 {
    let v30: f32 = w0[thread];
    let v31: f32 = w0[v29];
    let v32: f32 = v30 + v31;
    w0[thread] = v32;
  }
  storageBarrier();
  workgroupBarrier();
  let v34: bool = thread < 16i;
  let v35: i32 = thread + 16i;
  if v34 {
    let v36: f32 = w0[thread];
    let v37: f32 = w0[v35];
    let v38: f32 = v36 + v37;
    w0[thread] = v38;
  }
  storageBarrier();
  workgroupBarrier();
  let v40: bool = thread < 8i;
  let v41: i32 = thread + 8i;
  if v40 {
    let v42: f32 = w0[thread];
    let v43: f32 = w0[v41];
    let v44: f32 = v42 + v43;
    w0[thread] = v44;
  }
  storageBarrier();
  workgroupBarrier();
  let v46: bool = thread < 4i;
  let v47: i32 = thread + 4i;
  if v46 {
    let v48: f32 = w0[thread];
    let v49: f32 = w0[v47];
    let v50: f32 = v48 + v49;
    w0[thread] = v50;
  }
  storageBarrier();
  workgroupBarrier();
  let v52: bool = thread < 2i;
  let v53: i32 = thread + 2i;
  if v52 {
    let v54: f32 = w0[thread];
    let v55: f32 = w0[v53];
    let v56: f32 = v54 + v55;
    w0[thread] = v56;
  }
  storageBarrier();
  workgroupBarrier();
  let v57: bool = thread < 1i;
  let v58: i32 = thread + 1i;
  if v57 {
    let v59: f32 = w0[thread];
    let v60: f32 = w0[v58];
    let v61: f32 = v59 + v60;
    w0[thread] = v61;
  }
  storageBarrier();
  workgroupBarrier();
  let v62: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v65: f32 = v62 / 768.0f;
  x1 = 0.0f;
  for (var v66: i32 = thread; v66 < 768i; v66 += 256i) {
    let v67: i32 = v9 + v66;
    let v68: f32 = b0[v67];
    let v69: f32 = v68 - v65;
    let v70: f32 = v69 * v69;
    let v71: f32 = x1;
    let v72: f32 = v71 + v70;
    x1 = v72;
  }
  let v73: f32 = x1;
  w0[thread] = v73;
  storageBarrier();
  workgroupBarrier();
  if v16 {
    let v74: f32 = w0[thread];
    let v75: f32 = w0[v17];
    let v76: f32 = v74 + v75;
    w0[thread] = v76;
  }
  storageBarrier();
  workgroupBarrier();
  if v22 {
    let v77: f32 = w0[thread];
    let v78: f32 = w0[v23];
    let v79: f32 = v77 + v78;
    w0[thread] = v79;
  }
  storageBarrier();
  workgroupBarrier();
  if v28 {
    let v80: f32 = w0[thread];
    let v81: f32 = w0[v29];
    let v82: f32 = v80 + v81;
    w0[thread] = v82;
  }
  storageBarrier();
  workgroupBarrier();
  if v34 {
    let v83: f32 = w0[thread];
    let v84: f32 = w0[v35];
    let v85: f32 = v83 + v84;
    w0[thread] = v85;
  }
  storageBarrier();
  workgroupBarrier();
  if v40 {
    let v86: f32 = w0[thread];
    let v87: f32 = w0[v41];
    let v88: f32 = v86 + v87;
    w0[thread] = v88;
  }
  storageBarrier();
  workgroupBarrier();
  if v46 {
    let v89: f32 = w0[thread];
    let v90: f32 = w0[v47];
    let v91: f32 = v89 + v90;
    w0[thread] = v91;
  }
  storageBarrier();
  workgroupBarrier();
  if v52 {
    let v92: f32 = w0[thread];
    let v93: f32 = w0[v53];
    let v94: f32 = v92 + v93;
    w0[thread] = v94;
  }
  storageBarrier();
  workgroupBarrier();
  if v57 {
    let v95: f32 = w0[thread];
    let v96: f32 = w0[v58];
    let v97: f32 = v95 + v96;
    w0[thread] = v97;
  }
  storageBarrier();
  workgroupBarrier();
  let v98: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v99: f32 = v98 / 768.0f;
  let v101: f32 = v99 + 1e-5f;
  let v102: f32 = sqrt(v101);
  let v103: f32 = 1.0f / v102;
  for (var v104: i32 = thread; v104 < 768i; v104 += 256i) {
    let v105: i32 = v9 + v104;
    let v106: f32 = b0[v105];
    let v107: f32 = v106 - v65;
    let v108: f32 = v107 * v103;
    let v109: f32 = b1[v104];
    let v110: f32 = b2[v104];
    let v111: f32 = fma(v108, v109, v110);
    b3[v105] = v111;
  }
}
