// k_add_mul
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read> b1: array<f32>;
@group(0) @binding(2) var<storage, read> b2: array<f32>;
@group(0) @binding(3) var<storage, read_write> b3: array<f32>;

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
  let v8: bool = v5 < 600i;
  let v11: u32 = u32(v5);
  let v13: u32 = v11 / 0x14u;
  let v14: i32 = i32(v13);
  let v15: i32 = v14 * 20i;
  let v16: i32 = v5 - v15;
  if v8 {
    let v9: f32 = b0[v5];
    let v17: f32 = b1[v16];
    let v18: f32 = b2[v14];
    let v21: f32 = v9 + v17;
    let v22: f32 = v21 * v18;
    b3[v5] = v22;
  }
}
