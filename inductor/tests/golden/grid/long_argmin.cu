extern "C" __global__ void __launch_bounds__(256)
k_argmin_pieces(const float* b0, float* b3, int* b4, unsigned* b5) {
  __shared__ float w0[256];
  __shared__ int w1[256];
  __shared__ bool w2[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  int x1 = 0;
  bool x2 = 0;
  const int v3 = group >> 2;
  const int v5 = group & 3;
  const int v10 = (int)((unsigned)v5 * (unsigned)5000);
  const int v11 = (int)((unsigned)v10 + (unsigned)5000);
  const int v12 = min(v11, 20000);
  x0 = __uint_as_float(0x7f800000u);
  x1 = 2147483647;
  x2 = false;
  const int v18 = (int)((unsigned)thread * (unsigned)4);
  const int v19 = (int)((unsigned)v10 + (unsigned)v18);
  const int v28 = (int)((unsigned)v3 * (unsigned)20000);
  for (int v21 = v19; v21 < v12; v21 += 1024) {
    const int v29 = (int)((unsigned)v21 + (unsigned)v28);
    const float4 v22_all = *(const float4*)&b0[v29];
    const float v22 = v22_all.x;
    const float v23 = v22_all.y;
    const float v24 = v22_all.z;
    const float v25 = v22_all.w;
    const float v30 = x0;
    const int v31 = x1;
    const bool v32 = v30 > v22;
    const bool v33 = v21 < v31;
    const bool v34 = v22 == v30;
    const bool v35 = v34 & v33;
    const bool v36 = v32 | v35;
    const int v37 = __float_as_int(v30);
    const int v38 = v37 & 2147483647;
    const bool v40 = v38 > 2139095040;
    const int v41 = __float_as_int(v22);
    const int v42 = v41 & 2147483647;
    const bool v43 = v42 > 2139095040;
    const bool v44 = !v40;
    const bool v45 = v36 & v44;
    const bool v46 = v44 | v33;
    const bool v47 = v43 & v46;
    const bool v48 = v45 | v47;
    const float v49 = v48 ? v22 : v30;
    const int v50 = v48 ? v21 : v31;
    x0 = v49;
    x1 = v50;
    const bool v53 = v22 < -3.999f;
    const bool v54 = x2;
    const bool v55 = v54 | v53;
    x2 = v55;
    const int v56 = (int)((unsigned)v21 + (unsigned)1);
    const float v57 = x0;
    const int v58 = x1;
    const bool v59 = v57 > v23;
    const bool v60 = v56 < v58;
    const bool v61 = v23 == v57;
    const bool v62 = v61 & v60;
    const bool v63 = v59 | v62;
    const int v64 = __float_as_int(v57);
    const int v65 = v64 & 2147483647;
    const bool v66 = v65 > 2139095040;
    const int v67 = __float_as_int(v23);
    const int v68 = v67 & 2147483647;
    const bool v69 = v68 > 2139095040;
    const bool v70 = !v66;
    const bool v71 = v63 & v70;
    const bool v72 = v70 | v60;
    const bool v73 = v69 & v72;
    const bool v74 = v71 | v73;
    const float v75 = v74 ? v23 : v57;
    const int v76 = v74 ? v56 : v58;
    x0 = v75;
    x1 = v76;
    const bool v77 = v23 < -3.999f;
    const bool v78 = x2;
    const bool v79 = v78 | v77;
    x2 = v79;
    const int v80 = (int)((unsigned)v21 + (unsigned)2);
    const float v81 = x0;
    const int v82 = x1;
    const bool v83 = v81 > v24;
    const bool v84 = v80 < v82;
    const bool v85 = v24 == v81;
    const bool v86 = v85 & v84;
    const bool v87 = v83 | v86;
    const int v88 = __float_as_int(v81);
    const int v89 = v88 & 2147483647;
    const bool v90 = v89 > 2139095040;
    const int v91 = __float_as_int(v24);
    const int v92 = v91 & 2147483647;
    const bool v93 = v92 > 2139095040;
    const bool v94 = !v90;
    const bool v95 = v87 & v94;
    const bool v96 = v94 | v84;
    const bool v97 = v93 & v96;
    const bool v98 = v95 | v97;
    const float v99 = v98 ? v24 : v81;
    const int v100 = v98 ? v80 : v82;
    x0 = v99;
    x1 = v100;
    const bool v101 = v24 < -3.999f;
    const bool v102 = x2;
    const bool v103 = v102 | v101;
    x2 = v103;
    const int v104 = (int)((unsigned)v21 + (unsigned)3);
    const float v105 = x0;
    const int v106 = x1;
    const bool v107 = v105 > v25;
    const bool v108 = v104 < v106;
    const bool v109 = v25 == v105;
    const bool v110 = v109 & v108;
    const bool v111 = v107 | v110;
    const int v112 = __float_as_int(v105);
    const int v113 = v112 & 2147483647;
    const bool v114 = v113 > 2139095040;
    const int v115 = __float_as_int(v25);
    const int v116 = v115 & 2147483647;
    const bool v117 = v116 > 2139095040;
    const bool v118 = !v114;
    const bool v119 = v111 & v118;
    const bool v120 = v118 | v108;
    const bool v121 = v117 & v120;
    const bool v122 = v119 | v121;
    const float v123 = v122 ? v25 : v105;
    const int v124 = v122 ? v104 : v106;
    x0 = v123;
    x1 = v124;
    const bool v125 = v25 < -3.999f;
    const bool v126 = x2;
    const bool v127 = v126 | v125;
    x2 = v127;
  }
  const float v128 = x0;
  const int v129 = x1;
  w0[thread] = v128;
  w1[thread] = v129;
  __syncthreads();
  const bool v131 = thread < 128;
  const int v132 = (int)((unsigned)thread + (unsigned)128);
  if (v131) {
    const float v133 = w0[thread];
    const int v134 = w1[thread];
    const float v135 = w0[v132];
    const int v136 = w1[v132];
    const bool v137 = v133 > v135;
    const bool v138 = v136 < v134;
    const bool v139 = v135 == v133;
    const bool v140 = v139 & v138;
    const bool v141 = v137 | v140;
    const int v142 = __float_as_int(v133);
    const int v143 = v142 & 2147483647;
    const bool v144 = v143 > 2139095040;
    const int v145 = __float_as_int(v135);
    const int v146 = v145 & 2147483647;
    const bool v147 = v146 > 2139095040;
    const bool v148 = !v144;
    const bool v149 = v141 & v148;
    const bool v150 = v148 | v138;
    const bool v151 = v147 & v150;
    const bool v152 = v149 | v151;
    const float v153 = v152 ? v135 : v133;
    const int v154 = v152 ? v136 : v134;
    w0[thread] = v153;
    w1[thread] = v154;
  }
  __syncthreads();
  const bool v156 = thread < 64;
  const int v157 = (int)((unsigned)thread + (unsigned)64);
  if (v156) {
    const float v158 = w0[thread];
    const int v159 = w1[thread];
    const float v160 = w0[v157];
    const int v161 = w1[v157];
    const bool v162 = v158 > v160;
    const bool v163 = v161 < v159;
    const bool v164 = v160 == v158;
    const bool v165 = v164 & v163;
    const bool v166 = v162 | v165;
    const int v167 = __float_as_int(v158);
    const int v168 = v167 & 2147483647;
    const bool v169 = v168 > 2139095040;
    const int v170 = __float_as_int(v160);
    const int v171 = v170 & 2147483647;
    const bool v172 = v171 > 2139095040;
    const bool v173 = !v169;
    const bool v174 = v166 & v173;
    const bool v175 = v173 | v163;
    const bool v176 = v172 & v175;
    const bool v177 = v174 | v176;
    const float v178 = v177 ? v160 : v158;
    const int v179 = v177 ? v161 : v159;
    w0[thread] = v178;
    w1[thread] = v179;
  }
  __syncthreads();
  const bool v181 = thread < 32;
  const int v182 = (int)((unsigned)thread + (unsigned)32);
  if (v181) {
    const float v183 = w0[thread];
    const int v184 = w1[thread];
    const float v185 = w0[v182];
    const int v186 = w1[v182];
    const bool v187 = v183 > v185;
    const bool v188 = v186 < v184;
    const bool v189 = v185 == v183;
    const bool v190 = v189 & v188;
    const bool v191 = v187 | v190;
    const int v192 = __float_as_int(v183);
    const int v193 = v192 & 2147483647;
    const bool v194 = v193 > 2139095040;
    const int v195 = __float_as_int(v185);
    const int v196 = v195 & 2147483647;
    const bool v197 = v196 > 2139095040;
    const bool v198 = !v194;
    const bool v199 = v191 & v198;
    const bool v200 = v198 | v188;
    const bool v201 = v197 & v200;
    const bool v202 = v199 | v201;
    const float v203 = v202 ? v185 : v183;
    const int v204 = v202 ? v186 : v184;
    w0[thread] = v203;
    w1[thread] = v204;
  }
  __syncthreads();
  const bool v206 = thread < 16;
  const int v207 = (int)((unsigned)thread + (unsigned)16);
  if (v206) {
    const float v208 = w0[thread];
    const int v209 = w1[thread];
    const float v210 = w0[v207];
    const int v211 = w1[v207];
    const bool v212 = v208 > v210;
    const bool v213 = v211 < v209;
    const bool v214 = v210 == v208;
    const bool v215 = v214 & v213;
    const bool v216 = v212 | v215;
    const int v217 = __float_as_int(v208);
    const int v218 = v217 & 2147483647;
    const bool v219 = v218 > 2139095040;
    const int v220 = __float_as_int(v210);
    const int v221 = v220 & 2147483647;
    const bool v222 = v221 > 2139095040;
    const bool v223 = !v219;
    const bool v224 = v216 & v223;
    const bool v225 = v223 | v213;
    const bool v226 = v222 & v225;
    const bool v227 = v224 | v226;
    const float v228 = v227 ? v210 : v208;
    const int v229 = v227 ? v211 : v209;
    w0[thread] = v228;
    w1[thread] = v229;
  }
  __syncthreads();
  const bool v231 = thread < 8;
  const int v232 = (int)((unsigned)thread + (unsigned)8);
  if (v231) {
    const float v233 = w0[thread];
    const int v234 = w1[thread];
    const float v235 = w0[v232];
    const int v236 = w1[v232];
    const bool v237 = v233 > v235;
    const bool v238 = v236 < v234;
    const bool v239 = v235 == v233;
    const bool v240 = v239 & v238;
    const bool v241 = v237 | v240;
    const int v242 = __float_as_int(v233);
    const int v243 = v242 & 2147483647;
    const bool v244 = v243 > 2139095040;
    const int v245 = __float_as_int(v235);
    const int v246 = v245 & 2147483647;
    const bool v247 = v246 > 2139095040;
    const bool v248 = !v244;
    const bool v249 = v241 & v248;
    const bool v250 = v248 | v238;
    const bool v251 = v247 & v250;
    const bool v252 = v249 | v251;
    const float v253 = v252 ? v235 : v233;
    const int v254 = v252 ? v236 : v234;
    w0[thread] = v253;
    w1[thread] = v254;
  }
  __syncthreads();
  const bool v255 = thread < 4;
  const int v256 = (int)((unsigned)thread + (unsigned)4);
  if (v255) {
    const float v257 = w0[thread];
    const int v258 = w1[thread];
    const float v259 = w0[v256];
    const int v260 = w1[v256];
    const bool v261 = v257 > v259;
    const bool v262 = v260 < v258;
    const bool v263 = v259 == v257;
    const bool v264 = v263 & v262;
    const bool v265 = v261 | v264;
    const int v266 = __float_as_int(v257);
    const int v267 = v266 & 2147483647;
    const bool v268 = v267 > 2139095040;
    const int v269 = __float_as_int(v259);
    const int v270 = v269 & 2147483647;
    const bool v271 = v270 > 2139095040;
    const bool v272 = !v268;
    const bool v273 = v265 & v272;
    const bool v274 = v272 | v262;
    const bool v275 = v271 & v274;
    const bool v276 = v273 | v275;
    const float v277 = v276 ? v259 : v257;
    const int v278 = v276 ? v260 : v258;
    w0[thread] = v277;
    w1[thread] = v278;
  }
  __syncthreads();
  const bool v279 = thread < 2;
  const int v280 = (int)((unsigned)thread + (unsigned)2);
  if (v279) {
    const float v281 = w0[thread];
    const int v282 = w1[thread];
    const float v283 = w0[v280];
    const int v284 = w1[v280];
    const bool v285 = v281 > v283;
    const bool v286 = v284 < v282;
    const bool v287 = v283 == v281;
    const bool v288 = v287 & v286;
    const bool v289 = v285 | v288;
    const int v290 = __float_as_int(v281);
    const int v291 = v290 & 2147483647;
    const bool v292 = v291 > 2139095040;
    const int v293 = __float_as_int(v283);
    const int v294 = v293 & 2147483647;
    const bool v295 = v294 > 2139095040;
    const bool v296 = !v292;
    const bool v297 = v289 & v296;
    const bool v298 = v296 | v286;
    const bool v299 = v295 & v298;
    const bool v300 = v297 | v299;
    const float v301 = v300 ? v283 : v281;
    const int v302 = v300 ? v284 : v282;
    w0[thread] = v301;
    w1[thread] = v302;
  }
  __syncthreads();
  const bool v303 = thread < 1;
  const int v304 = (int)((unsigned)thread + (unsigned)1);
  if (v303) {
    const float v305 = w0[thread];
    const int v306 = w1[thread];
    const float v307 = w0[v304];
    const int v308 = w1[v304];
    const bool v309 = v305 > v307;
    const bool v310 = v308 < v306;
    const bool v311 = v307 == v305;
    const bool v312 = v311 & v310;
    const bool v313 = v309 | v312;
    const int v314 = __float_as_int(v305);
    const int v315 = v314 & 2147483647;
    const bool v316 = v315 > 2139095040;
    const int v317 = __float_as_int(v307);
    const int v318 = v317 & 2147483647;
    const bool v319 = v318 > 2139095040;
    const bool v320 = !v316;
    const bool v321 = v313 & v320;
    const bool v322 = v320 | v310;
    const bool v323 = v319 & v322;
    const bool v324 = v321 | v323;
    const float v325 = v324 ? v307 : v305;
    const int v326 = v324 ? v308 : v306;
    w0[thread] = v325;
    w1[thread] = v326;
  }
  __syncthreads();
  const float v327 = w0[0];
  const int v328 = w1[0];
  __syncthreads();
  const bool v329 = x2;
  w2[thread] = v329;
  __syncthreads();
  if (v131) {
    const bool v330 = w2[thread];
    const bool v331 = w2[v132];
    const bool v332 = v330 | v331;
    w2[thread] = v332;
  }
  __syncthreads();
  if (v156) {
    const bool v333 = w2[thread];
    const bool v334 = w2[v157];
    const bool v335 = v333 | v334;
    w2[thread] = v335;
  }
  __syncthreads();
  if (v181) {
    const bool v336 = w2[thread];
    const bool v337 = w2[v182];
    const bool v338 = v336 | v337;
    w2[thread] = v338;
  }
  __syncthreads();
  if (v206) {
    const bool v339 = w2[thread];
    const bool v340 = w2[v207];
    const bool v341 = v339 | v340;
    w2[thread] = v341;
  }
  __syncthreads();
  if (v231) {
    const bool v342 = w2[thread];
    const bool v343 = w2[v232];
    const bool v344 = v342 | v343;
    w2[thread] = v344;
  }
  __syncthreads();
  if (v255) {
    const bool v345 = w2[thread];
    const bool v346 = w2[v256];
    const bool v347 = v345 | v346;
    w2[thread] = v347;
  }
  __syncthreads();
  if (v279) {
    const bool v348 = w2[thread];
    const bool v349 = w2[v280];
    const bool v350 = v348 | v349;
    w2[thread] = v350;
  }
  __syncthreads();
  if (v303) {
    const bool v351 = w2[thread];
    const bool v352 = w2[v304];
    const bool v353 = v351 | v352;
    w2[thread] = v353;
  }
  __syncthreads();
  const bool v354 = w2[0];
  __syncthreads();
  const bool v355 = thread == 0;
  const unsigned v356 = (unsigned)v354;
  if (v355) {
    b3[group] = (float)v327;
    b4[group] = (int)v328;
    b5[group] = (unsigned)v356;
  }
}

extern "C" __global__ void __launch_bounds__(32)
k_argmin_rest(long long* b1, unsigned char* b2, const float* b3, const int* b4, const unsigned* b5) {
  __shared__ float w0[32];
  __shared__ int w1[32];
  __shared__ bool w2[32];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  int x1 = 0;
  bool x2 = 0;
  x0 = __uint_as_float(0x7f800000u);
  x1 = 2147483647;
  x2 = false;
  const int v9 = (int)((unsigned)group * (unsigned)4);
  for (int v10 = thread; v10 < 4; v10 += 32) {
    const int v11 = (int)((unsigned)v9 + (unsigned)v10);
    const float v12 = b3[v11];
    const int v13 = b4[v11];
    const float v14 = x0;
    const int v15 = x1;
    const bool v16 = v14 > v12;
    const bool v17 = v13 < v15;
    const bool v18 = v12 == v14;
    const bool v19 = v18 & v17;
    const bool v20 = v16 | v19;
    const int v21 = __float_as_int(v14);
    const int v22 = v21 & 2147483647;
    const bool v24 = v22 > 2139095040;
    const int v25 = __float_as_int(v12);
    const int v26 = v25 & 2147483647;
    const bool v27 = v26 > 2139095040;
    const bool v28 = !v24;
    const bool v29 = v20 & v28;
    const bool v30 = v28 | v17;
    const bool v31 = v27 & v30;
    const bool v32 = v29 | v31;
    const float v33 = v32 ? v12 : v14;
    const int v34 = v32 ? v13 : v15;
    x0 = v33;
    x1 = v34;
    const unsigned v35 = b5[v11];
    const bool v37 = v35 != 0x0u;
    const bool v38 = x2;
    const bool v39 = v38 | v37;
    x2 = v39;
  }
  const float v40 = x0;
  const int v41 = x1;
  w0[thread] = v40;
  w1[thread] = v41;
  __syncthreads();
  const bool v43 = thread < 16;
  const int v44 = (int)((unsigned)thread + (unsigned)16);
  if (v43) {
    const float v45 = w0[thread];
    const int v46 = w1[thread];
    const float v47 = w0[v44];
    const int v48 = w1[v44];
    const bool v49 = v45 > v47;
    const bool v50 = v48 < v46;
    const bool v51 = v47 == v45;
    const bool v52 = v51 & v50;
    const bool v53 = v49 | v52;
    const int v54 = __float_as_int(v45);
    const int v55 = v54 & 2147483647;
    const bool v56 = v55 > 2139095040;
    const int v57 = __float_as_int(v47);
    const int v58 = v57 & 2147483647;
    const bool v59 = v58 > 2139095040;
    const bool v60 = !v56;
    const bool v61 = v53 & v60;
    const bool v62 = v60 | v50;
    const bool v63 = v59 & v62;
    const bool v64 = v61 | v63;
    const float v65 = v64 ? v47 : v45;
    const int v66 = v64 ? v48 : v46;
    w0[thread] = v65;
    w1[thread] = v66;
  }
  __syncthreads();
  const bool v68 = thread < 8;
  const int v69 = (int)((unsigned)thread + (unsigned)8);
  if (v68) {
    const float v70 = w0[thread];
    const int v71 = w1[thread];
    const float v72 = w0[v69];
    const int v73 = w1[v69];
    const bool v74 = v70 > v72;
    const bool v75 = v73 < v71;
    const bool v76 = v72 == v70;
    const bool v77 = v76 & v75;
    const bool v78 = v74 | v77;
    const int v79 = __float_as_int(v70);
    const int v80 = v79 & 2147483647;
    const bool v81 = v80 > 2139095040;
    const int v82 = __float_as_int(v72);
    const int v83 = v82 & 2147483647;
    const bool v84 = v83 > 2139095040;
    const bool v85 = !v81;
    const bool v86 = v78 & v85;
    const bool v87 = v85 | v75;
    const bool v88 = v84 & v87;
    const bool v89 = v86 | v88;
    const float v90 = v89 ? v72 : v70;
    const int v91 = v89 ? v73 : v71;
    w0[thread] = v90;
    w1[thread] = v91;
  }
  __syncthreads();
  const bool v92 = thread < 4;
  const int v93 = (int)((unsigned)thread + (unsigned)4);
  if (v92) {
    const float v94 = w0[thread];
    const int v95 = w1[thread];
    const float v96 = w0[v93];
    const int v97 = w1[v93];
    const bool v98 = v94 > v96;
    const bool v99 = v97 < v95;
    const bool v100 = v96 == v94;
    const bool v101 = v100 & v99;
    const bool v102 = v98 | v101;
    const int v103 = __float_as_int(v94);
    const int v104 = v103 & 2147483647;
    const bool v105 = v104 > 2139095040;
    const int v106 = __float_as_int(v96);
    const int v107 = v106 & 2147483647;
    const bool v108 = v107 > 2139095040;
    const bool v109 = !v105;
    const bool v110 = v102 & v109;
    const bool v111 = v109 | v99;
    const bool v112 = v108 & v111;
    const bool v113 = v110 | v112;
    const float v114 = v113 ? v96 : v94;
    const int v115 = v113 ? v97 : v95;
    w0[thread] = v114;
    w1[thread] = v115;
  }
  __syncthreads();
  const bool v117 = thread < 2;
  const int v118 = (int)((unsigned)thread + (unsigned)2);
  if (v117) {
    const float v119 = w0[thread];
    const int v120 = w1[thread];
    const float v121 = w0[v118];
    const int v122 = w1[v118];
    const bool v123 = v119 > v121;
    const bool v124 = v122 < v120;
    const bool v125 = v121 == v119;
    const bool v126 = v125 & v124;
    const bool v127 = v123 | v126;
    const int v128 = __float_as_int(v119);
    const int v129 = v128 & 2147483647;
    const bool v130 = v129 > 2139095040;
    const int v131 = __float_as_int(v121);
    const int v132 = v131 & 2147483647;
    const bool v133 = v132 > 2139095040;
    const bool v134 = !v130;
    const bool v135 = v127 & v134;
    const bool v136 = v134 | v124;
    const bool v137 = v133 & v136;
    const bool v138 = v135 | v137;
    const float v139 = v138 ? v121 : v119;
    const int v140 = v138 ? v122 : v120;
    w0[thread] = v139;
    w1[thread] = v140;
  }
  __syncthreads();
  const bool v142 = thread < 1;
  const int v143 = (int)((unsigned)thread + (unsigned)1);
  if (v142) {
    const float v144 = w0[thread];
    const int v145 = w1[thread];
    const float v146 = w0[v143];
    const int v147 = w1[v143];
    const bool v148 = v144 > v146;
    const bool v149 = v147 < v145;
    const bool v150 = v146 == v144;
    const bool v151 = v150 & v149;
    const bool v152 = v148 | v151;
    const int v153 = __float_as_int(v144);
    const int v154 = v153 & 2147483647;
    const bool v155 = v154 > 2139095040;
    const int v156 = __float_as_int(v146);
    const int v157 = v156 & 2147483647;
    const bool v158 = v157 > 2139095040;
    const bool v159 = !v155;
    const bool v160 = v152 & v159;
    const bool v161 = v159 | v149;
    const bool v162 = v158 & v161;
    const bool v163 = v160 | v162;
    const float v164 = v163 ? v146 : v144;
    const int v165 = v163 ? v147 : v145;
    w0[thread] = v164;
    w1[thread] = v165;
  }
  __syncthreads();
  const float v167 = w0[0];
  const int v168 = w1[0];
  __syncthreads();
  const bool v169 = x2;
  w2[thread] = v169;
  __syncthreads();
  if (v43) {
    const bool v170 = w2[thread];
    const bool v171 = w2[v44];
    const bool v172 = v170 | v171;
    w2[thread] = v172;
  }
  __syncthreads();
  if (v68) {
    const bool v173 = w2[thread];
    const bool v174 = w2[v69];
    const bool v175 = v173 | v174;
    w2[thread] = v175;
  }
  __syncthreads();
  if (v92) {
    const bool v176 = w2[thread];
    const bool v177 = w2[v93];
    const bool v178 = v176 | v177;
    w2[thread] = v178;
  }
  __syncthreads();
  if (v117) {
    const bool v179 = w2[thread];
    const bool v180 = w2[v118];
    const bool v181 = v179 | v180;
    w2[thread] = v181;
  }
  __syncthreads();
  if (v142) {
    const bool v182 = w2[thread];
    const bool v183 = w2[v143];
    const bool v184 = v182 | v183;
    w2[thread] = v184;
  }
  __syncthreads();
  const bool v185 = w2[0];
  __syncthreads();
  const bool v186 = thread == 0;
  const long long v187 = (long long)v168;
  if (v186) {
    b1[group] = (long long)v187;
  }
  __syncthreads();
  const int v188 = (int)v185;
  if (v186) {
    b2[group] = (unsigned char)v188;
  }
}
