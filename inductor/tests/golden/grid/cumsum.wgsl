// k_cumsum
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
  let v8: bool = v5 < 4i;
  let v11: i32 = v5 * 9i;
  let v17: i32 = v11 + -1i;
  if v8 {
    for (var v10: i32 = 0i; v10 < 9i; v10 += 1i) {
      let v12: i32 = v11 + v10;
      let v13: f32 = b0[v12];
      let v14: bool = v10 > 0i;
      x0 = 0.0f;
      let v18: i32 = v17 + v10;
      if v14 {
        let v19: f32 = b1[v18];
        x0 = v19;
      }
      let v20: f32 = x0;
      let v22: f32 = v20 + v13;
      b1[v12] = v22;
    }
  }
}
