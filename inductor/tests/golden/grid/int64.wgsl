// k_arange_sub
@group(0) @binding(0) var<storage, read> b0: array<i64>;
@group(0) @binding(1) var<storage, read_write> b1: array<i64>;
@group(0) @binding(2) var<storage, read_write> b2: array<i64>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v4: i32 = group * 256i;
  let v5: i32 = v4 + thread;
  let v8: bool = v5 < 90i;
  let v11: i32 = v5 * -1i;
  let v12: i32 = v11 + 90i;
  let v14: i32 = v12 / 7i;
  let v15: i32 = v14 * 7i;
  let v16: i32 = v12 - v15;
  let v17: bool = v16 < 0i;
  let v19: bool = v17 != false;
  let v20: bool = v16 != 0i;
  let v21: bool = v20 & v19;
  let v22: i32 = v16 + 7i;
  let v23: i32 = select(v16, v22, v21);
  let v25: i64 = i64(v23);
  let v26: i64 = i64(v12);
  if v8 {
    let v9: i64 = b0[v5];
    b1[v5] = v25;
    let v28: i64 = min(v9, v26);
    let v30: i64 = max(v28, 7li);
    b2[v5] = v30;
  }
}
