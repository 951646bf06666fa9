// k_embedding
@group(0) @binding(0) var<storage, read> b0: array<i64>;
@group(0) @binding(1) var<storage, read_write> b1: array<atomic<u32>>;
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
  let v8: bool = v5 < 192i;
  let v11: i32 = v5 >> 4u;
  let v35: i32 = v5 & 15i;
  if v8 {
    let v12: i64 = b0[v11];
    let v16: bool = v12 < 0li;
    let v18: i64 = v12 + 50li;
    let v19: i64 = select(v12, v18, v16);
    let v20: bool = v19 < 0li;
    let v21: bool = v19 >= 50li;
    let v22: bool = v20 | v21;
    let v24: i64 = max(v19, 0li);
    let v26: i64 = min(v24, 49li);
    let v27: i32 = i32(v26);
    if v22 {
      atomicOr(&b1[0i], 0x1u);
    }
    let v36: i32 = v27 * 16i;
    let v37: i32 = v35 + v36;
    let v38: f32 = b2[v37];
    b3[v5] = v38;
  }
}
