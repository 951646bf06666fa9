// k_constant_pad
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<f32>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: f32;
  let v3: i32 = group * 256i;
  let v4: i32 = v3 + thread;
  let v8: bool = v4 < 156i;
  let v12: i32 = v4 / 26i;
  let v13: i32 = v12 * 26i;
  let v14: i32 = v4 - v13;
  let v15: bool = v14 >= 3i;
  let v16: bool = v14 < 13i;
  let v17: bool = v15 & v16;
  let v20: i32 = v12 * 10i;
  let v22: i32 = v14 + v20;
  let v23: i32 = v22 + -3i;
  if v8 {
    x0 = 0.0f;
    if v17 {
      let v24: f32 = b0[v23];
      x0 = v24;
    }
    let v25: f32 = x0;
    b1[v4] = v25;
  }
}
