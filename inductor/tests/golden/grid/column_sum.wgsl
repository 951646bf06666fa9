// k_sum
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
  let v8: bool = v5 < 32i;
  if v8 {
    x0 = 0.0f;
    for (var v11: i32 = 0i; v11 < 64i; v11 += 1i) {
      let v12: i32 = v11 * 32i;
      let v13: i32 = v5 + v12;
      let v14: f32 = b0[v13];
      let v15: f32 = x0;
      let v16: f32 = v15 + v14;
      x0 = v16;
    }
    let v17: f32 = x0;
    b1[v5] = v17;
  }
}
