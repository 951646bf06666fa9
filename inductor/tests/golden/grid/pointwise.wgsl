// k_gelu
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
  let v3: i32 = group * 256i;
  let v4: i32 = v3 + thread;
  let v8: bool = v4 < 10000i;
  let v11: i32 = v4 / 100i;
  let v12: i32 = v11 * 100i;
  let v13: i32 = v4 - v12;
  if v8 {
    let v9: f32 = b0[v4];
    let v14: f32 = b1[v13];
    let v15: f32 = b2[v13];
    let v18: f32 = fma(v9, v14, v15);
    let v20: f32 = v18 * 0.70710677f;
    let v21: f32 = abs(v20);
    let v23: bool = v21 > 4.0f;
    let v24: f32 = select(v21, 4.0f, v23);
    let v27: f32 = fma(0.00019593826f, v24, -0.0030432267f);
    let v29: f32 = fma(v27, v24, 0.022226956f);
    let v31: f32 = fma(v29, v24, -0.103931665f);
    let v33: f32 = fma(v31, v24, -0.6371822f);
    let v35: f32 = fma(v33, v24, -1.1276757f);
    let v37: f32 = fma(v35, v24, -0.00019566652f);
    let v40: f32 = fma(v37, 1.442695f, 12582912.0f);
    let v41: f32 = v40 - 12582912.0f;
    let v43: f32 = fma(v41, -0.69314575f, v37);
    let v45: f32 = fma(v41, -1.4286068e-6f, v43);
    let v48: f32 = fma(0.0013814465f, v45, 0.008368781f);
    let v50: f32 = fma(v48, v45, 0.041668393f);
    let v52: f32 = fma(v50, v45, 0.1666652f);
    let v54: f32 = fma(v52, v45, 0.49999994f);
    let v55: f32 = v45 * v45;
    let v56: f32 = fma(v55, v54, v45);
    let v57: f32 = v56 + 1.0f;
    let v58: i32 = bitcast<i32>(v40);
    let v60: i32 = v58 << 23u;
    let v62: i32 = v60 + 1065353216i;
    let v63: f32 = bitcast<f32>(v62);
    let v64: f32 = v57 * v63;
    let v65: f32 = 1.0f - v64;
    let v67: bool = v21 < 0.92f;
    let v68: f32 = v20 * v20;
    let v71: f32 = fma(-0.00059768936f, v68, 0.00499098f);
    let v73: f32 = fma(v71, v68, -0.026765566f);
    let v75: f32 = fma(v73, v68, 0.112818025f);
    let v77: f32 = fma(v75, v68, -0.37612495f);
    let v79: f32 = fma(v77, v68, 0.12837915f);
    let v80: f32 = fma(v20, v79, v20);
    let v81: u32 = bitcast<u32>(v65);
    let v83: u32 = v81 & 0x7fffffffu;
    let v84: u32 = bitcast<u32>(v20);
    let v86: u32 = v84 & 0x80000000u;
    let v87: u32 = v83 | v86;
    let v88: f32 = bitcast<f32>(v87);
    let v89: f32 = select(v88, v80, v67);
    let v90: f32 = v89 + 1.0f;
    let v92: f32 = v18 * 0.5f;
    let v93: f32 = v92 * v90;
    b3[v4] = v93;
  }
}
