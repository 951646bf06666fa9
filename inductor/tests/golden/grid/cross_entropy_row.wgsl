// k_cross_entropy_row
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b2: array<f32>;
var<workgroup> w0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v2 = bitcast<f32>(0xff800000u | (local >> 31u));
  let v271 = bitcast<f32>(0x7f800000u | (local >> 31u));
  let v281 = bitcast<f32>(0x7fc00000u | (local >> 31u));
  var x0: f32;
  var x1: f32;
  x0 = v2;
  let v9: i32 = group * 32000i;
  for (var v8: i32 = thread; v8 < 32000i; v8 += 256i) {
    let v10: i32 = v9 + v8;
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
  w0[thread] = v26;
  storageBarrier();
  workgroupBarrier();
  let v28: bool = thread < 128i;
  let v29: i32 = thread + 128i;
  if v28 {
    let v30: f32 = w0[thread];
    let v31: f32 = w0[v29];
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
    w0[thread] = v42;
  }
  storageBarrier();
  workgroupBarrier();
  let v44: bool = thread < 64i;
  let v45: i32 = thread + 64i;
  if v44 {
    let v46: f32 = w0[thread];
    let v47: f32 = w0[v45];
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
    w0[thread] = v58;
  }
  storageBarrier();
  workgroupBarrier();
  let v60: bool = thread < 32i;
  let v61: i32 = thread + 32i;
  if v60 {
    let v62: f32 = w0[thread];
    let v63: f32 = w0[v61];
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
    w0[thread] = v74;
  }
  storageBarrier();
  workgroupBarrier();
  let v76: bool = thread < 16i;
  let v77: i32 = thread + 16i;
  if v76 {
    let v78: f32 = w0[thread];
    let v79: f32 = w0[v77];
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
    w0[thread] = v90;
  }
  storageBarrier();
  workgroupBarrier();
  let v92: bool = thread < 8i;
  let v93: i32 = thread + 8i;
  if v92 {
    let v94: f32 = w0[thread];
    let v95: f32 = w0[v93];
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
    w0[thread] = v106;
  }
  storageBarrier();
  workgroupBarrier();
  let v108: bool = thread < 4i;
  let v109: i32 = thread + 4i;
  if v108 {
    let v110: f32 = w0[thread];
    let v111: f32 = w0[v109];
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
    w0[thread] = v122;
  }
  storageBarrier();
  workgroupBarrier();
  let v124: bool = thread < 2i;
  let v125: i32 = thread + 2i;
  if v124 {
    let v126: f32 = w0[thread];
    let v127: f32 = w0[v125];
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
    w0[thread] = v138;
  }
  storageBarrier();
  workgroupBarrier();
  let v139: bool = thread < 1i;
  let v140: i32 = thread + 1i;
  if v139 {
    let v141: f32 = w0[thread];
    let v142: f32 = w0[v140];
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
    w0[thread] = v153;
  }
  storageBarrier();
  workgroupBarrier();
  let v154: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  x1 = 0.0f;
  for (var v156: i32 = thread; v156 < 32000i; v156 += 256i) {
    let v157: i32 = v9 + v156;
    let v158: f32 = b0[v157];
    let v160: f32 = v158 - v154;
    let v162: bool = v160 < -104.0f;
    let v163: f32 = select(v160, -104.0f, v162);
    let v165: bool = v163 > 89.0f;
    let v166: f32 = select(v163, 89.0f, v165);
    let v169: f32 = fma(v166, 1.442695f, 12582912.0f);
    let v170: i32 = bitcast<i32>(v169);
    let v172: i32 = v170 - 1262485504i;
    let v173: f32 = f32(v172);
    let v175: f32 = fma(v173, -0.69314575f, v166);
    let v177: f32 = fma(v173, -1.4286068e-6f, v175);
    let v180: f32 = fma(0.0013814465f, v177, 0.008368781f);
    let v182: f32 = fma(v180, v177, 0.041668393f);
    let v184: f32 = fma(v182, v177, 0.1666652f);
    let v186: f32 = fma(v184, v177, 0.49999994f);
    let v187: f32 = v177 * v177;
    let v188: f32 = fma(v187, v186, v177);
    let v189: f32 = v188 + 1.0f;
    let v190: i32 = v172 >> 1u;
    let v192: i32 = v190 << 23u;
    let v194: i32 = v192 + 1065353216i;
    let v195: f32 = bitcast<f32>(v194);
    let v196: f32 = v189 * v195;
    let v197: i32 = v172 - v190;
    let v198: i32 = v197 << 23u;
    let v199: i32 = v198 + 1065353216i;
    let v200: f32 = bitcast<f32>(v199);
    let v201: f32 = v196 * v200;
    let v202: f32 = x1;
    let v203: f32 = v202 + v201;
    x1 = v203;
  }
  let v204: f32 = x1;
  w0[thread] = v204;
  storageBarrier();
  workgroupBarrier();
  if v28 {
    let v205: f32 = w0[thread];
    let v206: f32 = w0[v29];
    let v207: f32 = v205 + v206;
    w0[thread] = v207;
  }
  storageBarrier();
  workgroupBarrier();
  if v44 {
    let v208: f32 = w0[thread];
    let v209: f32 = w0[v45];
    let v210: f32 = v208 + v209;
    w0[thread] = v210;
  }
  storageBarrier();
  workgroupBarrier();
  if v60 {
    let v211: f32 = w0[thread];
    let v212: f32 = w0[v61];
    let v213: f32 = v211 + v212;
    w0[thread] = v213;
  }
  storageBarrier();
  workgroupBarrier();
  if v76 {
    let v214: f32 = w0[thread];
    let v215: f32 = w0[v77];
    let v216: f32 = v214 + v215;
    w0[thread] = v216;
  }
  storageBarrier();
  workgroupBarrier();
  if v92 {
    let v217: f32 = w0[thread];
    let v218: f32 = w0[v93];
    let v219: f32 = v217 + v218;
    w0[thread] = v219;
  }
  storageBarrier();
  workgroupBarrier();
  if v108 {
    let v220: f32 = w0[thread];
    let v221: f32 = w0[v109];
    let v222: f32 = v220 + v221;
    w0[thread] = v222;
  }
  storageBarrier();
  workgroupBarrier();
  if v124 {
    let v223: f32 = w0[thread];
    let v224: f32 = w0[v125];
    let v225: f32 = v223 + v224;
    w0[thread] = v225;
  }
  storageBarrier();
  workgroupBarrier();
  if v139 {
    let v226: f32 = w0[thread];
    let v227: f32 = w0[v140];
    let v228: f32 = v226 + v227;
    w0[thread] = v228;
  }
  storageBarrier();
  workgroupBarrier();
  let v229: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v231: bool = v229 < 1.1754944e-38f;
  let v233: f32 = v229 * 8388608.0f;
  let v234: f32 = select(v229, v233, v231);
  let v236: f32 = select(0.0f, -23.0f, v231);
  let v237: i32 = bitcast<i32>(v234);
  let v239: i32 = v237 - 1060439283i;
  let v240: i32 = v239 >> 23u;
  let v241: i32 = v240 << 23u;
  let v242: i32 = v237 - v241;
  let v243: f32 = bitcast<f32>(v242);
  let v244: f32 = v243 - 1.0f;
  let v245: f32 = f32(v240);
  let v246: f32 = v245 + v236;
  let v248: f32 = v244 * v244;
  let v251: f32 = fma(-0.076261275f, v244, 0.12908189f);
  let v253: f32 = fma(v251, v244, -0.13243133f);
  let v255: f32 = fma(v253, v244, 0.14181256f);
  let v257: f32 = fma(v255, v244, -0.16608994f);
  let v259: f32 = fma(v257, v244, 0.20002f);
  let v261: f32 = fma(v259, v244, -0.25001588f);
  let v263: f32 = fma(v261, v244, 0.33333325f);
  let v265: f32 = fma(v263, v244, -0.49999988f);
  let v266: f32 = v248 * v265;
  let v267: f32 = fma(v246, 1.4286068e-6f, v266);
  let v269: f32 = v244 + v267;
  let v270: f32 = fma(v246, 0.69314575f, v269);
  let v272: bool = v229 == v271;
  let v273: f32 = select(v270, v271, v272);
  let v274: bool = v229 == 0.0f;
  let v275: f32 = select(v273, v2, v274);
  let v276: bool = v229 < 0.0f;
  let v277: i32 = bitcast<i32>(v229);
  let v278: i32 = v277 & 2147483647i;
  let v279: bool = v278 > 2139095040i;
  let v280: bool = v276 | v279;
  let v282: f32 = select(v275, v281, v280);
  let v283: f32 = v282 + v154;
  let v284: bool = thread == 0i;
  if v284 {
    b2[group] = v283;
  }
}
