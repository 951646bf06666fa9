extern "C" __global__ void __launch_bounds__(256)
k_softmax(const float* b0, float* b1) {
  __shared__ float w0[200];
  __shared__ float w1[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = __uint_as_float(0xff800000u);
  const bool v8 = thread < 200;
  const int v9 = (int)((unsigned)group * (unsigned)200);
  const int v10 = (int)((unsigned)v9 + (unsigned)thread);
  if (v8) {
    const float v11 = b0[v10];
    const float v12 = x0;
    const bool v13 = v12 < v11;
    const int v14 = __float_as_int(v12);
    const int v16 = v14 & 2147483647;
    const bool v18 = v16 > 2139095040;
    const bool v19 = !v18;
    const int v20 = __float_as_int(v11);
    const int v21 = v20 & 2147483647;
    const bool v22 = v21 > 2139095040;
    const bool v23 = v13 | v22;
    const bool v24 = v23 & v19;
    const float v25 = v24 ? v11 : v12;
    x0 = v25;
  }
  const float v26 = x0;
  w1[thread] = v26;
  __syncthreads();
  const bool v28 = thread < 128;
  const int v29 = (int)((unsigned)thread + (unsigned)128);
  if (v28) {
    const float v30 = w1[thread];
    const float v31 = w1[v29];
    const bool v32 = v30 < v31;
    const int v33 = __float_as_int(v30);
    const int v34 = v33 & 2147483647;
    const bool v35 = v34 > 2139095040;
    const bool v36 = !v35;
    const int v37 = __float_as_int(v31);
    const int v38 = v37 & 2147483647;
    const bool v39 = v38 > 2139095040;
    const bool v40 = v32 | v39;
    const bool v41 = v40 & v36;
    const float v42 = v41 ? v31 : v30;
    w1[thread] = v42;
  }
  __syncthreads();
  const bool v44 = thread < 64;
  const int v45 = (int)((unsigned)thread + (unsigned)64);
  if (v44) {
    const float v46 = w1[thread];
    const float v47 = w1[v45];
    const bool v48 = v46 < v47;
    const int v49 = __float_as_int(v46);
    const int v50 = v49 & 2147483647;
    const bool v51 = v50 > 2139095040;
    const bool v52 = !v51;
    const int v53 = __float_as_int(v47);
    const int v54 = v53 & 2147483647;
    const bool v55 = v54 > 2139095040;
    const bool v56 = v48 | v55;
    const bool v57 = v56 & v52;
    const float v58 = v57 ? v47 : v46;
    w1[thread] = v58;
  }
  __syncthreads();
  const bool v60 = thread < 32;
  const int v61 = (int)((unsigned)thread + (unsigned)32);
  if (v60) {
    const float v62 = w1[thread];
    const float v63 = w1[v61];
    const bool v64 = v62 < v63;
    const int v65 = __float_as_int(v62);
    const int v66 = v65 & 2147483647;
    const bool v67 = v66 > 2139095040;
    const bool v68 = !v67;
    const int v69 = __float_as_int(v63);
    const int v70 = v69 & 2147483647;
    const bool v71 = v70 > 2139095040;
    const bool v72 = v64 | v71;
    const bool v73 = v72 & v68;
    const float v74 = v73 ? v63 : v62;
    w1[thread] = v74;
  }
  __syncthreads();
  const bool v76 = thread < 16;
  const int v77 = (int)((unsigned)thread + (unsigned)16);
  if (v76) {
    const float v78 = w1[thread];
    const float v79 = w1[v77];
    const bool v80 = v78 < v79;
    const int v81 = __float_as_int(v78);
    const int v82 = v81 & 2147483647;
    const bool v83 = v82 > 2139095040;
    const bool v84 = !v83;
    const int v85 = __float_as_int(v79);
    const int v86 = v85 & 2147483647;
    const bool v87 = v86 > 2139095040;
    const bool v88 = v80 | v87;
    const bool v89 = v88 & v84;
    const float v90 = v89 ? v79 : v78;
    w1[thread] = v90;
  }
  __syncthreads();
  const bool v92 = thread < 8;
  const int v93 = (int)((unsigned)thread + (unsigned)8);
  if (v92) {
    const float v94 = w1[thread];
    const float v95 = w1[v93];
    const bool v96 = v94 < v95;
    const int v97 = __float_as_int(v94);
    const int v98 = v97 & 2147483647;
    const bool v99 = v98 > 2139095040;
    const bool v100 = !v99;
    const int v101 = __float_as_int(v95);
    const int v102 = v101 & 2147483647;
    const bool v103 = v102 > 2139095040;
    const bool v104 = v96 | v103;
    const bool v105 = v104 & v100;
    const float v106 = v105 ? v95 : v94;
    w1[thread] = v106;
  }
  __syncthreads();
  const bool v108 = thread < 4;
  const int v109 = (int)((unsigned)thread + (unsigned)4);
  if (v108) {
    const float v110 = w1[thread];
    const float v111 = w1[v109];
    const bool v112 = v110 < v111;
    const int v113 = __float_as_int(v110);
    const int v114 = v113 & 2147483647;
    const bool v115 = v114 > 2139095040;
    const bool v116 = !v115;
    const int v117 = __float_as_int(v111);
    const int v118 = v117 & 2147483647;
    const bool v119 = v118 > 2139095040;
    const bool v120 = v112 | v119;
    const bool v121 = v120 & v116;
    const float v122 = v121 ? v111 : v110;
    w1[thread] = v122;
  }
  __syncthreads();
  const bool v124 = thread < 2;
  const int v125 = (int)((unsigned)thread + (unsigned)2);
  if (v124) {
    const float v126 = w1[thread];
    const float v127 = w1[v125];
    const bool v128 = v126 < v127;
    const int v129 = __float_as_int(v126);
    const int v130 = v129 & 2147483647;
    const bool v131 = v130 > 2139095040;
    const bool v132 = !v131;
    const int v133 = __float_as_int(v127);
    const int v134 = v133 & 2147483647;
    const bool v135 = v134 > 2139095040;
    const bool v136 = v128 | v135;
    const bool v137 = v136 & v132;
    const float v138 = v137 ? v127 : v126;
    w1[thread] = v138;
  }
  __syncthreads();
  const bool v139 = thread < 1;
  const int v140 = (int)((unsigned)thread + (unsigned)1);
  if (v139) {
    const float v141 = w1[thread];
    const float v142 = w1[v140];
    const bool v143 = v141 < v142;
    const int v144 = __float_as_int(v141);
    const int v145 = v144 & 2147483647;
    const bool v146 = v145 > 2139095040;
    const bool v147 = !v146;
    const int v148 = __float_as_int(v142);
    const int v149 = v148 & 2147483647;
    const bool v150 = v149 > 2139095040;
    const bool v151 = v143 | v150;
    const bool v152 = v151 & v147;
    const float v153 = v152 ? v142 : v141;
    w1[thread] = v153;
  }
  __syncthreads();
  const float v154 = w1[0];
  __syncthreads();
  x1 = 0.0f;
  if (v8) {
    const float v156 = b0[v10];
    const float v158 = v156 - v154;
    const float v159 = expf(v158);
    w0[thread] = v159;
    const float v160 = x1;
    const float v161 = v160 + v159;
    x1 = v161;
  }
  const float v162 = x1;
  w1[thread] = v162;
  __syncthreads();
  if (v28) {
    const float v163 = w1[thread];
    const float v164 = w1[v29];
    const float v165 = v163 + v164;
    w1[thread] = v165;
  }
  __syncthreads();
  if (v44) {
    const float v166 = w1[thread];
    const float v167 = w1[v45];
    const float v168 = v166 + v167;
    w1[thread] = v168;
  }
  __syncthreads();
  if (v60) {
    const float v169 = w1[thread];
    const float v170 = w1[v61];
    const float v171 = v169 + v170;
    w1[thread] = v171;
  }
  __syncthreads();
  if (v76) {
    const float v172 = w1[thread];
    const float v173 = w1[v77];
    const float v174 = v172 + v173;
    w1[thread] = v174;
  }
  __syncthreads();
  if (v92) {
    const float v175 = w1[thread];
    const float v176 = w1[v93];
    const float v177 = v175 + v176;
    w1[thread] = v177;
  }
  __syncthreads();
  if (v108) {
    const float v178 = w1[thread];
    const float v179 = w1[v109];
    const float v180 = v178 + v179;
    w1[thread] = v180;
  }
  __syncthreads();
  if (v124) {
    const float v181 = w1[thread];
    const float v182 = w1[v125];
    const float v183 = v181 + v182;
    w1[thread] = v183;
  }
  __syncthreads();
  if (v139) {
    const float v184 = w1[thread];
    const float v185 = w1[v140];
    const float v186 = v184 + v185;
    w1[thread] = v186;
  }
  __syncthreads();
  const float v187 = w1[0];
  __syncthreads();
  if (v8) {
    const float v188 = w0[thread];
    const float v189 = v188 / v187;
    b1[v10] = (float)v189;
  }
}
