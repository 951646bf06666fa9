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
  let v2: i32 = group / 4i;
  let v4: i32 = group & 3i;
  let v9: i32 = v4 * 5000i;
  let v10: i32 = v9 + 5000i;
  let v11: i32 = min(v10, 20000i);
  x0 = 0.0f;
  let v16: i32 = v9 + thread;
  for (var v17: i32 = v16; v17 < v11; v17 += 256i) {
    let v18: f32 = b0[v17];
    let v19: f32 = x0;
    let v20: f32 = v19 + v18;
    x0 = v20;
  }
  let v21: f32 = x0;
  w0[thread] = v21;
  storageBarrier();
  workgroupBarrier();
  let v23: bool = thread < 128i;
  let v24: i32 = thread + 128i;
  if v23 {
    let v25: f32 = w0[thread];
    let v26: f32 = w0[v24];
    let v27: f32 = v25 + v26;
    w0[thread] = v27;
  }
  storageBarrier();
  workgroupBarrier();
  let v29: bool = thread < 64i;
  let v30: i32 = thread + 64i;
  if v29 {
    let v31: f32 = w0[thread];
    let v32: f32 = w0[v30];
    let v33: f32 = v31 + v32;
    w0[thread] = v33;
  }
  storageBarrier();
  workgroupBarrier();
  let v35: bool = thread < 32i;
  let v36: i32 = thread + 32i;
  if v35 {
    let v37: f32 = w0[thread];
    let v38: f32 = w0[v36];
    let v39: f32 = v37 + v38;
    w0[thread] = v39;
  }
  storageBarrier();
  workgroupBarrier();
  let v41: bool = thread < 16i;
  let v42: i32 = thread + 16i;
  if v41 {
    let v43: f32 = w0[thread];
    let v44: f32 = w0[v42];
    let v45: f32 = v43 + v44;
    w0[thread] = v45;
  }
  storageBarrier();
  workgroupBarrier();
  let v47: bool = thread < 8i;
  let v48: i32 = thread + 8i;
  if v47 {
    let v49: f32 = w0[thread];
    let v50: f32 = w0[v48];
    let v51: f32 = v49 + v50;
    w0[thread] = v51;
  }
  storageBarrier();
  workgroupBarrier();
  let v52: bool = thread < 4i;
  let v53: i32 = thread + 4i;
  if v52 {
    let v54: f32 = w0[thread];
    let v55: f32 = w0[v53];
    let v56: f32 = v54 + v55;
    w0[thread] = v56;
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
