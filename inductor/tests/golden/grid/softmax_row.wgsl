// k_softmax_row
@group(0) @binding(0) var<storage, read> b0: array<u32>;
@group(0) @binding(1) var<storage, read_write> b1: array<u32>;
@group(0) @binding(2) var<storage, read_write> b2: array<f32>;
var<workgroup> w0: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v4 = bitcast<f32>(0xff800000u | (local >> 31u));
  var x0: f32;
  var x1: f32;
  var x2: u32;
  let v2: i32 = group * 4096i;
  x0 = v4;
  for (var v9: i32 = thread; v9 < 4096i; v9 += 256i) {
    let v10: i32 = v2 + v9;
    let v11: i32 = v10 >> 1u;
    let v12: i32 = v10 & 1i;
    let v14: i32 = v12 * 16i;
    let v15: u32 = u32(v14);
    let v16: u32 = b0[v11];
    let v18: u32 = v16 >> v15;
    let v19: u32 = v18 & 0xffffu;
    let v21: u32 = v19 << 16u;
    let v22: f32 = bitcast<f32>(v21);
    let v23: f32 = x0;
    let v24: bool = v23 < v22;
    let v25: i32 = bitcast<i32>(v23);
    let v27: i32 = v25 & 2147483647i;
    let v29: bool = v27 > 2139095040i;
    let v30: bool = !v29;
    let v31: i32 = bitcast<i32>(v22);
    let v32: i32 = v31 & 2147483647i;
    let v33: bool = v32 > 2139095040i;
    let v34: bool = v24 | v33;
    let v35: bool = v34 & v30;
    let v36: f32 = select(v23, v22, v35);
    x0 = v36;
  }
  let v37: f32 = x0;
  w0[thread] = v37;
  storageBarrier();
  workgroupBarrier();
  let v39: bool = thread < 128i;
  let v40: i32 = thread + 128i;
  if v39 {
    let v41: f32 = w0[thread];
    let v42: f32 = w0[v40];
    let v43: bool = v41 < v42;
    let v44: i32 = bitcast<i32>(v41);
    let v45: i32 = v44 & 2147483647i;
    let v46: bool = v45 > 2139095040i;
    let v47: bool = !v46;
    let v48: i32 = bitcast<i32>(v42);
    let v49: i32 = v48 & 2147483647i;
    let v50: bool = v49 > 2139095040i;
    let v51: bool = v43 | v50;
    let v52: bool = v51 & v47;
    let v53: f32 = select(v41, v42, v52);
    w0[thread] = v53;
  }
  storageBarrier();
  workgroupBarrier();
  let v55: bool = thread < 64i;
  let v56: i32 = thread + 64i;
  if v55 {
    let v57: f32 = w0[thread];
    let v58: f32 = w0[v56];
    let v59: bool = v57 < v58;
    let v60: i32 = bitcast<i32>(v57);
    let v61: i32 = v60 & 2147483647i;
    let v62: bool = v61 > 2139095040i;
    let v63: bool = !v62;
    let v64: i32 = bitcast<i32>(v58);
    let v65: i32 = v64 & 2147483647i;
    let v66: bool = v65 > 2139095040i;
    let v67: bool = v59 | v66;
    let v68: bool = v67 & v63;
    let v69: f32 = select(v57, v58, v68);
    w0[thread] = v69;
  }
  storageBarrier();
  workgroupBarrier();
  let v71: bool = thread < 32i;
  let v72: i32 = thread + 32i;
  if v71 {
    let v73: f32 = w0[thread];
    let v74: f32 = w0[v72];
    let v75: bool = v73 < v74;
    let v76: i32 = bitcast<i32>(v73);
    let v77: i32 = v76 & 2147483647i;
    let v78: bool = v77 > 2139095040i;
    let v79: bool = !v78;
    let v80: i32 = bitcast<i32>(v74);
    let v81: i32 = v80 & 2147483647i;
    let v82: bool = v81 > 2139095040i;
    let v83: bool = v75 | v82;
    let v84: bool = v83 & v79;
    let v85: f32 = select(v73, v74, v84);
    w0[thread] = v85;
  }
  storageBarrier();
  workgroupBarrier();
  let v86: bool = thread < 16i;
  let v87: i32 = thread + 16i;
  if v86 {
    let v88: f32 = w0[thread];
    let v89: f32 = w0[v87];
    let v90: bool = v88 < v89;
    let v91: i32 = bitcast<i32>(v88);
    let v92: i32 = v91 & 2147483647i;
    let v93: bool = v92 > 2139095040i;
    let v94: bool = !v93;
    let v95: i32 = bitcast<i32>(v89);
    let v96: i32 = v95 & 2147483647i;
    let v97: bool = v96 > 2139095040i;
    let v98: bool = v90 | v97;
    let v99: bool = v98 & v94;
    let v100: f32 = select(v88, v89, v99);
    w0[thread] = v100;
  }
  storageBarrier();
  workgroupBarrier();
  let v102: bool = thread < 8i;
  let v103: i32 = thread + 8i;
  if v102 {
    let v104: f32 = w0[thread];
    let v105: f32 = w0[v103];
    let v106: bool = v104 < v105;
    let v107: i32 = bitcast<i32>(v104);
    let v108: i32 = v107 & 2147483647i;
    let v109: bool = v108 > 2139095040i;
    let v110: bool = !v109;
    let v111: i32 = bitcast<i32>(v105);
    let v112: i32 = v111 & 2147483647i;
    let v113: bool = v112 > 2139095040i;
    let v114: bool = v106 | v113;
    let v115: bool = v114 & v110;
    let v116: f32 = select(v104, v105, v115);
    w0[thread] = v116;
  }
  storageBarrier();
  workgroupBarrier();
  let v118: bool = thread < 4i;
  let v119: i32 = thread + 4i;
  if v118 {
    let v120: f32 = w0[thread];
    let v121: f32 = w0[v119];
    let v122: bool = v120 < v121;
    let v123: i32 = bitcast<i32>(v120);
    let v124: i32 = v123 & 2147483647i;
    let v125: bool = v124 > 2139095040i;
    let v126: bool = !v125;
    let v127: i32 = bitcast<i32>(v121);
    let v128: i32 = v127 & 2147483647i;
    let v129: bool = v128 > 2139095040i;
    let v130: bool = v122 | v129;
    let v131: bool = v130 & v126;
    let v132: f32 = select(v120, v121, v131);
    w0[thread] = v132;
  }
  storageBarrier();
  workgroupBarrier();
  let v134: bool = thread < 2i;
  let v135: i32 = thread + 2i;
  if v134 {
    let v136: f32 = w0[thread];
    let v137: f32 = w0[v135];
    let v138: bool = v136 < v137;
    let v139: i32 = bitcast<i32>(v136);
    let v140: i32 = v139 & 2147483647i;
    let v141: bool = v140 > 2139095040i;
    let v142: bool = !v141;
    let v143: i32 = bitcast<i32>(v137);
    let v144: i32 = v143 & 2147483647i;
    let v145: bool = v144 > 2139095040i;
    let v146: bool = v138 | v145;
    let v147: bool = v146 & v142;
    let v148: f32 = select(v136, v137, v147);
    w0[thread] = v148;
  }
  storageBarrier();
  workgroupBarrier();
  let v149: bool = thread < 1i;
  let v150: i32 = thread + 1i;
  if v149 {
    let v151: f32 = w0[thread];
    let v152: f32 = w0[v150];
    let v153: bool = v151 < v152;
    let v154: i32 = bitcast<i32>(v151);
    let v155: i32 = v154 & 2147483647i;
    let v156: bool = v155 > 2139095040i;
    let v157: bool = !v156;
    let v158: i32 = bitcast<i32>(v152);
    let v159: i32 = v158 & 2147483647i;
    let v160: bool = v159 > 2139095040i;
    let v161: bool = v153 | v160;
    let v162: bool = v161 & v157;
    let v163: f32 = select(v151, v152, v162);
    w0[thread] = v163;
  }
  storageBarrier();
  workgroupBarrier();
  let v164: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  x1 = 0.0f;
  for (var v166: i32 = thread; v166 < 4096i; v166 += 256i) {
    let v167: i32 = v2 + v166;
    let v168: i32 = v167 >> 1u;
    let v169: i32 = v167 & 1i;
    let v170: i32 = v169 * 16i;
    let v171: u32 = u32(v170);
    let v172: u32 = b0[v168];
    let v173: u32 = v172 >> v171;
    let v174: u32 = v173 & 0xffffu;
    let v175: u32 = v174 << 16u;
    let v176: f32 = bitcast<f32>(v175);
    let v178: f32 = v176 - v164;
    let v180: bool = v178 < -104.0f;
    let v181: f32 = select(v178, -104.0f, v180);
    let v183: bool = v181 > 89.0f;
    let v184: f32 = select(v181, 89.0f, v183);
    let v187: f32 = fma(v184, 1.442695f, 12582912.0f);
    let v188: i32 = bitcast<i32>(v187);
    let v190: i32 = v188 - 1262485504i;
    let v191: f32 = f32(v190);
    let v193: f32 = fma(v191, -0.69314575f, v184);
    let v195: f32 = fma(v191, -1.4286068e-6f, v193);
    let v198: f32 = fma(0.0013814465f, v195, 0.008368781f);
    let v200: f32 = fma(v198, v195, 0.041668393f);
    let v202: f32 = fma(v200, v195, 0.1666652f);
    let v204: f32 = fma(v202, v195, 0.49999994f);
    let v205: f32 = v195 * v195;
    let v206: f32 = fma(v205, v204, v195);
    let v207: f32 = v206 + 1.0f;
    let v208: i32 = v190 >> 1u;
    let v210: i32 = v208 << 23u;
    let v212: i32 = v210 + 1065353216i;
    let v213: f32 = bitcast<f32>(v212);
    let v214: f32 = v207 * v213;
    let v215: i32 = v190 - v208;
    let v216: i32 = v215 << 23u;
    let v217: i32 = v216 + 1065353216i;
    let v218: f32 = bitcast<f32>(v217);
    let v219: f32 = v214 * v218;
    b2[v167] = v219;
    let v220: f32 = x1;
    let v221: f32 = v220 + v219;
    x1 = v221;
  }
  let v222: f32 = x1;
  w0[thread] = v222;
  storageBarrier();
  workgroupBarrier();
  if v39 {
    let v223: f32 = w0[thread];
    let v224: f32 = w0[v40];
    let v225: f32 = v223 + v224;
    w0[thread] = v225;
  }
  storageBarrier();
  workgroupBarrier();
  if v55 {
    let v226: f32 = w0[thread];
    let v227: f32 = w0[v56];
    let v228: f32 = v226 + v227;
    w0[thread] = v228;
  }
  storageBarrier();
  workgroupBarrier();
  if v71 {
    let v229: f32 = w0[thread];
    let v230: f32 = w0[v72];
    let v231: f32 = v229 + v230;
    w0[thread] = v231;
  }
  storageBarrier();
  workgroupBarrier();
  if v86 {
    let v232: f32 = w0[thread];
    let v233: f32 = w0[v87];
    let v234: f32 = v232 + v233;
    w0[thread] = v234;
  }
  storageBarrier();
  workgroupBarrier();
  if v102 {
    let v235: f32 = w0[thread];
    let v236: f32 = w0[v103];
    let v237: f32 = v235 + v236;
    w0[thread] = v237;
  }
  storageBarrier();
  workgroupBarrier();
  if v118 {
    let v238: f32 = w0[thread];
    let v239: f32 = w0[v119];
    let v240: f32 = v238 + v239;
    w0[thread] = v240;
  }
  storageBarrier();
  workgroupBarrier();
  if v134 {
    let v241: f32 = w0[thread];
    let v242: f32 = w0[v135];
    let v243: f32 = v241 + v242;
    w0[thread] = v243;
  }
  storageBarrier();
  workgroupBarrier();
  if v149 {
    let v244: f32 = w0[thread];
    let v245: f32 = w0[v150];
    let v246: f32 = v244 + v245;
    w0[thread] = v246;
  }
  storageBarrier();
  workgroupBarrier();
  let v247: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v248: i32 = thread * 2i;
  for (var v250: i32 = v248; v250 < 4096i; v250 += 512i) {
    x2 = 0x0u;
    for (var v252: i32 = 0i; v252 < 2i; v252 += 1i) {
      let v253: i32 = v250 + v252;
      let v254: bool = v253 < 4096i;
      let v256: bool = v253 == 4095i;
      let v257: i32 = v2 + v253;
      let v273: i32 = v252 & 1i;
      let v274: i32 = v273 * 16i;
      let v275: u32 = u32(v274);
      let v279: bool = v273 == 1i;
      let v280: bool = v279 | v256;
      let v281: i32 = v253 + v2;
      let v282: i32 = v281 >> 1u;
      if v254 {
        let v258: f32 = b2[v257];
        let v259: f32 = v258 / v247;
        let v260: u32 = bitcast<u32>(v259);
        let v261: u32 = v260 >> 16u;
        let v263: u32 = v261 & 0x1u;
        let v265: u32 = v260 + 0x7fffu;
        let v266: u32 = v265 + v263;
        let v267: u32 = v266 >> 16u;
        let v268: i32 = bitcast<i32>(v259);
        let v269: i32 = v268 & 2147483647i;
        let v270: bool = v269 > 2139095040i;
        let v272: u32 = select(v267, 0x7fc0u, v270);
        let v276: u32 = x2;
        let v277: u32 = v272 << v275;
        let v278: u32 = v276 | v277;
        x2 = v278;
        if v280 {
          let v283: u32 = x2;
          b1[v282] = v283;
          x2 = 0x0u;
        }
      }
    }
  }
}
