extern "C" __global__ void __launch_bounds__(1024)
k_cross_entropy_row(const float* __restrict__ b0, float* __restrict__ b2) {
  __shared__ __align__(16) float w0[32];
  float r0[32];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = __uint_as_float(0xff800000u);
  const int v19 = (int)((unsigned)group * (unsigned)32000);
  #pragma unroll 8
  for (int v6 = 0; v6 < 8; v6 += 1) {
    const int v11 = (int)((unsigned)v6 * (unsigned)4);
    const int v12 = (int)((unsigned)v6 * (unsigned)1024);
    const int v14 = (int)((unsigned)v12 + (unsigned)thread);
    const int v15 = (int)((unsigned)v14 * (unsigned)4);
    const bool v16 = v6 < 7;
    const bool v17 = v15 < 32000;
    const bool v18 = v16 | v17;
    const int v20 = (int)((unsigned)v19 + (unsigned)v15);
    const int v27 = (int)((unsigned)v15 + (unsigned)1);
    const int v28 = (int)((unsigned)v11 + (unsigned)1);
    const int v32 = (int)((unsigned)v15 + (unsigned)2);
    const int v33 = (int)((unsigned)v11 + (unsigned)2);
    const int v37 = (int)((unsigned)v15 + (unsigned)3);
    const int v38 = (int)((unsigned)v11 + (unsigned)3);
    if (v18) {
      const float4 v21_all = *(const float4*)&b0[v20];
      const float v21 = v21_all.x;
      const float v22 = v21_all.y;
      const float v23 = v21_all.z;
      const float v24 = v21_all.w;
      r0[v11] = v21;
      const float v25 = x0;
      const float v26 = maximumf(v25, v21);
      x0 = v26;
      r0[v28] = v22;
      const float v29 = x0;
      const float v30 = maximumf(v29, v22);
      x0 = v30;
      r0[v33] = v23;
      const float v34 = x0;
      const float v35 = maximumf(v34, v23);
      x0 = v35;
      r0[v38] = v24;
      const float v39 = x0;
      const float v40 = maximumf(v39, v24);
      x0 = v40;
    }
  }
  const float v41 = x0;
  const float v42 = __shfl_xor_sync(0xffffffffu, v41, 16);
  const float v43 = maximumf(v41, v42);
  const float v44 = __shfl_xor_sync(0xffffffffu, v43, 8);
  const float v45 = maximumf(v43, v44);
  const float v46 = __shfl_xor_sync(0xffffffffu, v45, 4);
  const float v47 = maximumf(v45, v46);
  const float v48 = __shfl_xor_sync(0xffffffffu, v47, 2);
  const float v49 = maximumf(v47, v48);
  const float v50 = __shfl_xor_sync(0xffffffffu, v49, 1);
  const float v51 = maximumf(v49, v50);
  const int v53 = thread & 31;
  const int v55 = thread >> 5;
  const bool v56 = v53 == 0;
  if (v56) {
    w0[v55] = v51;
  }
  __syncthreads();
  const int v57 = v53 & 31;
  const float v58 = w0[v57];
  const float v59 = __shfl_xor_sync(0xffffffffu, v58, 16);
  const float v60 = maximumf(v58, v59);
  const float v61 = __shfl_xor_sync(0xffffffffu, v60, 8);
  const float v62 = maximumf(v60, v61);
  const float v63 = __shfl_xor_sync(0xffffffffu, v62, 4);
  const float v64 = maximumf(v62, v63);
  const float v65 = __shfl_xor_sync(0xffffffffu, v64, 2);
  const float v66 = maximumf(v64, v65);
  const float v67 = __shfl_xor_sync(0xffffffffu, v66, 1);
  const float v68 = maximumf(v66, v67);
  __syncthreads();
  x1 = 0.0f;
  #pragma unroll 8
  for (int v70 = 0; v70 < 8; v70 += 1) {
    const int v71 = (int)((unsigned)v70 * (unsigned)4);
    const int v72 = (int)((unsigned)v70 * (unsigned)1024);
    const int v73 = (int)((unsigned)v72 + (unsigned)thread);
    const int v74 = (int)((unsigned)v73 * (unsigned)4);
    const bool v75 = v70 < 7;
    const bool v76 = v74 < 32000;
    const bool v77 = v75 | v76;
    const int v84 = (int)((unsigned)v74 + (unsigned)1);
    const int v85 = (int)((unsigned)v71 + (unsigned)1);
    const int v91 = (int)((unsigned)v74 + (unsigned)2);
    const int v92 = (int)((unsigned)v71 + (unsigned)2);
    const int v98 = (int)((unsigned)v74 + (unsigned)3);
    const int v99 = (int)((unsigned)v71 + (unsigned)3);
    if (v77) {
      const float v78 = r0[v71];
      const float v80 = v78 - v68;
      const float v81 = expf(v80);
      const float v82 = x1;
      const float v83 = v82 + v81;
      x1 = v83;
      const float v86 = r0[v85];
      const float v87 = v86 - v68;
      const float v88 = expf(v87);
      const float v89 = x1;
      const float v90 = v89 + v88;
      x1 = v90;
      const float v93 = r0[v92];
      const float v94 = v93 - v68;
      const float v95 = expf(v94);
      const float v96 = x1;
      const float v97 = v96 + v95;
      x1 = v97;
      const float v100 = r0[v99];
      const float v101 = v100 - v68;
      const float v102 = expf(v101);
      const float v103 = x1;
      const float v104 = v103 + v102;
      x1 = v104;
    }
  }
  const float v105 = x1;
  const float v106 = __shfl_xor_sync(0xffffffffu, v105, 16);
  const float v107 = v105 + v106;
  const float v108 = __shfl_xor_sync(0xffffffffu, v107, 8);
  const float v109 = v107 + v108;
  const float v110 = __shfl_xor_sync(0xffffffffu, v109, 4);
  const float v111 = v109 + v110;
  const float v112 = __shfl_xor_sync(0xffffffffu, v111, 2);
  const float v113 = v111 + v112;
  const float v114 = __shfl_xor_sync(0xffffffffu, v113, 1);
  const float v115 = v113 + v114;
  if (v56) {
    w0[v55] = v115;
  }
  __syncthreads();
  const float v116 = w0[v57];
  const float v117 = __shfl_xor_sync(0xffffffffu, v116, 16);
  const float v118 = v116 + v117;
  const float v119 = __shfl_xor_sync(0xffffffffu, v118, 8);
  const float v120 = v118 + v119;
  const float v121 = __shfl_xor_sync(0xffffffffu, v120, 4);
  const float v122 = v120 + v121;
  const float v123 = __shfl_xor_sync(0xffffffffu, v122, 2);
  const float v124 = v122 + v123;
  const float v125 = __shfl_xor_sync(0xffffffffu, v124, 1);
  const float v126 = v124 + v125;
  __syncthreads();
  const float v127 = logf(v126);
  const float v128 = v127 + v68;
  const bool v129 = thread == 0;
  if (v129) {
    b2[group] = (float)v128;
  }
}
