// k_argmin_pieces
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b3: array<f32>;
@group(0) @binding(2) var<storage, read_write> b4: array<i32>;
@group(0) @binding(3) var<storage, read_write> b5: array<u32>;
var<workgroup> w0: array<f32, 256>;
var<workgroup> w1: array<i32, 256>;
var<workgroup> w2: array<bool, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v12 = bitcast<f32>(0x7f800000u | (local >> 31u));
  var x0: f32;
  var x1: i32;
  var x2: bool;
  let v2: i32 = group / 4i;
  let v4: i32 = group & 3i;
  let v9: i32 = v4 * 5000i;
  let v10: i32 = v9 + 5000i;
  let v11: i32 = min(v10, 20000i);
  x0 = v12;
  x1 = 2147483647i;
  x2 = false;
  let v18: i32 = v9 + thread;
  let v21: i32 = v2 * 20000i;
  for (var v19: i32 = v18; v19 < v11; v19 += 256i) {
    let v22: i32 = v19 + v21;
    let v23: f32 = b0[v22];
    let v24: f32 = x0;
    let v25: i32 = x1;
    let v26: bool = v24 > v23;
    let v27: bool = v19 < v25;
    let v28: bool = v23 == v24;
    let v29: bool = v28 & v27;
    let v30: bool = v26 | v29;
    let v31: i32 = bitcast<i32>(v24);
    let v32: i32 = v31 & 2147483647i;
    let v34: bool = v32 > 2139095040i;
    let v35: i32 = bitcast<i32>(v23);
    let v36: i32 = v35 & 2147483647i;
    let v37: bool = v36 > 2139095040i;
    let v38: bool = !v34;
    let v39: bool = v30 & v38;
    let v40: bool = v38 | v27;
    let v41: bool = v37 & v40;
    let v42: bool = v39 | v41;
    let v43: f32 = select(v24, v23, v42);
    let v44: i32 = select(v25, v19, v42);
    x0 = v43;
    x1 = v44;
    let v47: bool = v23 < -3.999f;
    let v48: bool = x2;
    let v49: bool = v48 | v47;
    x2 = v49;
  }
  let v50: f32 = x0;
  let v51: i32 = x1;
  w0[thread] = v50;
  w1[thread] = v51;
  storageBarrier();
  workgroupBarrier();
  let v53: bool = thread < 128i;
  let v54: i32 = thread + 128i;
  if v53 {
    let v55: f32 = w0[thread];
    let v56: i32 = w1[thread];
    let v57: f32 = w0[v54];
    let v58: i32 = w1[v54];
    let v59: bool = v55 > v57;
    let v60: bool = v58 < v56;
    let v61: bool = v57 == v55;
    let v62: bool = v61 & v60;
    let v63: bool = v59 | v62;
    let v64: i32 = bitcast<i32>(v55);
    let v65: i32 = v64 & 2147483647i;
    let v66: bool = v65 > 2139095040i;
    let v67: i32 = bitcast<i32>(v57);
    let v68: i32 = v67 & 2147483647i;
    let v69: bool = v68 > 2139095040i;
    let v70: bool = !v66;
    let v71: bool = v63 & v70;
    let v72: bool = v70 | v60;
    let v73: bool = v69 & v72;
    let v74: bool = v71 | v73;
    let v75: f32 = select(v55, v57, v74);
    let v76: i32 = select(v56, v58, v74);
    w0[thread] = v75;
    w1[thread] = v76;
  }
  storageBarrier();
  workgroupBarrier();
  let v78: bool = thread < 64i;
  let v79: i32 = thread + 64i;
  if v78 {
    let v80: f32 = w0[thread];
    let v81: i32 = w1[thread];
    let v82: f32 = w0[v79];
    let v83: i32 = w1[v79];
    let v84: bool = v80 > v82;
    let v85: bool = v83 < v81;
    let v86: bool = v82 == v80;
    let v87: bool = v86 & v85;
    let v88: bool = v84 | v87;
    let v89: i32 = bitcast<i32>(v80);
    let v90: i32 = v89 & 2147483647i;
    let v91: bool = v90 > 2139095040i;
    let v92: i32 = bitcast<i32>(v82);
    let v93: i32 = v92 & 2147483647i;
    let v94: bool = v93 > 2139095040i;
    let v95: bool = !v91;
    let v96: bool = v88 & v95;
    let v97: bool = v95 | v85;
    let v98: bool = v94 & v97;
    let v99: bool = v96 | v98;
    let v100: f32 = select(v80, v82, v99);
    let v101: i32 = select(v81, v83, v99);
    w0[thread] = v100;
    w1[thread] = v101;
  }
  storageBarrier();
  workgroupBarrier();
  let v103: bool = thread < 32i;
  let v104: i32 = thread + 32i;
  if v103 {
    let v105: f32 = w0[thread];
    let v106: i32 = w1[thread];
    let v107: f32 = w0[v104];
    let v108: i32 = w1[v104];
    let v109: bool = v105 > v107;
    let v110: bool = v108 < v106;
    let v111: bool = v107 == v105;
    let v112: bool = v111 & v110;
    let v113: bool = v109 | v112;
    let v114: i32 = bitcast<i32>(v105);
    let v115: i32 = v114 & 2147483647i;
    let v116: bool = v115 > 2139095040i;
    let v117: i32 = bitcast<i32>(v107);
    let v118: i32 = v117 & 2147483647i;
    let v119: bool = v118 > 2139095040i;
    let v120: bool = !v116;
    let v121: bool = v113 & v120;
    let v122: bool = v120 | v110;
    let v123: bool = v119 & v122;
    let v124: bool = v121 | v123;
    let v125: f32 = select(v105, v107, v124);
    let v126: i32 = select(v106, v108, v124);
    w0[thread] = v125;
    w1[thread] = v126;
  }
  storageBarrier();
  workgroupBarrier();
  let v128: bool = thread < 16i;
  let v129: i32 = thread + 16i;
  if v128 {
    let v130: f32 = w0[thread];
    let v131: i32 = w1[thread];
    let v132: f32 = w0[v129];
    let v133: i32 = w1[v129];
    let v134: bool = v130 > v132;
    let v135: bool = v133 < v131;
    let v136: bool = v132 == v130;
    let v137: bool = v136 & v135;
    let v138: bool = v134 | v137;
    let v139: i32 = bitcast<i32>(v130);
    let v140: i32 = v139 & 2147483647i;
    let v141: bool = v140 > 2139095040i;
    let v142: i32 = bitcast<i32>(v132);
    let v143: i32 = v142 & 2147483647i;
    let v144: bool = v143 > 2139095040i;
    let v145: bool = !v141;
    let v146: bool = v138 & v145;
    let v147: bool = v145 | v135;
    let v148: bool = v144 & v147;
    let v149: bool = v146 | v148;
    let v150: f32 = select(v130, v132, v149);
    let v151: i32 = select(v131, v133, v149);
    w0[thread] = v150;
    w1[thread] = v151;
  }
  storageBarrier();
  workgroupBarrier();
  let v153: bool = thread < 8i;
  let v154: i32 = thread + 8i;
  if v153 {
    let v155: f32 = w0[thread];
    let v156: i32 = w1[thread];
    let v157: f32 = w0[v154];
    let v158: i32 = w1[v154];
    let v159: bool = v155 > v157;
    let v160: bool = v158 < v156;
    let v161: bool = v157 == v155;
    let v162: bool = v161 & v160;
    let v163: bool = v159 | v162;
    let v164: i32 = bitcast<i32>(v155);
    let v165: i32 = v164 & 2147483647i;
    let v166: bool = v165 > 2139095040i;
    let v167: i32 = bitcast<i32>(v157);
    let v168: i32 = v167 & 2147483647i;
    let v169: bool = v168 > 2139095040i;
    let v170: bool = !v166;
    let v171: bool = v163 & v170;
    let v172: bool = v170 | v160;
    let v173: bool = v169 & v172;
    let v174: bool = v171 | v173;
    let v175: f32 = select(v155, v157, v174);
    let v176: i32 = select(v156, v158, v174);
    w0[thread] = v175;
    w1[thread] = v176;
  }
  storageBarrier();
  workgroupBarrier();
  let v177: bool = thread < 4i;
  let v178: i32 = thread + 4i;
  if v177 {
    let v179: f32 = w0[thread];
    let v180: i32 = w1[thread];
    let v181: f32 = w0[v178];
    let v182: i32 = w1[v178];
    let v183: bool = v179 > v181;
    let v184: bool = v182 < v180;
    let v185: bool = v181 == v179;
    let v186: bool = v185 & v184;
    let v187: bool = v183 | v186;
    let v188: i32 = bitcast<i32>(v179);
    let v189: i32 = v188 & 2147483647i;
    let v190: bool = v189 > 2139095040i;
    let v191: i32 = bitcast<i32>(v181);
    let v192: i32 = v191 & 2147483647i;
    let v193: bool = v192 > 2139095040i;
    let v194: bool = !v190;
    let v195: bool = v187 & v194;
    let v196: bool = v194 | v184;
    let v197: bool = v193 & v196;
    let v198: bool = v195 | v197;
    let v199: f32 = select(v179, v181, v198);
    let v200: i32 = select(v180, v182, v198);
    w0[thread] = v199;
    w1[thread] = v200;
  }
  storageBarrier();
  workgroupBarrier();
  let v202: bool = thread < 2i;
  let v203: i32 = thread + 2i;
  if v202 {
    let v204: f32 = w0[thread];
    let v205: i32 = w1[thread];
    let v206: f32 = w0[v203];
    let v207: i32 = w1[v203];
    let v208: bool = v204 > v206;
    let v209: bool = v207 < v205;
    let v210: bool = v206 == v204;
    let v211: bool = v210 & v209;
    let v212: bool = v208 | v211;
    let v213: i32 = bitcast<i32>(v204);
    let v214: i32 = v213 & 2147483647i;
    let v215: bool = v214 > 2139095040i;
    let v216: i32 = bitcast<i32>(v206);
    let v217: i32 = v216 & 2147483647i;
    let v218: bool = v217 > 2139095040i;
    let v219: bool = !v215;
    let v220: bool = v212 & v219;
    let v221: bool = v219 | v209;
    let v222: bool = v218 & v221;
    let v223: bool = v220 | v222;
    let v224: f32 = select(v204, v206, v223);
    let v225: i32 = select(v205, v207, v223);
    w0[thread] = v224;
    w1[thread] = v225;
  }
  storageBarrier();
  workgroupBarrier();
  let v226: bool = thread < 1i;
  let v227: i32 = thread + 1i;
  if v226 {
    let v228: f32 = w0[thread];
    let v229: i32 = w1[thread];
    let v230: f32 = w0[v227];
    let v231: i32 = w1[v227];
    let v232: bool = v228 > v230;
    let v233: bool = v231 < v229;
    let v234: bool = v230 == v228;
    let v235: bool = v234 & v233;
    let v236: bool = v232 | v235;
    let v237: i32 = bitcast<i32>(v228);
    let v238: i32 = v237 & 2147483647i;
    let v239: bool = v238 > 2139095040i;
    let v240: i32 = bitcast<i32>(v230);
    let v241: i32 = v240 & 2147483647i;
    let v242: bool = v241 > 2139095040i;
    let v243: bool = !v239;
    let v244: bool = v236 & v243;
    let v245: bool = v243 | v233;
    let v246: bool = v242 & v245;
    let v247: bool = v244 | v246;
    let v248: f32 = select(v228, v230, v247);
    let v249: i32 = select(v229, v231, v247);
    w0[thread] = v248;
    w1[thread] = v249;
  }
  storageBarrier();
  workgroupBarrier();
  let v250: f32 = w0[0i];
  let v251: i32 = w1[0i];
  storageBarrier();
  workgroupBarrier();
  let v252: bool = x2;
  w2[thread] = v252;
  storageBarrier();
  workgroupBarrier();
  if v53 {
    let v253: bool = w2[thread];
    let v254: bool = w2[v54];
    let v255: bool = v253 | v254;
    w2[thread] = v255;
  }
  storageBarrier();
  workgroupBarrier();
  if v78 {
    let v256: bool = w2[thread];
    let v257: bool = w2[v79];
    let v258: bool = v256 | v257;
    w2[thread] = v258;
  }
  storageBarrier();
  workgroupBarrier();
  if v103 {
    let v259: bool = w2[thread];
    let v260: bool = w2[v104];
    let v261: bool = v259 | v260;
    w2[thread] = v261;
  }
  storageBarrier();
  workgroupBarrier();
  if v128 {
    let v262: bool = w2[thread];
    let v263: bool = w2[v129];
    let v264: bool = v262 | v263;
    w2[thread] = v264;
  }
  storageBarrier();
  workgroupBarrier();
  if v153 {
    let v265: bool = w2[thread];
    let v266: bool = w2[v154];
    let v267: bool = v265 | v266;
    w2[thread] = v267;
  }
  storageBarrier();
  workgroupBarrier();
  if v177 {
    let v268: bool = w2[thread];
    let v269: bool = w2[v178];
    let v270: bool = v268 | v269;
    w2[thread] = v270;
  }
  storageBarrier();
  workgroupBarrier();
  if v202 {
    let v271: bool = w2[thread];
    let v272: bool = w2[v203];
    let v273: bool = v271 | v272;
    w2[thread] = v273;
  }
  storageBarrier();
  workgroupBarrier();
  if v226 {
    let v274: bool = w2[thread];
    let v275: bool = w2[v227];
    let v276: bool = v274 | v275;
    w2[thread] = v276;
  }
  storageBarrier();
  workgroupBarrier();
  let v277: bool = w2[0i];
  storageBarrier();
  workgroupBarrier();
  let v278: bool = thread == 0i;
  let v279: u32 = select(0x0u, 0x1u, v277);
  if v278 {
    b3[group] = v250;
    b4[group] = v251;
    b5[group] = v279;
  }
}

