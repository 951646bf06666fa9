// k_mean_pieces
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b2: array<f32>;
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
  let v3: i32 = group >> 2u;
  let v5: i32 = group & 3i;
  let v10: i32 = v5 * 5000i;
  let v11: i32 = v10 + 5000i;
  let v12: i32 = min(v11, 20000i);
  x0 = 0.0f;
  let v17: i32 = v10 + thread;
  for (var v18: i32 = v17; v18 < v12; v18 += 256i) {
    let v19: f32 = b0[v18];
    let v20: f32 = x0;
    let v21: f32 = v20 + v19;
    x0 = v21;
  }
  let v22: f32 = x0;
  w0[thread] = v22;
  storageBarrier();
  workgroupBarrier();
  let v24: bool = thread < 128i;
  let v25: i32 = thread + 128i;
  if v24 {
    let v26: f32 = w0[thread];
    let v27: f32 = w0[v25];
    let v28: f32 = v26 + v27;
    w0[thread] = v28;
  }
  storageBarrier();
  workgroupBarrier();
  let v30: bool = thread < 64i;
  let v31: i32 = thread + 64i;
  if v30 {
    let v32: f32 = w0[thread];
    let v33: f32 = w0[v31];
    let v34: f32 = v32 + v33;
    w0[thread] = v34;
  }
  storageBarrier();
  workgroupBarrier();
  let v36: bool = thread < 32i;
  let v37: i32 = thread + 32i;
  if v36 {
    let v38: f32 = w0[thread];
    let v39: f32 = w0[v37];
    let v40: f32 = v38 + v39;
    w0[thread] = v40;
  }
  storageBarrier();
  workgroupBarrier();
  let v42: bool = thread < 16i;
  let v43: i32 = thread + 16i;
  if v42 {
    let v44: f32 = w0[thread];
    let v45: f32 = w0[v43];
    let v46: f32 = v44 + v45;
    w0[thread] = v46;
  }
  storageBarrier();
  workgroupBarrier();
  let v48: bool = thread < 8i;
  let v49: i32 = thread + 8i;
  if v48 {
    let v50: f32 = w0[thread];
    let v51: f32 = w0[v49];
    let v52: f32 = v50 + v51;
    w0[thread] = v52;
  }
  storageBarrier();
  workgroupBarrier();
  let v53: bool = thread < 4i;
  let v54: i32 = thread + 4i;
  if v53 {
    let v55: f32 = w0[thread];
    let v56: f32 = w0[v54];
    let v57: f32 = v55 + v56;
    w0[thread] = v57;
  }
  storageBarrier();
  workgroupBarrier();
  let v58: bool = thread < 2i;
  let v59: i32 = thread + 2i;
  if v58 {
    let v60: f32 = w0[thread];
    let v61: f32 = w0[v59];
    let v62: f32 = v60 + v61;
    w0[thread] = v62;
  }
  storageBarrier();
  workgroupBarrier();
  let v63: bool = thread < 1i;
  let v64: i32 = thread + 1i;
  if v63 {
    let v65: f32 = w0[thread];
    let v66: f32 = w0[v64];
    let v67: f32 = v65 + v66;
    w0[thread] = v67;
  }
  storageBarrier();
  workgroupBarrier();
  let v68: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v69: bool = thread == 0i;
  if v69 {
    b2[group] = v68;
  }
}

// k_mean_rest
@group(0) @binding(0) var<storage, read_write> b1: array<f32>;
@group(0) @binding(1) var<storage, read> b2: array<f32>;
var<workgroup> w0: array<f32, 32>;

@compute @workgroup_size(32)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: f32;
  x0 = 0.0f;
  let v7: i32 = group * 4i;
  for (var v8: i32 = thread; v8 < 4i; v8 += 32i) {
    let v9: i32 = v7 + v8;
    let v10: f32 = b2[v9];
    let v11: f32 = x0;
    let v12: f32 = v11 + v10;
    x0 = v12;
  }
  let v13: f32 = x0;
  w0[thread] = v13;
  storageBarrier();
  workgroupBarrier();
  let v15: bool = thread < 16i;
  let v16: i32 = thread + 16i;
  if v15 {
    let v17: f32 = w0[thread];
    let v18: f32 = w0[v16];
    let v19: f32 = v17 + v18;
    w0[thread] = v19;
  }
  storageBarrier();
  workgroupBarrier();
  let v21: bool = thread < 8i;
  let v22: i32 = thread + 8i;
  if v21 {
    let v23: f32 = w0[thread];
    let v24: f32 = w0[v22];
    let v25: f32 = v23 + v24;
    w0[thread] = v25;
  }
  storageBarrier();
  workgroupBarrier();
  let v26: bool = thread < 4i;
  let v27: i32 = thread + 4i;
  if v26 {
    let v28: f32 = w0[thread];
    let v29: f32 = w0[v27];
    let v30: f32 = v28 + v29;
    w0[thread] = v30;
  }
  storageBarrier();
  workgroupBarrier();
  let v32: bool = thread < 2i;
  let v33: i32 = thread + 2i;
  if v32 {
    let v34: f32 = w0[thread];
    let v35: f32 = w0[v33];
    let v36: f32 = v34 + v35;
    w0[thread] = v36;
  }
  storageBarrier();
  workgroupBarrier();
  let v38: bool = thread < 1i;
  let v39: i32 = thread + 1i;
  if v38 {
    let v40: f32 = w0[thread];
    let v41: f32 = w0[v39];
    let v42: f32 = v40 + v41;
    w0[thread] = v42;
  }
  storageBarrier();
  workgroupBarrier();
  let v43: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v46: f32 = v43 / 20000.0f;
  let v47: bool = thread == 0i;
  if v47 {
    b1[0i] = v46;
  }
}
