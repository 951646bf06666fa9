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
  let v4: i32 = group * 256i;
  let v5: i32 = v4 + thread;
  let v8: bool = v5 < 10000i;
  let v11: u32 = u32(v5);
  let v13: u32 = v11 / 0x64u;
  let v14: i32 = i32(v13);
  let v15: i32 = v14 * 100i;
  let v16: i32 = v5 - v15;
  if v8 {
    let v9: f32 = b0[v5];
    let v17: f32 = b1[v16];
    let v18: f32 = b2[v16];
    let v21: f32 = fma(v9, v17, v18);
    let v23: f32 = v21 * 0.70710677f;
    let v24: f32 = abs(v23);
    let v26: bool = v24 > 4.0f;
    let v27: f32 = select(v24, 4.0f, v26);
    let v30: f32 = fma(0.00019593826f, v27, -0.0030432267f);
    let v32: f32 = fma(v30, v27, 0.022226956f);
    let v34: f32 = fma(v32, v27, -0.103931665f);
    let v36: f32 = fma(v34, v27, -0.6371822f);
    let v38: f32 = fma(v36, v27, -1.1276757f);
    let v40: f32 = fma(v38, v27, -0.00019566652f);
    let v43: f32 = fma(v40, 1.442695f, 12582912.0f);
    let v44: i32 = bitcast<i32>(v43);
    let v46: i32 = v44 - 1262485504i;
    let v47: f32 = f32(v46);
    let v49: f32 = fma(v47, -0.69314575f, v40);
    let v51: f32 = fma(v47, -1.4286068e-6f, v49);
    let v54: f32 = fma(0.0013814465f, v51, 0.008368781f);
    let v56: f32 = fma(v54, v51, 0.041668393f);
    let v58: f32 = fma(v56, v51, 0.1666652f);
    let v60: f32 = fma(v58, v51, 0.49999994f);
    let v61: f32 = v51 * v51;
    let v62: f32 = fma(v61, v60, v51);
    let v63: f32 = v62 + 1.0f;
    let v65: i32 = v44 << 23u;
    let v67: i32 = v65 + 1065353216i;
    let v68: f32 = bitcast<f32>(v67);
    let v69: f32 = v63 * v68;
    let v70: f32 = 1.0f - v69;
    let v72: bool = v24 < 0.92f;
    let v73: f32 = v23 * v23;
    let v76: f32 = fma(-0.00059768936f, v73, 0.00499098f);
    let v78: f32 = fma(v76, v73, -0.026765566f);
    let v80: f32 = fma(v78, v73, 0.112818025f);
    let v82: f32 = fma(v80, v73, -0.37612495f);
    let v84: f32 = fma(v82, v73, 0.12837915f);
    let v85: f32 = fma(v23, v84, v23);
    let v86: u32 = bitcast<u32>(v70);
    let v88: u32 = v86 & 0x7fffffffu;
    let v89: u32 = bitcast<u32>(v23);
    let v91: u32 = v89 & 0x80000000u;
    let v92: u32 = v88 | v91;
    let v93: f32 = bitcast<f32>(v92);
    let v94: f32 = select(v93, v85, v72);
    let v95: f32 = v94 + 1.0f;
    let v97: f32 = v21 * 0.5f;
    let v98: f32 = v97 * v95;
    b3[v5] = v98;
  }
}
