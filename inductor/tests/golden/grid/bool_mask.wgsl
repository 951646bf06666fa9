// k_where
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read> b1: array<u32>;
@group(0) @binding(2) var<storage, read_write> b2: array<u32>;
@group(0) @binding(3) var<storage, read_write> b3: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  var x0: u32;
  let v5: i32 = group * 256i;
  let v6: i32 = v5 + thread;
  let v9: i32 = v6 * 4i;
  let v10: bool = v9 < 102i;
  if v10 {
    x0 = 0x0u;
    for (var v12: i32 = 0i; v12 < 4i; v12 += 1i) {
      let v13: i32 = v9 + v12;
      let v14: bool = v13 < 102i;
      let v16: bool = v13 == 101i;
      let v19: i32 = v13 >> 2u;
      let v21: i32 = v13 & 3i;
      let v23: i32 = v21 * 8i;
      let v24: u32 = u32(v23);
      let v36: i32 = v12 & 3i;
      let v37: i32 = v36 * 8i;
      let v38: u32 = u32(v37);
      let v42: bool = v36 == 3i;
      let v43: bool = v42 | v16;
      let v48: i32 = v13 * 2i;
      let v50: i32 = v48 >> 2u;
      let v51: i32 = v48 & 3i;
      let v52: i32 = v51 * 8i;
      let v53: u32 = u32(v52);
      let v54: u32 = 0xffu << v53;
      let v55: u32 = ~v54;
      if v14 {
        let v17: f32 = b0[v13];
        let v25: u32 = b1[v19];
        let v27: u32 = v25 >> v24;
        let v28: u32 = v27 & 0xffu;
        let v29: bool = v28 != 0x0u;
        let v32: bool = v17 > 0.0f;
        let v33: bool = v32 & v29;
        let v35: u32 = select(0x0u, 0x1u, v33);
        let v39: u32 = x0;
        let v40: u32 = v35 << v38;
        let v41: u32 = v39 | v40;
        x0 = v41;
        if v43 {
          let v44: u32 = x0;
          b2[v19] = v44;
          x0 = 0x0u;
        }
        let v45: i32 = select(0i, 1i, v32);
        let v47: i32 = v45 & 255i;
        let v49: u32 = u32(v47);
        let v56: u32 = v49 << v53;
        if v29 {
          atomicAnd(&b3[v50], v55);
          atomicOr(&b3[v50], v56);
        }
      }
    }
  }
}
