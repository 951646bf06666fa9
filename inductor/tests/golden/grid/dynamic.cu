extern "C" __global__ void __launch_bounds__(256)
k_log_softmax(const float* b0, float* b1, int n0, int n1) {
  __shared__ float w0[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  const bool v2 = group < n0;
  const int v10 = (int)((unsigned)n1 * (unsigned)group);
  const bool v29 = thread < 128;
  const int v30 = (int)((unsigned)thread + (unsigned)128);
  const bool v45 = thread < 64;
  const int v46 = (int)((unsigned)thread + (unsigned)64);
  const bool v61 = thread < 32;
  const int v62 = (int)((unsigned)thread + (unsigned)32);
  const bool v77 = thread < 16;
  const int v78 = (int)((unsigned)thread + (unsigned)16);
  const bool v93 = thread < 8;
  const int v94 = (int)((unsigned)thread + (unsigned)8);
  const bool v109 = thread < 4;
  const int v110 = (int)((unsigned)thread + (unsigned)4);
  const bool v125 = thread < 2;
  const int v126 = (int)((unsigned)thread + (unsigned)2);
  const bool v140 = thread < 1;
  const int v141 = (int)((unsigned)thread + (unsigned)1);
  if (v2) {
    x0 = __uint_as_float(0xff800000u);
    for (int v9 = thread; v9 < n1; v9 += 256) {
      const int v11 = (int)((unsigned)v10 + (unsigned)v9);
      const float v12 = b0[v11];
      const float v13 = x0;
      const bool v14 = v13 < v12;
      const int v15 = __float_as_int(v13);
      const int v17 = v15 & 2147483647;
      const bool v19 = v17 > 2139095040;
      const bool v20 = !v19;
      const int v21 = __float_as_int(v12);
      const int v22 = v21 & 2147483647;
      const bool v23 = v22 > 2139095040;
      const bool v24 = v14 | v23;
      const bool v25 = v24 & v20;
      const float v26 = v25 ? v12 : v13;
      x0 = v26;
    }
    const float v27 = x0;
    w0[thread] = v27;
    __syncthreads();
    if (v29) {
      const float v31 = w0[thread];
      const float v32 = w0[v30];
      const bool v33 = v31 < v32;
      const int v34 = __float_as_int(v31);
      const int v35 = v34 & 2147483647;
      const bool v36 = v35 > 2139095040;
      const bool v37 = !v36;
      const int v38 = __float_as_int(v32);
      const int v39 = v38 & 2147483647;
      const bool v40 = v39 > 2139095040;
      const bool v41 = v33 | v40;
      const bool v42 = v41 & v37;
      const float v43 = v42 ? v32 : v31;
      w0[thread] = v43;
    }
    __syncthreads();
    if (v45) {
      const float v47 = w0[thread];
      const float v48 = w0[v46];
      const bool v49 = v47 < v48;
      const int v50 = __float_as_int(v47);
      const int v51 = v50 & 2147483647;
      const bool v52 = v51 > 2139095040;
      const bool v53 = !v52;
      const int v54 = __float_as_int(v48);
      const int v55 = v54 & 2147483647;
      const bool v56 = v55 > 2139095040;
      const bool v57 = v49 | v56;
      const bool v58 = v57 & v53;
      const float v59 = v58 ? v48 : v47;
      w0[thread] = v59;
    }
    __syncthreads();
    if (v61) {
      const float v63 = w0[thread];
      const float v64 = w0[v62];
      const bool v65 = v63 < v64;
      const int v66 = __float_as_int(v63);
      const int v67 = v66 & 2147483647;
      const bool v68 = v67 > 2139095040;
      const bool v69 = !v68;
      const int v70 = __float_as_int(v64);
      const int v71 = v70 & 2147483647;
      const bool v72 = v71 > 2139095040;
      const bool v73 = v65 | v72;
      const bool v74 = v73 & v69;
      const float v75 = v74 ? v64 : v63;
      w0[thread] = v75;
    }
    __syncthreads();
    if (v77) {
      const float v79 = w0[thread];
      const float v80 = w0[v78];
      const bool v81 = v79 < v80;
      const int v82 = __float_as_int(v79);
      const int v83 = v82 & 2147483647;
      const bool v84 = v83 > 2139095040;
      const bool v85 = !v84;
      const int v86 = __float_as_int(v80);
      const int v87 = v86 & 2147483647;
      const bool v88 = v87 > 2139095040;
      const bool v89 = v81 | v88;
      const bool v90 = v89 & v85;
      const float v91 = v90 ? v80 : v79;
      w0[thread] = v91;
    }
    __syncthreads();
    if (v93) {
      const float v95 = w0[thread];
      const float v96 = w0[v94];
      const bool v97 = v95 < v96;
      const int v98 = __float_as_int(v95);
      const int v99 = v98 & 2147483647;
      const bool v100 = v99 > 2139095040;
      const bool v101 = !v100;
      const int v102 = __float_as_int(v96);
      const int v103 = v102 & 2147483647;
      const bool v104 = v103 > 2139095040;
      const bool v105 = v97 | v104;
      const bool v106 = v105 & v101;
      const float v107 = v106 ? v96 : v95;
      w0[thread] = v107;
    }
    __syncthreads();
    if (v109) {
      const float v111 = w0[thread];
      const float v112 = w0[v110];
      const bool v113 = v111 < v112;
      const int v114 = __float_as_int(v111);
      const int v115 = v114 & 2147483647;
      const bool v116 = v115 > 2139095040;
      const bool v117 = !v116;
      const int v118 = __float_as_int(v112);
      const int v119 = v118 & 2147483647;
      const bool v120 = v119 > 2139095040;
      const bool v121 = v113 | v120;
      const bool v122 = v121 & v117;
      const float v123 = v122 ? v112 : v111;
      w0[thread] = v123;
    }
    __syncthreads();
    if (v125) {
      const float v127 = w0[thread];
      const float v128 = w0[v126];
      const bool v129 = v127 < v128;
      const int v130 = __float_as_int(v127);
      const int v131 = v130 & 2147483647;
      const bool v132 = v131 > 2139095040;
      const bool v133 = !v132;
      const int v134 = __float_as_int(v128);
      const int v135 = v134 & 2147483647;
      const bool v136 = v135 > 2139095040;
      const bool v137 = v129 | v136;
      const bool v138 = v137 & v133;
      const float v139 = v138 ? v128 : v127;
      w0[thread] = v139;
    }
    __syncthreads();
    if (v140) {
      const float v142 = w0[thread];
      const float v143 = w0[v141];
      const bool v144 = v142 < v143;
      const int v145 = __float_as_int(v142);
      const int v146 = v145 & 2147483647;
      const bool v147 = v146 > 2139095040;
      const bool v148 = !v147;
      const int v149 = __float_as_int(v143);
      const int v150 = v149 & 2147483647;
      const bool v151 = v150 > 2139095040;
      const bool v152 = v144 | v151;
      const bool v153 = v152 & v148;
      const float v154 = v153 ? v143 : v142;
      w0[thread] = v154;
    }
    __syncthreads();
    const float v155 = w0[0];
    __syncthreads();
    x1 = 0.0f;
    for (int v157 = thread; v157 < n1; v157 += 256) {
      const int v158 = (int)((unsigned)v10 + (unsigned)v157);
      const float v159 = b0[v158];
      const float v161 = v159 - v155;
      const float v162 = expf(v161);
      const float v163 = x1;
      const float v164 = v163 + v162;
      x1 = v164;
    }
    const float v165 = x1;
    w0[thread] = v165;
    __syncthreads();
    if (v29) {
      const float v166 = w0[thread];
      const float v167 = w0[v30];
      const float v168 = v166 + v167;
      w0[thread] = v168;
    }
    __syncthreads();
    if (v45) {
      const float v169 = w0[thread];
      const float v170 = w0[v46];
      const float v171 = v169 + v170;
      w0[thread] = v171;
    }
    __syncthreads();
    if (v61) {
      const float v172 = w0[thread];
      const float v173 = w0[v62];
      const float v174 = v172 + v173;
      w0[thread] = v174;
    }
    __syncthreads();
    if (v77) {
      const float v175 = w0[thread];
      const float v176 = w0[v78];
      const float v177 = v175 + v176;
      w0[thread] = v177;
    }
    __syncthreads();
    if (v93) {
      const float v178 = w0[thread];
      const float v179 = w0[v94];
      const float v180 = v178 + v179;
      w0[thread] = v180;
    }
    __syncthreads();
    if (v109) {
      const float v181 = w0[thread];
      const float v182 = w0[v110];
      const float v183 = v181 + v182;
      w0[thread] = v183;
    }
    __syncthreads();
    if (v125) {
      const float v184 = w0[thread];
      const float v185 = w0[v126];
      const float v186 = v184 + v185;
      w0[thread] = v186;
    }
    __syncthreads();
    if (v140) {
      const float v187 = w0[thread];
      const float v188 = w0[v141];
      const float v189 = v187 + v188;
      w0[thread] = v189;
    }
    __syncthreads();
    const float v190 = w0[0];
    __syncthreads();
    const float v191 = logf(v190);
    for (int v192 = thread; v192 < n1; v192 += 256) {
      const int v193 = (int)((unsigned)v10 + (unsigned)v192);
      const float v194 = b0[v193];
      const float v195 = v194 - v155;
      const float v196 = v195 - v191;
      b1[v193] = (float)v196;
    }
  }
}
