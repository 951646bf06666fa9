// k_argmax
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<i64>;
@group(0) @binding(2) var<storage, read_write> b2: array<f32>;
var<workgroup> w0: array<f32, 128>;
var<workgroup> w1: array<i32, 128>;

@compute @workgroup_size(128)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) here: vec3<u32>,
  @builtin(num_workgroups) all: vec3<u32>,
) {
  let thread = i32(local);
  let group = i32(here.x + all.x * (here.y + all.y * here.z));
  let v2 = bitcast<f32>(0xff800000u | (local >> 31u));
  var x0: f32;
  var x1: i32;
  var x2: f32;
  x0 = v2;
  x1 = 2147483647i;
  x2 = v2;
  let v9: bool = thread < 100i;
  let v10: i32 = group * 100i;
  let v11: i32 = v10 + thread;
  if v9 {
    let v12: f32 = b0[v11];
    let v13: f32 = x0;
    let v14: i32 = x1;
    let v15: bool = v12 > v13;
    let v16: bool = thread < v14;
    let v17: bool = v12 == v13;
    let v18: bool = v17 & v16;
    let v19: bool = v15 | v18;
    let v20: i32 = bitcast<i32>(v13);
    let v21: i32 = v20 & 2147483647i;
    let v23: bool = v21 > 2139095040i;
    let v24: i32 = bitcast<i32>(v12);
    let v25: i32 = v24 & 2147483647i;
    let v26: bool = v25 > 2139095040i;
    let v27: bool = !v23;
    let v28: bool = v19 & v27;
    let v29: bool = v27 | v16;
    let v30: bool = v26 & v29;
    let v31: bool = v28 | v30;
    let v32: f32 = select(v13, v12, v31);
    let v33: i32 = select(v14, thread, v31);
    x0 = v32;
    x1 = v33;
    let v34: f32 = x2;
    let v35: bool = v34 < v12;
    let v36: i32 = bitcast<i32>(v34);
    let v37: i32 = v36 & 2147483647i;
    let v38: bool = v37 > 2139095040i;
    let v39: bool = !v38;
    let v40: bool = v35 | v26;
    let v41: bool = v40 & v39;
    let v42: f32 = select(v34, v12, v41);
    x2 = v42;
  }
  let v43: f32 = x0;
  let v44: i32 = x1;
  w0[thread] = v43;
  w1[thread] = v44;
  storageBarrier();
  workgroupBarrier();
  let v46: bool = thread < 64i;
  let v47: i32 = thread + 64i;
  if v46 {
    let v48: f32 = w0[thread];
    let v49: i32 = w1[thread];
    let v50: f32 = w0[v47];
    let v51: i32 = w1[v47];
    let v52: bool = v50 > v48;
    let v53: bool = v51 < v49;
    let v54: bool = v50 == v48;
    let v55: bool = v54 & v53;
    let v56: bool = v52 | v55;
    let v57: i32 = bitcast<i32>(v48);
    let v58: i32 = v57 & 2147483647i;
    let v59: bool = v58 > 2139095040i;
    let v60: i32 = bitcast<i32>(v50);
    let v61: i32 = v60 & 2147483647i;
    let v62: bool = v61 > 2139095040i;
    let v63: bool = !v59;
    let v64: bool = v56 & v63;
    let v65: bool = v63 | v53;
    let v66: bool = v62 & v65;
    let v67: bool = v64 | v66;
    let v68: f32 = select(v48, v50, v67);
    let v69: i32 = select(v49, v51, v67);
    w0[thread] = v68;
    w1[thread] = v69;
  }
  storageBarrier();
  workgroupBarrier();
  let v71: bool = thread < 32i;
  let v72: i32 = thread + 32i;
  if v71 {
    let v73: f32 = w0[thread];
    let v74: i32 = w1[thread];
    let v75: f32 = w0[v72];
    let v76: i32 = w1[v72];
    let v77: bool = v75 > v73;
    let v78: bool = v76 < v74;
    let v79: bool = v75 == v73;
    let v80: bool = v79 & v78;
    let v81: bool = v77 | v80;
    let v82: i32 = bitcast<i32>(v73);
    let v83: i32 = v82 & 2147483647i;
    let v84: bool = v83 > 2139095040i;
    let v85: i32 = bitcast<i32>(v75);
    let v86: i32 = v85 & 2147483647i;
    let v87: bool = v86 > 2139095040i;
    let v88: bool = !v84;
    let v89: bool = v81 & v88;
    let v90: bool = v88 | v78;
    let v91: bool = v87 & v90;
    let v92: bool = v89 | v91;
    let v93: f32 = select(v73, v75, v92);
    let v94: i32 = select(v74, v76, v92);
    w0[thread] = v93;
    w1[thread] = v94;
  }
  storageBarrier();
  workgroupBarrier();
  let v96: bool = thread < 16i;
  let v97: i32 = thread + 16i;
  if v96 {
    let v98: f32 = w0[thread];
    let v99: i32 = w1[thread];
    let v100: f32 = w0[v97];
    let v101: i32 = w1[v97];
    let v102: bool = v100 > v98;
    let v103: bool = v101 < v99;
    let v104: bool = v100 == v98;
    let v105: bool = v104 & v103;
    let v106: bool = v102 | v105;
    let v107: i32 = bitcast<i32>(v98);
    let v108: i32 = v107 & 2147483647i;
    let v109: bool = v108 > 2139095040i;
    let v110: i32 = bitcast<i32>(v100);
    let v111: i32 = v110 & 2147483647i;
    let v112: bool = v111 > 2139095040i;
    let v113: bool = !v109;
    let v114: bool = v106 & v113;
    let v115: bool = v113 | v103;
    let v116: bool = v112 & v115;
    let v117: bool = v114 | v116;
    let v118: f32 = select(v98, v100, v117);
    let v119: i32 = select(v99, v101, v117);
    w0[thread] = v118;
    w1[thread] = v119;
  }
  storageBarrier();
  workgroupBarrier();
  let v121: bool = thread < 8i;
  let v122: i32 = thread + 8i;
  if v121 {
    let v123: f32 = w0[thread];
    let v124: i32 = w1[thread];
    let v125: f32 = w0[v122];
    let v126: i32 = w1[v122];
    let v127: bool = v125 > v123;
    let v128: bool = v126 < v124;
    let v129: bool = v125 == v123;
    let v130: bool = v129 & v128;
    let v131: bool = v127 | v130;
    let v132: i32 = bitcast<i32>(v123);
    let v133: i32 = v132 & 2147483647i;
    let v134: bool = v133 > 2139095040i;
    let v135: i32 = bitcast<i32>(v125);
    let v136: i32 = v135 & 2147483647i;
    let v137: bool = v136 > 2139095040i;
    let v138: bool = !v134;
    let v139: bool = v131 & v138;
    let v140: bool = v138 | v128;
    let v141: bool = v137 & v140;
    let v142: bool = v139 | v141;
    let v143: f32 = select(v123, v125, v142);
    let v144: i32 = select(v124, v126, v142);
    w0[thread] = v143;
    w1[thread] = v144;
  }
  storageBarrier();
  workgroupBarrier();
  let v146: bool = thread < 4i;
  let v147: i32 = thread + 4i;
  if v146 {
    let v148: f32 = w0[thread];
    let v149: i32 = w1[thread];
    let v150: f32 = w0[v147];
    let v151: i32 = w1[v147];
    let v152: bool = v150 > v148;
    let v153: bool = v151 < v149;
    let v154: bool = v150 == v148;
    let v155: bool = v154 & v153;
    let v156: bool = v152 | v155;
    let v157: i32 = bitcast<i32>(v148);
    let v158: i32 = v157 & 2147483647i;
    let v159: bool = v158 > 2139095040i;
    let v160: i32 = bitcast<i32>(v150);
    let v161: i32 = v160 & 2147483647i;
    let v162: bool = v161 > 2139095040i;
    let v163: bool = !v159;
    let v164: bool = v156 & v163;
    let v165: bool = v163 | v153;
    let v166: bool = v162 & v165;
    let v167: bool = v164 | v166;
    let v168: f32 = select(v148, v150, v167);
    let v169: i32 = select(v149, v151, v167);
    w0[thread] = v168;
    w1[thread] = v169;
  }
  storageBarrier();
  workgroupBarrier();
  let v171: bool = thread < 2i;
  let v172: i32 = thread + 2i;
  if v171 {
    let v173: f32 = w0[thread];
    let v174: i32 = w1[thread];
    let v175: f32 = w0[v172];
    let v176: i32 = w1[v172];
    let v177: bool = v175 > v173;
    let v178: bool = v176 < v174;
    let v179: bool = v175 == v173;
    let v180: bool = v179 & v178;
    let v181: bool = v177 | v180;
    let v182: i32 = bitcast<i32>(v173);
    let v183: i32 = v182 & 2147483647i;
    let v184: bool = v183 > 2139095040i;
    let v185: i32 = bitcast<i32>(v175);
    let v186: i32 = v185 & 2147483647i;
    let v187: bool = v186 > 2139095040i;
    let v188: bool = !v184;
    let v189: bool = v181 & v188;
    let v190: bool = v188 | v178;
    let v191: bool = v187 & v190;
    let v192: bool = v189 | v191;
    let v193: f32 = select(v173, v175, v192);
    let v194: i32 = select(v174, v176, v192);
    w0[thread] = v193;
    w1[thread] = v194;
  }
  storageBarrier();
  workgroupBarrier();
  let v195: bool = thread < 1i;
  let v196: i32 = thread + 1i;
  if v195 {
    let v197: f32 = w0[thread];
    let v198: i32 = w1[thread];
    let v199: f32 = w0[v196];
    let v200: i32 = w1[v196];
    let v201: bool = v199 > v197;
    let v202: bool = v200 < v198;
    let v203: bool = v199 == v197;
    let v204: bool = v203 & v202;
    let v205: bool = v201 | v204;
    let v206: i32 = bitcast<i32>(v197);
    let v207: i32 = v206 & 2147483647i;
    let v208: bool = v207 > 2139095040i;
    let v209: i32 = bitcast<i32>(v199);
    let v210: i32 = v209 & 2147483647i;
    let v211: bool = v210 > 2139095040i;
    let v212: bool = !v208;
    let v213: bool = v205 & v212;
    let v214: bool = v212 | v202;
    let v215: bool = v211 & v214;
    let v216: bool = v213 | v215;
    let v217: f32 = select(v197, v199, v216);
    let v218: i32 = select(v198, v200, v216);
    w0[thread] = v217;
    w1[thread] = v218;
  }
  storageBarrier();
  workgroupBarrier();
  let v219: f32 = w0[0i];
  let v220: i32 = w1[0i];
  storageBarrier();
  workgroupBarrier();
  let v221: f32 = x2;
  w0[thread] = v221;
  storageBarrier();
  workgroupBarrier();
  if v46 {
    let v222: f32 = w0[thread];
    let v223: f32 = w0[v47];
    let v224: bool = v222 < v223;
    let v225: i32 = bitcast<i32>(v222);
    let v226: i32 = v225 & 2147483647i;
    let v227: bool = v226 > 2139095040i;
    let v228: bool = !v227;
    let v229: i32 = bitcast<i32>(v223);
    let v230: i32 = v229 & 2147483647i;
    let v231: bool = v230 > 2139095040i;
    let v232: bool = v224 | v231;
    let v233: bool = v232 & v228;
    let v234: f32 = select(v222, v223, v233);
    w0[thread] = v234;
  }
  storageBarrier();
  workgroupBarrier();
  if v71 {
    let v235: f32 = w0[thread];
    let v236: f32 = w0[v72];
    let v237: bool = v235 < v236;
    let v238: i32 = bitcast<i32>(v235);
    let v239: i32 = v238 & 2147483647i;
    let v240: bool = v239 > 2139095040i;
    let v241: bool = !v240;
    let v242: i32 = bitcast<i32>(v236);
    let v243: i32 = v242 & 2147483647i;
    let v244: bool = v243 > 2139095040i;
    let v245: bool = v237 | v244;
    let v246: bool = v245 & v241;
    let v247: f32 = select(v235, v236, v246);
    w0[thread] = v247;
  }
  storageBarrier();
  workgroupBarrier();
  if v96 {
    let v248: f32 = w0[thread];
    let v249: f32 = w0[v97];
    let v250: bool = v248 < v249;
    let v251: i32 = bitcast<i32>(v248);
    let v252: i32 = v251 & 2147483647i;
    let v253: bool = v252 > 2139095040i;
    let v254: bool = !v253;
    let v255: i32 = bitcast<i32>(v249);
    let v256: i32 = v255 & 2147483647i;
    let v257: bool = v256 > 2139095040i;
    let v258: bool = v250 | v257;
    let v259: bool = v258 & v254;
    let v260: f32 = select(v248, v249, v259);
    w0[thread] = v260;
  }
  storageBarrier();
  workgroupBarrier();
  if v121 {
    let v261: f32 = w0[thread];
    let v262: f32 = w0[v122];
    let v263: bool = v261 < v262;
    let v264: i32 = bitcast<i32>(v261);
    let v265: i32 = v264 & 2147483647i;
    let v266: bool = v265 > 2139095040i;
    let v267: bool = !v266;
    let v268: i32 = bitcast<i32>(v262);
    let v269: i32 = v268 & 2147483647i;
    let v270: bool = v269 > 2139095040i;
    let v271: bool = v263 | v270;
    let v272: bool = v271 & v267;
    let v273: f32 = select(v261, v262, v272);
    w0[thread] = v273;
  }
  storageBarrier();
  workgroupBarrier();
  if v146 {
    let v274: f32 = w0[thread];
    let v275: f32 = w0[v147];
    let v276: bool = v274 < v275;
    let v277: i32 = bitcast<i32>(v274);
    let v278: i32 = v277 & 2147483647i;
    let v279: bool = v278 > 2139095040i;
    let v280: bool = !v279;
    let v281: i32 = bitcast<i32>(v275);
    let v282: i32 = v281 & 2147483647i;
    let v283: bool = v282 > 2139095040i;
    let v284: bool = v276 | v283;
    let v285: bool = v284 & v280;
    let v286: f32 = select(v274, v275, v285);
    w0[thread] = v286;
  }
  storageBarrier();
  workgroupBarrier();
  if v171 {
    let v287: f32 = w0[thread];
    let v288: f32 = w0[v172];
    let v289: bool = v287 < v288;
    let v290: i32 = bitcast<i32>(v287);
    let v291: i32 = v290 & 2147483647i;
    let v292: bool = v291 > 2139095040i;
    let v293: bool = !v292;
    let v294: i32 = bitcast<i32>(v288);
    let v295: i32 = v294 & 2147483647i;
    let v296: bool = v295 > 2139095040i;
    let v297: bool = v289 | v296;
    let v298: bool = v297 & v293;
    let v299: f32 = select(v287, v288, v298);
    w0[thread] = v299;
  }
  storageBarrier();
  workgroupBarrier();
  if v195 {
    let v300: f32 = w0[thread];
    let v301: f32 = w0[v196];
    let v302: bool = v300 < v301;
    let v303: i32 = bitcast<i32>(v300);
    let v304: i32 = v303 & 2147483647i;
    let v305: bool = v304 > 2139095040i;
    let v306: bool = !v305;
    let v307: i32 = bitcast<i32>(v301);
    let v308: i32 = v307 & 2147483647i;
    let v309: bool = v308 > 2139095040i;
    let v310: bool = v302 | v309;
    let v311: bool = v310 & v306;
    let v312: f32 = select(v300, v301, v311);
    w0[thread] = v312;
  }
  storageBarrier();
  workgroupBarrier();
  let v313: f32 = w0[0i];
  storageBarrier();
  workgroupBarrier();
  let v314: bool = thread == 0i;
  let v315: i64 = i64(v220);
  if v314 {
    b1[group] = v315;
  }
  storageBarrier();
  workgroupBarrier();
  if v314 {
    b2[group] = v313;
  }
}
