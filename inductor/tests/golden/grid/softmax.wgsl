// k_softmax
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<f32>;
var<workgroup> w0: array<f32, 200>;
var<workgroup> w1: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v2 = bitcast<f32>(0xff800000u | (local >> 31u));
  var x0: f32;
  var x1: f32;
  x0 = v2;
  let v8: bool = thread < 200i;
  let v9: i32 = group * 200i;
  let v10: i32 = v9 + thread;
  if v8 {
    let v11: f32 = b0[v10];
    let v12: f32 = x0;
    let v13: bool = v12 < v11;
    let v14: i32 = bitcast<i32>(v12);
    let v16: i32 = v14 & 2147483647i;
    let v18: bool = v16 > 2139095040i;
    let v19: bool = !v18;
    let v20: i32 = bitcast<i32>(v11);
    let v21: i32 = v20 & 2147483647i;
    let v22: bool = v21 > 2139095040i;
    let v23: bool = v13 | v22;
    let v24: bool = v23 & v19;
    let v25: f32 = select(v12, v11, v24);
    x0 = v25;
  }
  let v26: f32 = x0;
  w1[thread] = v26;
  storageBarrier();
  workgroupBarrier();
  let v28: bool = thread < 128i;
  let v29: i32 = thread + 128i;
  if v28 {
    let v30: f32 = w1[thread];
    let v31: f32 = w1[v29];
    let v32: bool = v30 < v31;
    let v33: i32 = bitcast<i32>(v30);
    let v34: i32 = v33 & 2147483647i;
    let v35: bool = v34 > 2139095040i;
    let v36: bool = !v35;
    let v37: i32 = bitcast<i32>(v31);
    let v38: i32 = v37 & 2147483647i;
    let v39: bool = v38 > 2139095040i;
    let v40: bool = v32 | v39;
    let v41: bool = v40 & v36;
    let v42: f32 = select(v30, v31, v41);
    w1[thread] = v42;
  }
  storageBarrier();
  workgroupBarrier();
  let v44: bool = thread < 64i;
  let v45: i32 = thread + 64i;
  if v44 {
    let v46: f32 = w1[thread];
    let v47: f32 = w1[v45];
    let v48: bool = v46 < v47;
    let v49: i32 = bitcast<i32>(v46);
    let v50: i32 = v49 & 2147483647i;
    let v51: bool = v50 > 2139095040i;
    let v52: bool = !v51;
    let v53: i32 = bitcast<i32>(v47);
    let v54: i32 = v53 & 2147483647i;
    let v55: bool = v54 > 2139095040i;
    let v56: bool = v48 | v55;
    let v57: bool = v56 & v52;
    let v58: f32 = select(v46, v47, v57);
    w1[thread] = v58;
  }
  storageBarrier();
  workgroupBarrier();
  let v60: bool = thread < 32i;
  let v61: i32 = thread + 32i;
  if v60 {
    let v62: f32 = w1[thread];
    let v63: f32 = w1[v61];
    let v64: bool = v62 < v63;
    let v65: i32 = bitcast<i32>(v62);
    let v66: i32 = v65 & 2147483647i;
    let v67: bool = v66 > 2139095040i;
    let v68: bool = !v67;
    let v69: i32 = bitcast<i32>(v63);
    let v70: i32 = v69 & 2147483647i;
    let v71: bool = v70 > 2139095040i;
    let v72: bool = v64 | v71;
    let v73: bool = v72 & v68;
    let v74: f32 = select(v62, v63, v73);
    w1[thread] = v74;
  }
  storageBarrier();
  workgroupBarrier();
  let v76: bool = thread < 16i;
  let v77: i32 = thread + 16i;
  if v76 {
    let v78: f32 = w1[thread];
    let v79: f32 = w1[v77];
    let v80: bool = v78 < v79;
    let v81: i32 = bitcast<i32>(v78);
    let v82: i32 = v81 & 2147483647i;
    let v83: bool = v82 > 2139095040i;
    let v84: bool = !v83;
    let v85: i32 = bitcast<i32>(v79);
    let v86: i32 = v85 & 2147483647i;
    let v87: bool = v86 > 2139095040i;
    let v88: bool = v80 | v87;
    let v89: bool = v88 & v84;
    let v90: f32 = select(v78, v79, v89);
    w1[thread] = v90;
  }
  storageBarrier();
  workgroupBarrier();
  let v92: bool = thread < 8i;
  let v93: i32 = thread + 8i;
  if v92 {
    let v94: f32 = w1[thread];
    let v95: f32 = w1[v93];
    let v96: bool = v94 < v95;
    let v97: i32 = bitcast<i32>(v94);
    let v98: i32 = v97 & 2147483647i;
    let v99: bool = v98 > 2139095040i;
    let v100: bool = !v99;
    let v101: i32 = bitcast<i32>(v95);
    let v102: i32 = v101 & 2147483647i;
    let v103: bool = v102 > 2139095040i;
    let v104: bool = v96 | v103;
    let v105: bool = v104 & v100;
    let v106: f32 = select(v94, v95, v105);
    w1[thread] = v106;
  }
  storageBarrier();
  workgroupBarrier();
  let v108: bool = thread < 4i;
  let v109: i32 = thread + 4i;
  if v108 {
    let v110: f32 = w1[thread];
    let v111: f32 = w1[v109];
    let v112: bool = v110 < v111;
    let v113: i32 = bitcast<i32>(v110);
    let v114: i32 = v113 & 2147483647i;
    let v115: bool = v114 > 2139095040i;
    let v116: bool = !v115;
    let v117: i32 = bitcast<i32>(v111);
    let v118: i32 = v117 & 2147483647i;
    let v119: bool = v118 > 2139095040i;
    let v120: bool = v112 | v119;
    let v121: bool = v120 & v116;
    let v122: f32 = select(v110, v111, v121);
    w1[thread] = v122;
  }
  storageBarrier();
  workgroupBarrier();
  let v124: bool = thread < 2i;
  let v125: i32 = thread + 2i;
  if v124 {
    let v126: f32 = w1[thread];
    let v127: f32 = w1[v125];
    let v128: bool = v126 < v127;
    let v129: i32 = bitcast<i32>(v126);
    let v130: i32 = v129 & 2147483647i;
    let v131: bool = v130 > 2139095040i;
    let v132: bool = !v131;
    let v133: i32 = bitcast<i32>(v127);
    let v134: i32 = v133 & 2147483647i;
    let v135: bool = v134 > 2139095040i;
    let v136: bool = v128 | v135;
    let v137: bool = v136 & v132;
    let v138: f32 = select(v126, v127, v137);
    w1[thread] = v138;
  }
  storageBarrier();
  workgroupBarrier();
  let v139: bool = thread < 1i;
  let v140: i32 = thread + 1i;
  if v139 {
    let v141: f32 = w1[thread];
    let v142: f32 = w1[v140];
    let v143: bool = v141 < v142;
    let v144: i32 = bitcast<i32>(v141);
    let v145: i32 = v144 & 2147483647i;
    let v146: bool = v145 > 2139095040i;
    let v147: bool = !v146;
    let v148: i32 = bitcast<i32>(v142);
    let v149: i32 = v148 & 2147483647i;
    let v150: bool = v149 > 2139095040i;
    let v151: bool = v143 | v150;
    let v152: bool = v151 & v147;
    let v153: f32 = select(v141, v142, v152);
    w1[thread] = v153;
  }
  storageBarrier();
  workgroupBarrier();
  let v154: f32 = w1[0i];
  storageBarrier();
  workgroupBarrier();
  x1 = 0.0f;
  if v8 {
    let v156: f32 = b0[v10];
    let v158: f32 = v156 - v154;
    let v160: bool = v158 < -104.0f;
    let v161: f32 = select(v158, -104.0f, v160);
    let v163: bool = v161 > 89.0f;
    let v164: f32 = select(v161, 89.0f, v163);
    let v167: f32 = fma(v164, 1.442695f, 12582912.0f);
    let v168: i32 = bitcast<i32>(v167);
    let v170: i32 = v168 - 1262485504i;
    let v171: f32 = f32(v170);
    let v173: f32 = fma(v171, -0.69314575f, v164);
    let v175: f32 = fma(v171, -1.4286068e-6f, v173);
    let v178: f32 = fma(0.0013814465f, v175, 0.008368781f);
    let v180: f32 = fma(v178, v175, 0.041668393f);
    let v182: f32 = fma(v180, v175, 0.1666652f);
    let v184: f32 = fma(v182, v175, 0.49999994f);
    let v185: f32 = v175 * v175;
    let v186: f32 = fma(v185, v184, v175);
    let v187: f32 = v186 + 1.0f;
    let v188: i32 = v170 >> 1u;
    let v190: i32 = v188 << 23u;
    let v192: i32 = v190 + 1065353216i;
    let v193: f32 = bitcast<f32>(v192);
    let v194: f32 = v187 * v193;
    let v195: i32 = v170 - v188;
    let v196: i32 = v195 << 23u;
    let v197: i32 = v196 + 1065353216i;
    let v198: f32 = bitcast<f32>(v197);
    let v199: f32 = v194 * v198;
    w0[thread] = v199;
    let v200: f32 = x1;
    let v201: f32 = v200 + v199;
    x1 = v201;
  }
  let v202: f32 = x1;
  w1[thread] = v202;
  storageBarrier();
  workgroupBarrier();
  if v28 {
    let v203: f32 = w1[thread];
    let v204: f32 = w1[v29];
    let v205: f32 = v203 + v204;
    w1[thread] = v205;
  }
  storageBarrier();
  workgroupBarrier();
  if v44 {
    let v206: f32 = w1[thread];
    let v207: f32 = w1[v45];
    let v208: f32 = v206 + v207;
    w1[thread] = v208;
  }
  storageBarrier();
  workgroupBarrier();
  if v60 {
    let v209: f32 = w1[thread];
    let v210: f32 = w1[v61];
    let v211: f32 = v209 + v210;
    w1[thread] = v211;
  }
  storageBarrier();
  workgroupBarrier();
  if v76 {
    let v212: f32 = w1[thread];
    let v213: f32 = w1[v77];
    let v214: f32 = v212 + v213;
    w1[thread] = v214;
  }
  storageBarrier();
  workgroupBarrier();
  if v92 {
    let v215: f32 = w1[thread];
    let v216: f32 = w1[v93];
    let v217: f32 = v215 + v216;
    w1[thread] = v217;
  }
  storageBarrier();
  workgroupBarrier();
  if v108 {
    let v218: f32 = w1[thread];
    let v219: f32 = w1[v109];
    let v220: f32 = v218 + v219;
    w1[thread] = v220;
  }
  storageBarrier();
  workgroupBarrier();
  if v124 {
    let v221: f32 = w1[thread];
    let v222: f32 = w1[v125];
    let v223: f32 = v221 + v222;
    w1[thread] = v223;
  }
  storageBarrier();
  workgroupBarrier();
  if v139 {
    let v224: f32 = w1[thread];
    let v225: f32 = w1[v140];
    let v226: f32 = v224 + v225;
    w1[thread] = v226;
  }
  storageBarrier();
  workgroupBarrier();
  let v227: f32 = w1[0i];
  storageBarrier();
  workgroupBarrier();
  if v8 {
    let v228: f32 = w0[thread];
    let v229: f32 = v228 / v227;
    b1[v10] = v229;
  }
}
