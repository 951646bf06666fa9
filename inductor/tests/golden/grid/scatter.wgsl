// k_index_put
@group(0) @binding(0) var<storage, read> b0: array<i64>;
@group(0) @binding(1) var<storage, read> b1: array<f32>;
@group(0) @binding(2) var<storage, read_write> b2: array<atomic<u32>>;

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
  let v8: bool = v5 < 300i;
  if v8 {
    let v9: i64 = b0[v5];
    let v10: i32 = i32(v9);
    let v11: f32 = b1[v5];
    loop {
      let v13: u32 = atomicLoad(&b2[v10]);
      let v14: f32 = bitcast<f32>(v13);
      let v15: f32 = v14 + v11;
      let v16: u32 = bitcast<u32>(v15);
      let v17: bool = atomicCompareExchangeWeak(&b2[v10], v13, v16).exchanged;
      let v18: bool = !v17;
      if !v18 { break; }
    }
  }
}
