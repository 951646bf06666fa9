// k_clone
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
  let v4: i32 = group * 256i;
  let v5: i32 = v4 + thread;
  let v8: bool = v5 < 960i;
  let v12: u32 = u32(v5);
  let v14: u32 = v12 / 0x28u;
  let v15: i32 = i32(v14);
  let v16: i32 = v15 * 40i;
  let v17: i32 = v5 - v16;
  let v19: i32 = v17 * 24i;
  let v20: i32 = v15 + v19;
  if v8 {
    let v9: f32 = b0[v5];
    b1[v20] = v9;
  }
}