// k_argmin_rest
@group(0) @binding(0) var<storage, read_write> b1: array<i64>;
@group(0) @binding(1) var<storage, read_write> b2: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> b3: array<f32>;
@group(0) @binding(3) var<storage, read> b4: array<i32>;
@group(0) @binding(4) var<storage, read> b5: array<u32>;
var<workgroup> w0: array<f32, 32>;
var<workgroup> w1: array<i32, 32>;
var<workgroup> w2: array<bool, 32>;

@compute @workgroup_size(32)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v3 = bitcast<f32>(0x7f800000u | (local >> 31u));
  var x0: f32;
  var x1: i32;
  var x2: bool;
  x0 = v3;
  x1 = 2147483647i;
  x2 = false;
  let v9: i32 = group * 4i;
  for (var v10: i32 = thread; v10 < 4i; v10 += 32i) {
    let v11: i32 = v9 + v10;
    let v12: f32 = b3[v11];
    let v13: i32 = b4[v11];
    let v14: f32 = x0;
    let v15: i32 = x1;
    let v16: bool = v14 > v12;
    let v17: bool = v13 < v15;
    let v18: bool = v12 == v14;
    let v19: bool = v18 & v17;
    let v20: bool = v16 | v19;
    let v21: i32 = bitcast<i32>(v14);
    let v22: i32 = v21 & 2147483647i;
    let v24: bool = v22 > 2139095040i;
    let v25: i32 = bitcast<i32>(v12);
    let v26: i32 = v25 & 2147483647i;
    let v27: bool = v26 > 2139095040i;
    let v28: bool = !v24;
    let v29: bool = v20 & v28;
    let v30: bool = v28 | v17;
    let v31: bool = v27 & v30;
    let v32: bool = v29 | v31;
    let v33: f32 = select(v14, v12, v32);
    let v34: i32 = select(v15, v13, v32);
    x0 = v33;
    x1 = v34;
    let v35: u32 = b5[v11];
    let v37: bool = v35 != 0x0u;
    let v38: bool = x2;
    let v39: bool = v38 | v37;
    x2 = v39;
  }
  let v40: f32 = x0;
  let v41: i32 = x1;
  w0[thread] = v40;
  w1[thread] = v41;
  storageBarrier();
  workgroupBarrier();
  let v43: bool = thread < 16i;
  let v44: i32 = thread + 16i;
  if v43 {
    let v45: f32 = w0[thread];
    let v46: i32 = w1[thread];
    let v47: f32 = w0[v44];
    let v48: i32 = w1[v44];
    let v49: bool = v45 > v47;
    let v50: bool = v48 < v46;
    let v51: bool = v47 == v45;
    let v52: bool = v51 & v50;
    let v53: bool = v49 | v52;
    let v54: i32 = bitcast<i32>(v45);
    let v55: i32 = v54 & 2147483647i;
    let v56: bool = v55 > 2139095040i;
    let v57: i32 = bitcast<i32>(v47);
    let v58: i32 = v57 & 2147483647i;
    let v59: bool = v58 > 2139095040i;
    let v60: bool = !v56;
    let v61: bool = v53 & v60;
    let v62: bool = v60 | v50;
    let v63: bool = v59 & v62;
    let v64: bool = v61 | v63;
    let v65: f32 = select(v45, v47, v64);
    let v66: i32 = select(v46, v48, v64);
    w0[thread] = v65;
    w1[thread] = v66;
  }
  storageBarrier();
  workgroupBarrier();
  let v68: bool = thread < 8i;
  let v69: i32 = thread + 8i;
  if v68 {
    let v70: f32 = w0[thread];
    let v71: i32 = w1[thread];
    let v72: f32 = w0[v69];
    let v73: i32 = w1[v69];
    let v74: bool = v70 > v72;
    let v75: bool = v73 < v71;
    let v76: bool = v72 == v70;
    let v77: bool = v76 & v75;
    let v78: bool = v74 | v77;
    let v79: i32 = bitcast<i32>(v70);
    let v80: i32 = v79 & 2147483647i;
    let v81: bool = v80 > 2139095040i;
    let v82: i32 = bitcast<i32>(v72);
    let v83: i32 = v82 & 2147483647i;
    let v84: bool = v83 > 2139095040i;
    let v85: bool = !v81;
    let v86: bool = v78 & v85;
    let v87: bool = v85 | v75;
    let v88: bool = v84 & v87;
    let v89: bool = v86 | v88;
    let v90: f32 = select(v70, v72, v89);
    let v91: i32 = select(v71, v73, v89);
    w0[thread] = v90;
    w1[thread] = v91;
  }
  storageBarrier();
  workgroupBarrier();
  let v92: bool = thread < 4i;
  let v93: i32 = thread + 4i;
  if v92 {
    let v94: f32 = w0[thread];
    let v95: i32 = w1[thread];
    let v96: f32 = w0[v93];
    let v97: i32 = w1[v93];
    let v98: bool = v94 > v96;
    let v99: bool = v97 < v95;
    let v100: bool = v96 == v94;
    let v101: bool = v100 & v99;
    let v102: bool = v98 | v101;
    let v103: i32 = bitcast<i32>(v94);
    let v104: i32 = v103 & 2147483647i;
    let v105: bool = v104 > 2139095040i;
    let v106: i32 = bitcast<i32>(v96);
    let v107: i32 = v106 & 2147483647i;
    let v108: bool = v107 > 2139095040i;
    let v109: bool = !v105;
    let v110: bool = v102 & v109;
    let v111: bool = v109 | v99;
    let v112: bool = v108 & v111;
    let v113: bool = v110 | v112;
    let v114: f32 = select(v94, v96, v113);
    let v115: i32 = select(v95, v97, v113);
    w0[thread] = v114;
    w1[thread] = v115;
  }
  storageBarrier();
  workgroupBarrier();
  let v117: bool = thread < 2i;
  let v118: i32 = thread + 2i;
  if v117 {
    let v119: f32 = w0[thread];
    let v120: i32 = w1[thread];
    let v121: f32 = w0[v118];
    let v122: i32 = w1[v118];
    let v123: bool = v119 > v121;
    let v124: bool = v122 < v120;
    let v125: bool = v121 == v119;
    let v126: bool = v125 & v124;
    let v127: bool = v123 | v126;
    let v128: i32 = bitcast<i32>(v119);
    let v129: i32 = v128 & 2147483647i;
    let v130: bool = v129 > 2139095040i;
    let v131: i32 = bitcast<i32>(v121);
    let v132: i32 = v131 & 2147483647i;
    let v133: bool = v132 > 2139095040i;
    let v134: bool = !v130;
    let v135: bool = v127 & v134;
    let v136: bool = v134 | v124;
    let v137: bool = v133 & v136;
    let v138: bool = v135 | v137;
    let v139: f32 = select(v119, v121, v138);
    let v140: i32 = select(v120, v122, v138);
    w0[thread] = v139;
    w1[thread] = v140;
  }
  storageBarrier();
  workgroupBarrier();
  let v142: bool = thread < 1i;
  let v143: i32 = thread + 1i;
  if v142 {
    let v144: f32 = w0[thread];
    let v145: i32 = w1[thread];
    let v146: f32 = w0[v143];
    let v147: i32 = w1[v143];
    let v148: bool = v144 > v146;
    let v149: bool = v147 < v145;
    let v150: bool = v146 == v144;
    let v151: bool = v150 & v149;
    let v152: bool = v148 | v151;
    let v153: i32 = bitcast<i32>(v144);
    let v154: i32 = v153 & 2147483647i;
    let v155: bool = v154 > 2139095040i;
    let v156: i32 = bitcast<i32>(v146);
    let v157: i32 = v156 & 2147483647i;
    let v158: bool = v157 > 2139095040i;
    let v159: bool = !v155;
    let v160: bool = v152 & v159;
    let v161: bool = v159 | v149;
    let v162: bool = v158 & v161;
    let v163: bool = v160 | v162;
    let v164: f32 = select(v144, v146, v163);
    let v165: i32 = select(v145, v147, v163);
    w0[thread] = v164;
    w1[thread] = v165;
  }
  storageBarrier();
  workgroupBarrier();
  let v167: f32 = w0[0i];
  let v168: i32 = w1[0i];
  storageBarrier();
  workgroupBarrier();
  let v169: bool = x2;
  w2[thread] = v169;
  storageBarrier();
  workgroupBarrier();
  if v43 {
    let v170: bool = w2[thread];
    let v171: bool = w2[v44];
    let v172: bool = v170 | v171;
    w2[thread] = v172;
  }
  storageBarrier();
  workgroupBarrier();
  if v68 {
    let v173: bool = w2[thread];
    let v174: bool = w2[v69];
    let v175: bool = v173 | v174;
    w2[thread] = v175;
  }
  storageBarrier();
  workgroupBarrier();
  if v92 {
    let v176: bool = w2[thread];
    let v177: bool = w2[v93];
    let v178: bool = v176 | v177;
    w2[thread] = v178;
  }
  storageBarrier();
  workgroupBarrier();
  if v117 {
    let v179: bool = w2[thread];
    let v180: bool = w2[v118];
    let v181: bool = v179 | v180;
    w2[thread] = v181;
  }
  storageBarrier();
  workgroupBarrier();
  if v142 {
    let v182: bool = w2[thread];
    let v183: bool = w2[v143];
    let v184: bool = v182 | v183;
    w2[thread] = v184;
  }
  storageBarrier();
  workgroupBarrier();
  let v185: bool = w2[0i];
  storageBarrier();
  workgroupBarrier();
  let v186: bool = thread == 0i;
  let v187: i64 = i64(v168);
  if v186 {
    b1[group] = v187;
  }
  storageBarrier();
  workgroupBarrier();
  let v188: u32 = select(0x0u, 0x1u, v185);
  let v189: i32 = group >> 2u;
  let v191: i32 = group & 3i;
  let v192: i32 = v191 * 8i;
  let v193: u32 = u32(v192);
  let v195: u32 = 0xffu << v193;
  let v196: u32 = ~v195;
  let v197: u32 = v188 << v193;
  if v186 {
    atomicAnd(&b2[v189], v196);
    atomicOr(&b2[v189], v197);
  }
}
