// k_count_nonzero
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<i64>;
var<workgroup> w0: array<i64, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: i64;
  x0 = 0li;
  let v10: i32 = group * 300i;
  for (var v9: i32 = thread; v9 < 300i; v9 += 256i) {
    let v11: i32 = v10 + v9;
    let v12: f32 = b0[v11];
    let v14: bool = v12 > 0.0f;
    let v15: i32 = select(0i, 1i, v14);
    let v16: i64 = i64(v15);
    let v17: i64 = x0;
    let v18: i64 = v17 + v16;
    x0 = v18;
  }
  let v19: i64 = x0;
  w0[thread] = v19;
  storageBarrier();
  workgroupBarrier();
  let v21: bool = thread < 128i;
  let v22: i32 = thread + 128i;
  if v21 {
    let v23: i64 = w0[thread];
    let v24: i64 = w0[v22];
    let v25: i64 = v23 + v24;
    w0[thread] = v25;
  }
  storageBarrier();
  workgroupBarrier();
  let v27: bool = thread < 64i;
  let v28: i32 = thread + 64i;
  if v27 {
    let v29: i64 = w0[thread];
    let v30: i64 = w0[v28];
    let v31: i64 = v29 + v30;
    w0[thread] = v31;
  }
  storageBarrier();
  workgroupBarrier();
  let v33: bool = thread < 32i;
  let v34: i32 = thread + 32i;
  if v33 {
    let v35: i64 = w0[thread];
    let v36: i64 = w0[v34];
    let v37: i64 = v35 + v36;
    w0[thread] = v37;
  }
  storageBarrier();
  workgroupBarrier();
  let v39: bool = thread < 16i;
  let v40: i32 = thread + 16i;
  if v39 {
    let v41: i64 = w0[thread];
    let v42: i64 = w0[v40];
    let v43: i64 = v41 + v42;
    w0[thread] = v43;
  }
  storageBarrier();
  workgroupBarrier();
  let v45: bool = thread < 8i;
  let v46: i32 = thread + 8i;
  if v45 {
    let v47: i64 = w0[thread];
    let v48: i64 = w0[v46];
    let v49: i64 = v47 + v48;
    w0[thread] = v49;
  }
  storageBarrier();
  workgroupBarrier();
  let v51: bool = thread < 4i;
  let v52: i32 = thread + 4i;
  if v51 {
    let v53: i64 = w0[thread];
    let v54: i64 = w0[v52];
    let v55: i64 = v53 + v54;
    w0[thread] = v55;
  }
  storageBarrier();
  workgroupBarrier();
  let v57: bool = thread < 2i;
  let v58: i32 = thread + 2i;
  if v57 {
    let v59: i64 = w0[thread];
    let v60: i64 = w0[v58];
    let v61: i64 = v59 + v60;
    w0[thread] = v61;
  }
  storageBarrier();
  workgroupBarrier();
  let v62: bool = thread < 1i;
  let v63: i32 = thread + 1i;
  if v62 {
    let v64: i64 = w0[thread];
    let v65: i64 = w0[v63];
    let v66: i64 = v64 + v65;
    w0[thread] = v66;
  }
  storageBarrier();
  workgroupBarrier();
  let v67: i64 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v68: bool = thread == 0i;
  if v68 {
    b1[group] = v67;
  }
}
