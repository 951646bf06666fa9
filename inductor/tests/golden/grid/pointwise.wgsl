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
    let v41: i32 = bitcast<i32>(v40);
    let v43: i32 = v41 - 1262485504i;
    let v44: f32 = f32(v43);
    let v46: f32 = fma(v44, -0.69314575f, v37);
    let v48: f32 = fma(v44, -1.4286068e-6f, v46);
    let v51: f32 = fma(0.0013814465f, v48, 0.008368781f);
    let v53: f32 = fma(v51, v48, 0.041668393f);
    let v55: f32 = fma(v53, v48, 0.1666652f);
    let v57: f32 = fma(v55, v48, 0.49999994f);
    let v58: f32 = v48 * v48;
    let v59: f32 = fma(v58, v57, v48);
    let v60: f32 = v59 + 1.0f;
    let v62: i32 = v41 << 23u;
    let v64: i32 = v62 + 1065353216i;
    let v65: f32 = bitcast<f32>(v64);
    let v66: f32 = v60 * v65;
    let v67: f32 = 1.0f - v66;
    let v69: bool = v21 < 0.92f;
    let v70: f32 = v20 * v20;
    let v73: f32 = fma(-0.00059768936f, v70, 0.00499098f);
    let v75: f32 = fma(v73, v70, -0.026765566f);
    let v77: f32 = fma(v75, v70, 0.112818025f);
    let v79: f32 = fma(v77, v70, -0.37612495f);
    let v81: f32 = fma(v79, v70, 0.12837915f);
    let v82: f32 = fma(v20, v81, v20);
    let v83: u32 = bitcast<u32>(v67);
    let v85: u32 = v83 & 0x7fffffffu;
    let v86: u32 = bitcast<u32>(v20);
    let v88: u32 = v86 & 0x80000000u;
    let v89: u32 = v85 | v88;
    let v90: f32 = bitcast<f32>(v89);
    let v91: f32 = select(v90, v82, v69);
    let v92: f32 = v91 + 1.0f;
    let v94: f32 = v18 * 0.5f;
    let v95: f32 = v94 * v92;
    b3[v4] = v95;
  }
}
