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
  let v13 = bitcast<f32>(0x7f800000u | (local >> 31u));
  var x0: f32;
  var x1: i32;
  var x2: bool;
  let v3: i32 = group >> 2u;
  let v5: i32 = group & 3i;
  let v10: i32 = v5 * 5000i;
  let v11: i32 = v10 + 5000i;
  let v12: i32 = min(v11, 20000i);
  x0 = v13;
  x1 = 2147483647i;
  x2 = false;
  let v19: i32 = v10 + thread;
  let v22: i32 = v3 * 20000i;
  for (var v20: i32 = v19; v20 < v12; v20 += 256i) {
    let v23: i32 = v20 + v22;
    let v24: f32 = b0[v23];
    let v25: f32 = x0;
    let v26: i32 = x1;
    let v27: bool = v25 > v24;
    let v28: bool = v20 < v26;
    let v29: bool = v24 == v25;
    let v30: bool = v29 & v28;
    let v31: bool = v27 | v30;
    let v32: i32 = bitcast<i32>(v25);
    let v33: i32 = v32 & 2147483647i;
    let v35: bool = v33 > 2139095040i;
    let v36: i32 = bitcast<i32>(v24);
    let v37: i32 = v36 & 2147483647i;
    let v38: bool = v37 > 2139095040i;
    let v39: bool = !v35;
    let v40: bool = v31 & v39;
    let v41: bool = v39 | v28;
    let v42: bool = v38 & v41;
    let v43: bool = v40 | v42;
    let v44: f32 = select(v25, v24, v43);
    let v45: i32 = select(v26, v20, v43);
    x0 = v44;
    x1 = v45;
    let v48: bool = v24 < -3.999f;
    let v49: bool = x2;
    let v50: bool = v49 | v48;
    x2 = v50;
  }
  let v51: f32 = x0;
  let v52: i32 = x1;
  w0[thread] = v51;
  w1[thread] = v52;
  storageBarrier();
  workgroupBarrier();
  let v54: bool = thread < 128i;
  let v55: i32 = thread + 128i;
  if v54 {
    let v56: f32 = w0[thread];
    let v57: i32 = w1[thread];
    let v58: f32 = w0[v55];
    let v59: i32 = w1[v55];
    let v60: bool = v56 > v58;
    let v61: bool = v59 < v57;
    let v62: bool = v58 == v56;
    let v63: bool = v62 & v61;
    let v64: bool = v60 | v63;
    let v65: i32 = bitcast<i32>(v56);
    let v66: i32 = v65 & 2147483647i;
    let v67: bool = v66 > 2139095040i;
    let v68: i32 = bitcast<i32>(v58);
    let v69: i32 = v68 & 2147483647i;
    let v70: bool = v69 > 2139095040i;
    let v71: bool = !v67;
    let v72: bool = v64 & v71;
    let v73: bool = v71 | v61;
    let v74: bool = v70 & v73;
    let v75: bool = v72 | v74;
    let v76: f32 = select(v56, v58, v75);
    let v77: i32 = select(v57, v59, v75);
    w0[thread] = v76;
    w1[thread] = v77;
  }
  storageBarrier();
  workgroupBarrier();
  let v79: bool = thread < 64i;
  let v80: i32 = thread + 64i;
  if v79 {
    let v81: f32 = w0[thread];
    let v82: i32 = w1[thread];
    let v83: f32 = w0[v80];
    let v84: i32 = w1[v80];
    let v85: bool = v81 > v83;
    let v86: bool = v84 < v82;
    let v87: bool = v83 == v81;
    let v88: bool = v87 & v86;
    let v89: bool = v85 | v88;
    let v90: i32 = bitcast<i32>(v81);
    let v91: i32 = v90 & 2147483647i;
    let v92: bool = v91 > 2139095040i;
    let v93: i32 = bitcast<i32>(v83);
    let v94: i32 = v93 & 2147483647i;
    let v95: bool = v94 > 2139095040i;
    let v96: bool = !v92;
    let v97: bool = v89 & v96;
    let v98: bool = v96 | v86;
    let v99: bool = v95 & v98;
    let v100: bool = v97 | v99;
    let v101: f32 = select(v81, v83, v100);
    let v102: i32 = select(v82, v84, v100);
    w0[thread] = v101;
    w1[thread] = v102;
  }
  storageBarrier();
  workgroupBarrier();
  let v104: bool = thread < 32i;
  let v105: i32 = thread + 32i;
  if v104 {
    let v106: f32 = w0[thread];
    let v107: i32 = w1[thread];
    let v108: f32 = w0[v105];
    let v109: i32 = w1[v105];
    let v110: bool = v106 > v108;
    let v111: bool = v109 < v107;
    let v112: bool = v108 == v106;
    let v113: bool = v112 & v111;
    let v114: bool = v110 | v113;
    let v115: i32 = bitcast<i32>(v106);
    let v116: i32 = v115 & 2147483647i;
    let v117: bool = v116 > 2139095040i;
    let v118: i32 = bitcast<i32>(v108);
    let v119: i32 = v118 & 2147483647i;
    let v120: bool = v119 > 2139095040i;
    let v121: bool = !v117;
    let v122: bool = v114 & v121;
    let v123: bool = v121 | v111;
    let v124: bool = v120 & v123;
    let v125: bool = v122 | v124;
    let v126: f32 = select(v106, v108, v125);
    let v127: i32 = select(v107, v109, v125);
    w0[thread] = v126;
    w1[thread] = v127;
  }
  storageBarrier();
  workgroupBarrier();
  let v129: bool = thread < 16i;
  let v130: i32 = thread + 16i;
  if v129 {
    let v131: f32 = w0[thread];
    let v132: i32 = w1[thread];
    let v133: f32 = w0[v130];
    let v134: i32 = w1[v130];
    let v135: bool = v131 > v133;
    let v136: bool = v134 < v132;
    let v137: bool = v133 == v131;
    let v138: bool = v137 & v136;
    let v139: bool = v135 | v138;
    let v140: i32 = bitcast<i32>(v131);
    let v141: i32 = v140 & 2147483647i;
    let v142: bool = v141 > 2139095040i;
    let v143: i32 = bitcast<i32>(v133);
    let v144: i32 = v143 & 2147483647i;
    let v145: bool = v144 > 2139095040i;
    let v146: bool = !v142;
    let v147: bool = v139 & v146;
    let v148: bool = v146 | v136;
    let v149: bool = v145 & v148;
    let v150: bool = v147 | v149;
    let v151: f32 = select(v131, v133, v150);
    let v152: i32 = select(v132, v134, v150);
    w0[thread] = v151;
    w1[thread] = v152;
  }
  storageBarrier();
  workgroupBarrier();
  let v154: bool = thread < 8i;
  let v155: i32 = thread + 8i;
  if v154 {
    let v156: f32 = w0[thread];
    let v157: i32 = w1[thread];
    let v158: f32 = w0[v155];
    let v159: i32 = w1[v155];
    let v160: bool = v156 > v158;
    let v161: bool = v159 < v157;
    let v162: bool = v158 == v156;
    let v163: bool = v162 & v161;
    let v164: bool = v160 | v163;
    let v165: i32 = bitcast<i32>(v156);
    let v166: i32 = v165 & 2147483647i;
    let v167: bool = v166 > 2139095040i;
    let v168: i32 = bitcast<i32>(v158);
    let v169: i32 = v168 & 2147483647i;
    let v170: bool = v169 > 2139095040i;
    let v171: bool = !v167;
    let v172: bool = v164 & v171;
    let v173: bool = v171 | v161;
    let v174: bool = v170 & v173;
    let v175: bool = v172 | v174;
    let v176: f32 = select(v156, v158, v175);
    let v177: i32 = select(v157, v159, v175);
    w0[thread] = v176;
    w1[thread] = v177;
  }
  storageBarrier();
  workgroupBarrier();
  let v178: bool = thread < 4i;
  let v179: i32 = thread + 4i;
  if v178 {
    let v180: f32 = w0[thread];
    let v181: i32 = w1[thread];
    let v182: f32 = w0[v179];
    let v183: i32 = w1[v179];
    let v184: bool = v180 > v182;
    let v185: bool = v183 < v181;
    let v186: bool = v182 == v180;
    let v187: bool = v186 & v185;
    let v188: bool = v184 | v187;
    let v189: i32 = bitcast<i32>(v180);
    let v190: i32 = v189 & 2147483647i;
    let v191: bool = v190 > 2139095040i;
    let v192: i32 = bitcast<i32>(v182);
    let v193: i32 = v192 & 2147483647i;
    let v194: bool = v193 > 2139095040i;
    let v195: bool = !v191;
    let v196: bool = v188 & v195;
    let v197: bool = v195 | v185;
    let v198: bool = v194 & v197;
    let v199: bool = v196 | v198;
    let v200: f32 = select(v180, v182, v199);
    let v201: i32 = select(v181, v183, v199);
    w0[thread] = v200;
    w1[thread] = v201;
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
  if v54 {
    let v253: bool = w2[thread];
    let v254: bool = w2[v55];
    let v255: bool = v253 | v254;
    w2[thread] = v255;
  }
  storageBarrier();
  workgroupBarrier();
  if v79 {
    let v256: bool = w2[thread];
    let v257: bool = w2[v80];
    let v258: bool = v256 | v257;
    w2[thread] = v258;
  }
  storageBarrier();
  workgroupBarrier();
  if v104 {
    let v259: bool = w2[thread];
    let v260: bool = w2[v105];
    let v261: bool = v259 | v260;
    w2[thread] = v261;
  }
  storageBarrier();
  workgroupBarrier();
  if v129 {
    let v262: bool = w2[thread];
    let v263: bool = w2[v130];
    let v264: bool = v262 | v263;
    w2[thread] = v264;
  }
  storageBarrier();
  workgroupBarrier();
  if v154 {
    let v265: bool = w2[thread];
    let v266: bool = w2[v155];
    let v267: bool = v265 | v266;
    w2[thread] = v267;
  }
  storageBarrier();
  workgroupBarrier();
  if v178 {
    let v268: bool = w2[thread];
    let v269: bool = w2[v179];
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
