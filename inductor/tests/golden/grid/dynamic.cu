extern "C" __global__ void __launch_bounds__(256)
k_log_softmax(const float* __restrict__ b0, float* __restrict__ b1, int n0, int n1) {
  __shared__ __align__(16) float w0[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  const bool v2 = group < n0;
  const int v11 = (int)((unsigned)n1 * (unsigned)group);
  const int v43 = thread & 31;
  const int v45 = thread >> 5;
  const bool v46 = v43 == 0;
  const int v48 = v43 & 7;
  if (v2) {
    x0 = -3.4028235e38f;
    x1 = 0.0f;
    for (int v10 = thread; v10 < n1; v10 += 256) {
      const int v12 = (int)((unsigned)v11 + (unsigned)v10);
      const float v13 = b0[v12];
      const float v14 = x0;
      const float v15 = x1;
      const float v16 = v13 - v14;
      const float v17 = fabsf(v16);
      const float v18 = -v17;
      const float v19 = expf(v18);
      const bool v20 = v13 > v14;
      const float v22 = fmaf(v15, v19, 1.0f);
      const float v23 = v15 + v19;
      const float v24 = v20 ? v22 : v23;
      const float v25 = maximumf(v14, v13);
      x0 = v25;
      x1 = v24;
    }
    const float v26 = x0;
    const float v27 = x1;
    const bool v28 = v27 == 0.0f;
    const float v30 = v28 ? __uint_as_float(0xff800000u) : v26;
    x0 = v30;
    const float v31 = x0;
    const float v32 = __shfl_xor_sync(0xffffffffu, v31, 16);
    const float v33 = maximumf(v31, v32);
    const float v34 = __shfl_xor_sync(0xffffffffu, v33, 8);
    const float v35 = maximumf(v33, v34);
    const float v36 = __shfl_xor_sync(0xffffffffu, v35, 4);
    const float v37 = maximumf(v35, v36);
    const float v38 = __shfl_xor_sync(0xffffffffu, v37, 2);
    const float v39 = maximumf(v37, v38);
    const float v40 = __shfl_xor_sync(0xffffffffu, v39, 1);
    const float v41 = maximumf(v39, v40);
    if (v46) {
      w0[v45] = v41;
    }
    __syncthreads();
    const float v49 = w0[v48];
    const float v50 = __shfl_xor_sync(0xffffffffu, v49, 4);
    const float v51 = maximumf(v49, v50);
    const float v52 = __shfl_xor_sync(0xffffffffu, v51, 2);
    const float v53 = maximumf(v51, v52);
    const float v54 = __shfl_xor_sync(0xffffffffu, v53, 1);
    const float v55 = maximumf(v53, v54);
    __syncthreads();
    const float v56 = v30 - v55;
    const float v57 = expf(v56);
    const float v58 = v27 * v57;
    x1 = v58;
    const float v59 = x1;
    const float v60 = __shfl_xor_sync(0xffffffffu, v59, 16);
    const float v61 = v59 + v60;
    const float v62 = __shfl_xor_sync(0xffffffffu, v61, 8);
    const float v63 = v61 + v62;
    const float v64 = __shfl_xor_sync(0xffffffffu, v63, 4);
    const float v65 = v63 + v64;
    const float v66 = __shfl_xor_sync(0xffffffffu, v65, 2);
    const float v67 = v65 + v66;
    const float v68 = __shfl_xor_sync(0xffffffffu, v67, 1);
    const float v69 = v67 + v68;
    if (v46) {
      w0[v45] = v69;
    }
    __syncthreads();
    const float v70 = w0[v48];
    const float v71 = __shfl_xor_sync(0xffffffffu, v70, 4);
    const float v72 = v70 + v71;
    const float v73 = __shfl_xor_sync(0xffffffffu, v72, 2);
    const float v74 = v72 + v73;
    const float v75 = __shfl_xor_sync(0xffffffffu, v74, 1);
    const float v76 = v74 + v75;
    __syncthreads();
    const float v77 = logf(v76);
    for (int v78 = thread; v78 < n1; v78 += 256) {
      const int v79 = (int)((unsigned)v11 + (unsigned)v78);
      const float v80 = b0[v79];
      const float v81 = v80 - v55;
      const float v82 = v81 - v77;
      b1[v79] = (float)v82;
    }
  }
}
