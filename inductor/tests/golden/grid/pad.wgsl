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
  let v4: i32 = group * 256i;
  let v5: i32 = v4 + thread;
  let v8: bool = v5 < 156i;
  let v12: u32 = u32(v5);
  let v14: u32 = v12 / 0x1au;
  let v15: i32 = i32(v14);
  let v16: i32 = v15 * 26i;
  let v17: i32 = v5 - v16;
  let v18: bool = v17 >= 3i;
  let v19: bool = v17 < 13i;
  let v20: bool = v18 & v19;
  let v23: i32 = v15 * 10i;
  let v25: i32 = v17 + v23;
  let v26: i32 = v25 + -3i;
  if v8 {
    x0 = 0.0f;
    if v20 {
      let v27: f32 = b0[v26];
      x0 = v27;
    }
    let v28: f32 = x0;
    b1[v5] = v28;
  }
}
