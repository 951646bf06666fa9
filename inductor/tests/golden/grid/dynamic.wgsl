// k_log_softmax
struct Args { n0: i32, n1: i32 }
@group(0) @binding(2) var<uniform> args: Args;
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<f32>;
var<workgroup> w0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v3 = bitcast<f32>(0xff800000u | (local >> 31u));
  let v272 = bitcast<f32>(0x7f800000u | (local >> 31u));
  let v282 = bitcast<f32>(0x7fc00000u | (local >> 31u));
  var x0: f32;
  var x1: f32;
  let v2: bool = group < args.n0;
  let v10: i32 = args.n1 * group;
  let v29: bool = thread < 128i;
  let v30: i32 = thread + 128i;
  let v45: bool = thread < 64i;
  let v46: i32 = thread + 64i;
  let v61: bool = thread < 32i;
  let v62: i32 = thread + 32i;
  let v77: bool = thread < 16i;
  let v78: i32 = thread + 16i;
  let v93: bool = thread < 8i;
  let v94: i32 = thread + 8i;
  let v109: bool = thread < 4i;
  let v110: i32 = thread + 4i;
  let v125: bool = thread < 2i;
  let v126: i32 = thread + 2i;
  let v140: bool = thread < 1i;
  let v141: i32 = thread + 1i;
  if v2 {
    x0 = v3;
    for (var v9: i32 = thread; v9 < args.n1; v9 += 256i) {
      let v11: i32 = v10 + v9;
      let v12: f32 = b0[v11];
      let v13: f32 = x0;
      let v14: bool = v13 < v12;
      let v15: i32 = bitcast<i32>(v13);
      let v17: i32 = v15 & 2147483647i;
      let v19: bool = v17 > 2139095040i;
      let v20: bool = !v19;
      let v21: i32 = bitcast<i32>(v12);
      let v22: i32 = v21 & 2147483647i;
      let v23: bool = v22 > 2139095040i;
      let v24: bool = v14 | v23;
      let v25: bool = v24 & v20;
      let v26: f32 = select(v13, v12, v25);
      x0 = v26;
    }
    let v27: f32 = x0;
    w0[thread] = v27;
    storageBarrier();
    workgroupBarrier();
    if v29 {
      let v31: f32 = w0[thread];
      let v32: f32 = w0[v30];
      let v33: bool = v31 < v32;
      let v34: i32 = bitcast<i32>(v31);
      let v35: i32 = v34 & 2147483647i;
      let v36: bool = v35 > 2139095040i;
      let v37: bool = !v36;
      let v38: i32 = bitcast<i32>(v32);
      let v39: i32 = v38 & 2147483647i;
      let v40: bool = v39 > 2139095040i;
      let v41: bool = v33 | v40;
      let v42: bool = v41 & v37;
      let v43: f32 = select(v31, v32, v42);
      w0[thread] = v43;
    }
    storageBarrier();
    workgroupBarrier();
    if v45 {
      let v47: f32 = w0[thread];
      let v48: f32 = w0[v46];
      let v49: bool = v47 < v48;
      let v50: i32 = bitcast<i32>(v47);
      let v51: i32 = v50 & 2147483647i;
      let v52: bool = v51 > 2139095040i;
      let v53: bool = !v52;
      let v54: i32 = bitcast<i32>(v48);
      let v55: i32 = v54 & 2147483647i;
      let v56: bool = v55 > 2139095040i;
      let v57: bool = v49 | v56;
      let v58: bool = v57 & v53;
      let v59: f32 = select(v47, v48, v58);
      w0[thread] = v59;
    }
    storageBarrier();
    workgroupBarrier();
    if v61 {
      let v63: f32 = w0[thread];
      let v64: f32 = w0[v62];
      let v65: bool = v63 < v64;
      let v66: i32 = bitcast<i32>(v63);
      let v67: i32 = v66 & 2147483647i;
      let v68: bool = v67 > 2139095040i;
      let v69: bool = !v68;
      let v70: i32 = bitcast<i32>(v64);
      let v71: i32 = v70 & 2147483647i;
      let v72: bool = v71 > 2139095040i;
      let v73: bool = v65 | v72;
      let v74: bool = v73 & v69;
      let v75: f32 = select(v63, v64, v74);
      w0[thread] = v75;
    }
    storageBarrier();
    workgroupBarrier();
    if v77 {
      let v79: f32 = w0[thread];
      let v80: f32 = w0[v78];
      let v81: bool = v79 < v80;
      let v82: i32 = bitcast<i32>(v79);
      let v83: i32 = v82 & 2147483647i;
      let v84: bool = v83 > 2139095040i;
      let v85: bool = !v84;
      let v86: i32 = bitcast<i32>(v80);
      let v87: i32 = v86 & 2147483647i;
      let v88: bool = v87 > 2139095040i;
      let v89: bool = v81 | v88;
      let v90: bool = v89 & v85;
      let v91: f32 = select(v79, v80, v90);
      w0[thread] = v91;
    }
    storageBarrier();
    workgroupBarrier();
    if v93 {
      let v95: f32 = w0[thread];
      let v96: f32 = w0[v94];
      let v97: bool = v95 < v96;
      let v98: i32 = bitcast<i32>(v95);
      let v99: i32 = v98 & 2147483647i;
      let v100: bool = v99 > 2139095040i;
      let v101: bool = !v100;
      let v102: i32 = bitcast<i32>(v96);
      let v103: i32 = v102 & 2147483647i;
      let v104: bool = v103 > 2139095040i;
      let v105: bool = v97 | v104;
      let v106: bool = v105 & v101;
      let v107: f32 = select(v95, v96, v106);
      w0[thread] = v107;
    }
    storageBarrier();
    workgroupBarrier();
    if v109 {
      let v111: f32 = w0[thread];
      let v112: f32 = w0[v110];
      let v113: bool = v111 < v112;
      let v114: i32 = bitcast<i32>(v111);
      let v115: i32 = v114 & 2147483647i;
      let v116: bool = v115 > 2139095040i;
      let v117: bool = !v116;
      let v118: i32 = bitcast<i32>(v112);
      let v119: i32 = v118 & 2147483647i;
      let v120: bool = v119 > 2139095040i;
      let v121: bool = v113 | v120;
      let v122: bool = v121 & v117;
      let v123: f32 = select(v111, v112, v122);
      w0[thread] = v123;
    }
    storageBarrier();
    workgroupBarrier();
    if v125 {
      let v127: f32 = w0[thread];
      let v128: f32 = w0[v126];
      let v129: bool = v127 < v128;
      let v130: i32 = bitcast<i32>(v127);
      let v131: i32 = v130 & 2147483647i;
      let v132: bool = v131 > 2139095040i;
      let v133: bool = !v132;
      let v134: i32 = bitcast<i32>(v128);
      let v135: i32 = v134 & 2147483647i;
      let v136: bool = v135 > 2139095040i;
      let v137: bool = v129 | v136;
      let v138: bool = v137 & v133;
      let v139: f32 = select(v127, v128, v138);
      w0[thread] = v139;
    }
    storageBarrier();
    workgroupBarrier();
    if v140 {
      let v142: f32 = w0[thread];
      let v143: f32 = w0[v141];
      let v144: bool = v142 < v143;
      let v145: i32 = bitcast<i32>(v142);
      let v146: i32 = v145 & 2147483647i;
      let v147: bool = v146 > 2139095040i;
      let v148: bool = !v147;
      let v149: i32 = bitcast<i32>(v143);
      let v150: i32 = v149 & 2147483647i;
      let v151: bool = v150 > 2139095040i;
      let v152: bool = v144 | v151;
      let v153: bool = v152 & v148;
      let v154: f32 = select(v142, v143, v153);
      w0[thread] = v154;
    }
    storageBarrier();
    workgroupBarrier();
    let v155: f32 = w0[0i];
    storageBarrier();
    workgroupBarrier();
    x1 = 0.0f;
    for (var v157: i32 = thread; v157 < args.n1; v157 += 256i) {
      let v158: i32 = v10 + v157;
      let v159: f32 = b0[v158];
      let v161: f32 = v159 - v155;
      let v163: bool = v161 < -104.0f;
      let v164: f32 = select(v161, -104.0f, v163);
      let v166: bool = v164 > 89.0f;
      let v167: f32 = select(v164, 89.0f, v166);
      let v170: f32 = fma(v167, 1.442695f, 12582912.0f);
      let v171: i32 = bitcast<i32>(v170);
      let v173: i32 = v171 - 1262485504i;
      let v174: f32 = f32(v173);
      let v176: f32 = fma(v174, -0.69314575f, v167);
      let v178: f32 = fma(v174, -1.4286068e-6f, v176);
      let v181: f32 = fma(0.0013814465f, v178, 0.008368781f);
      let v183: f32 = fma(v181, v178, 0.041668393f);
      let v185: f32 = fma(v183, v178, 0.1666652f);
      let v187: f32 = fma(v185, v178, 0.49999994f);
      let v188: f32 = v178 * v178;
      let v189: f32 = fma(v188, v187, v178);
      let v190: f32 = v189 + 1.0f;
      let v191: i32 = v173 >> 1u;
      let v193: i32 = v191 << 23u;
      let v195: i32 = v193 + 1065353216i;
      let v196: f32 = bitcast<f32>(v195);
      let v197: f32 = v190 * v196;
      let v198: i32 = v173 - v191;
      let v199: i32 = v198 << 23u;
      let v200: i32 = v199 + 1065353216i;
      let v201: f32 = bitcast<f32>(v200);
      let v202: f32 = v197 * v201;
      let v203: f32 = x1;
      let v204: f32 = v203 + v202;
      x1 = v204;
    }
    let v205: f32 = x1;
    w0[thread] = v205;
    storageBarrier();
    workgroupBarrier();
    if v29 {
      let v206: f32 = w0[thread];
      let v207: f32 = w0[v30];
      let v208: f32 = v206 + v207;
      w0[thread] = v208;
    }
    storageBarrier();
    workgroupBarrier();
    if v45 {
      let v209: f32 = w0[thread];
      let v210: f32 = w0[v46];
      let v211: f32 = v209 + v210;
      w0[thread] = v211;
    }
    storageBarrier();
    workgroupBarrier();
    if v61 {
      let v212: f32 = w0[thread];
      let v213: f32 = w0[v62];
      let v214: f32 = v212 + v213;
      w0[thread] = v214;
    }
    storageBarrier();
    workgroupBarrier();
    if v77 {
      let v215: f32 = w0[thread];
      let v216: f32 = w0[v78];
      let v217: f32 = v215 + v216;
      w0[thread] = v217;
    }
    storageBarrier();
    workgroupBarrier();
    if v93 {
      let v218: f32 = w0[thread];
      let v219: f32 = w0[v94];
      let v220: f32 = v218 + v219;
      w0[thread] = v220;
    }
    storageBarrier();
    workgroupBarrier();
    if v109 {
      let v221: f32 = w0[thread];
      let v222: f32 = w0[v110];
      let v223: f32 = v221 + v222;
      w0[thread] = v223;
    }
    storageBarrier();
    workgroupBarrier();
    if v125 {
      let v224: f32 = w0[thread];
      let v225: f32 = w0[v126];
      let v226: f32 = v224 + v225;
      w0[thread] = v226;
    }
    storageBarrier();
    workgroupBarrier();
    if v140 {
      let v227: f32 = w0[thread];
      let v228: f32 = w0[v141];
      let v229: f32 = v227 + v228;
      w0[thread] = v229;
    }
    storageBarrier();
    workgroupBarrier();
    let v230: f32 = w0[0i];
    storageBarrier();
    workgroupBarrier();
    let v232: bool = v230 < 1.1754944e-38f;
    let v234: f32 = v230 * 8388608.0f;
    let v235: f32 = select(v230, v234, v232);
    let v237: f32 = select(0.0f, -23.0f, v232);
    let v238: i32 = bitcast<i32>(v235);
    let v240: i32 = v238 - 1060439283i;
    let v241: i32 = v240 >> 23u;
    let v242: i32 = v241 << 23u;
    let v243: i32 = v238 - v242;
    let v244: f32 = bitcast<f32>(v243);
    let v245: f32 = v244 - 1.0f;
    let v246: f32 = f32(v241);
    let v247: f32 = v246 + v237;
    let v249: f32 = v245 * v245;
    let v252: f32 = fma(-0.076261275f, v245, 0.12908189f);
    let v254: f32 = fma(v252, v245, -0.13243133f);
    let v256: f32 = fma(v254, v245, 0.14181256f);
    let v258: f32 = fma(v256, v245, -0.16608994f);
    let v260: f32 = fma(v258, v245, 0.20002f);
    let v262: f32 = fma(v260, v245, -0.25001588f);
    let v264: f32 = fma(v262, v245, 0.33333325f);
    let v266: f32 = fma(v264, v245, -0.49999988f);
    let v267: f32 = v249 * v266;
    let v268: f32 = fma(v247, 1.4286068e-6f, v267);
    let v270: f32 = v245 + v268;
    let v271: f32 = fma(v247, 0.69314575f, v270);
    let v273: bool = v230 == v272;
    let v274: f32 = select(v271, v272, v273);
    let v275: bool = v230 == 0.0f;
    let v276: f32 = select(v274, v3, v275);
    let v277: bool = v230 < 0.0f;
    let v278: i32 = bitcast<i32>(v230);
    let v279: i32 = v278 & 2147483647i;
    let v280: bool = v279 > 2139095040i;
    let v281: bool = v277 | v280;
    let v283: f32 = select(v276, v282, v281);
    for (var v284: i32 = thread; v284 < args.n1; v284 += 256i) {
      let v285: i32 = v10 + v284;
      let v286: f32 = b0[v285];
      let v287: f32 = v286 - v155;
      let v288: f32 = v287 - v283;
      b1[v285] = v288;
    }
  }
}
