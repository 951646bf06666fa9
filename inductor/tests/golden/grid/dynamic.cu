extern "C" __global__ void __launch_bounds__(256)
k_log_softmax(const float* __restrict__ b0, float* __restrict__ b1, int n0, int n1) {
  __shared__ __align__(16) float w0[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  const bool v2 = group < n0;
  const int v10 = (int)((unsigned)n1 * (unsigned)group);
  const int v45 = thread & 31;
  const int v47 = thread >> 5;
  const bool v48 = v45 == 0;
  const int v50 = v45 & 7;
  if (v2) {
    x0 = __uint_as_float(0xff800000u);
    for (int v9 = thread; v9 < n1; v9 += 256) {
      const int v11 = (int)((unsigned)v10 + (unsigned)v9);
      const float v12 = b0[v11];
      const float v13 = x0;
      const bool v14 = v13 != v13;
      const bool v15 = v13 >= v12;
      const bool v16 = v14 | v15;
      const float v17 = v16 ? v13 : v12;
      x0 = v17;
    }
    const float v18 = x0;
    const float v19 = __shfl_xor_sync(0xffffffffu, v18, 16);
    const bool v20 = v18 != v18;
    const bool v21 = v18 >= v19;
    const bool v22 = v20 | v21;
    const float v23 = v22 ? v18 : v19;
    const float v24 = __shfl_xor_sync(0xffffffffu, v23, 8);
    const bool v25 = v23 != v23;
    const bool v26 = v23 >= v24;
    const bool v27 = v25 | v26;
    const float v28 = v27 ? v23 : v24;
    const float v29 = __shfl_xor_sync(0xffffffffu, v28, 4);
    const bool v30 = v28 != v28;
    const bool v31 = v28 >= v29;
    const bool v32 = v30 | v31;
    const float v33 = v32 ? v28 : v29;
    const float v34 = __shfl_xor_sync(0xffffffffu, v33, 2);
    const bool v35 = v33 != v33;
    const bool v36 = v33 >= v34;
    const bool v37 = v35 | v36;
    const float v38 = v37 ? v33 : v34;
    const float v39 = __shfl_xor_sync(0xffffffffu, v38, 1);
    const bool v40 = v38 != v38;
    const bool v41 = v38 >= v39;
    const bool v42 = v40 | v41;
    const float v43 = v42 ? v38 : v39;
    if (v48) {
      w0[v47] = v43;
    }
    __syncthreads();
    const float v51 = w0[v50];
    const float v52 = __shfl_xor_sync(0xffffffffu, v51, 4);
    const bool v53 = v51 != v51;
    const bool v54 = v51 >= v52;
    const bool v55 = v53 | v54;
    const float v56 = v55 ? v51 : v52;
    const float v57 = __shfl_xor_sync(0xffffffffu, v56, 2);
    const bool v58 = v56 != v56;
    const bool v59 = v56 >= v57;
    const bool v60 = v58 | v59;
    const float v61 = v60 ? v56 : v57;
    const float v62 = __shfl_xor_sync(0xffffffffu, v61, 1);
    const bool v63 = v61 != v61;
    const bool v64 = v61 >= v62;
    const bool v65 = v63 | v64;
    const float v66 = v65 ? v61 : v62;
    __syncthreads();
    x1 = 0.0f;
    for (int v68 = thread; v68 < n1; v68 += 256) {
      const int v69 = (int)((unsigned)v10 + (unsigned)v68);
      const float v70 = b0[v69];
      const float v72 = v70 - v66;
      const float v73 = expf(v72);
      const float v74 = x1;
      const float v75 = v74 + v73;
      x1 = v75;
    }
    const float v76 = x1;
    const float v77 = __shfl_xor_sync(0xffffffffu, v76, 16);
    const float v78 = v76 + v77;
    const float v79 = __shfl_xor_sync(0xffffffffu, v78, 8);
    const float v80 = v78 + v79;
    const float v81 = __shfl_xor_sync(0xffffffffu, v80, 4);
    const float v82 = v80 + v81;
    const float v83 = __shfl_xor_sync(0xffffffffu, v82, 2);
    const float v84 = v82 + v83;
    const float v85 = __shfl_xor_sync(0xffffffffu, v84, 1);
    const float v86 = v84 + v85;
    if (v48) {
      w0[v47] = v86;
    }
    __syncthreads();
    const float v87 = w0[v50];
    const float v88 = __shfl_xor_sync(0xffffffffu, v87, 4);
    const float v89 = v87 + v88;
    const float v90 = __shfl_xor_sync(0xffffffffu, v89, 2);
    const float v91 = v89 + v90;
    const float v92 = __shfl_xor_sync(0xffffffffu, v91, 1);
    const float v93 = v91 + v92;
    __syncthreads();
    const float v94 = logf(v93);
    for (int v95 = thread; v95 < n1; v95 += 256) {
      const int v96 = (int)((unsigned)v10 + (unsigned)v95);
      const float v97 = b0[v96];
      const float v98 = v97 - v66;
      const float v99 = v98 - v94;
      b1[v96] = (float)v99;
    }
  }
}
