// k_tiles
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read> b1: array<f32>;
@group(0) @binding(2) var<storage, read_write> b2: array<f32>;

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
  let v8: bool = v5 < 78000i;
  let v10: u32 = u32(v5);
  let v12: u32 = v10 / 0x104u;
  let v13: i32 = i32(v12);
  let v20: i32 = v13 * 260i;
  let v21: i32 = v5 - v20;
  let v23: i32 = v21 * 300i;
  let v24: i32 = v13 + v23;
  if v8 {
    let v14: f32 = b1[v13];
    let v15: f32 = b0[v5];
    let v18: f32 = v14 + v15;
    b2[v24] = v18;
  }
}
