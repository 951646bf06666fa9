extern "C" __global__ void __launch_bounds__(256)
k_layer_norm(const float* __restrict__ b0, const float* __restrict__ b1, const float* __restrict__ b2, float* __restrict__ b3) {
  __shared__ __align__(16) float w0[8];
  float r0[3];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = 0.0f;
  const int v12 = (int)((unsigned)group * (unsigned)768);
  #pragma unroll 3
  for (int v6 = 0; v6 < 3; v6 += 1) {
    const int v9 = (int)((unsigned)v6 * (unsigned)256);
    const int v11 = (int)((unsigned)v9 + (unsigned)thread);
    const int v13 = (int)((unsigned)v12 + (unsigned)v11);
    const float v14 = b0[v13];
    r0[v6] = v14;
    const float v15 = x0;
    const float v16 = v15 + v14;
    x0 = v16;
  }
  const float v17 = x0;
  const float v18 = __shfl_xor_sync(0xffffffffu, v17, 16);
  const float v19 = v17 + v18;
  const float v20 = __shfl_xor_sync(0xffffffffu, v19, 8);
  const float v21 = v19 + v20;
  const float v22 = __shfl_xor_sync(0xffffffffu, v21, 4);
  const float v23 = v21 + v22;
  const float v24 = __shfl_xor_sync(0xffffffffu, v23, 2);
  const float v25 = v23 + v24;
  const float v26 = __shfl_xor_sync(0xffffffffu, v25, 1);
  const float v27 = v25 + v26;
  const int v29 = thread & 31;
  const int v31 = thread >> 5;
  const bool v32 = v29 == 0;
  if (v32) {
    w0[v31] = v27;
  }
  __syncthreads();
  const int v34 = v29 & 7;
  const float v35 = w0[v34];
  const float v36 = __shfl_xor_sync(0xffffffffu, v35, 4);
  const float v37 = v35 + v36;
  const float v38 = __shfl_xor_sync(0xffffffffu, v37, 2);
  const float v39 = v37 + v38;
  const float v40 = __shfl_xor_sync(0xffffffffu, v39, 1);
  const float v41 = v39 + v40;
  __syncthreads();
  const double v42 = (double)v41;
  const double v46 = v42 / 768.0;
  const float v47 = (float)v46;
  x1 = 0.0f;
  #pragma unroll 3
  for (int v48 = 0; v48 < 3; v48 += 1) {
    const int v49 = (int)((unsigned)v48 * (unsigned)256);
    const int v50 = (int)((unsigned)v49 + (unsigned)thread);
    const float v51 = r0[v48];
    const float v53 = v51 - v47;
    const float v54 = v53 * v53;
    const float v55 = x1;
    const float v56 = v55 + v54;
    x1 = v56;
  }
  const float v57 = x1;
  const float v58 = __shfl_xor_sync(0xffffffffu, v57, 16);
  const float v59 = v57 + v58;
  const float v60 = __shfl_xor_sync(0xffffffffu, v59, 8);
  const float v61 = v59 + v60;
  const float v62 = __shfl_xor_sync(0xffffffffu, v61, 4);
  const float v63 = v61 + v62;
  const float v64 = __shfl_xor_sync(0xffffffffu, v63, 2);
  const float v65 = v63 + v64;
  const float v66 = __shfl_xor_sync(0xffffffffu, v65, 1);
  const float v67 = v65 + v66;
  if (v32) {
    w0[v31] = v67;
  }
  __syncthreads();
  const float v68 = w0[v34];
  const float v69 = __shfl_xor_sync(0xffffffffu, v68, 4);
  const float v70 = v68 + v69;
  const float v71 = __shfl_xor_sync(0xffffffffu, v70, 2);
  const float v72 = v70 + v71;
  const float v73 = __shfl_xor_sync(0xffffffffu, v72, 1);
  const float v74 = v72 + v73;
  __syncthreads();
  const double v75 = (double)v74;
  const double v76 = v75 / 768.0;
  const double v78 = v76 + 1e-5;
  const double v79 = sqrt(v78);
  const double v80 = 1.0 / v79;
  const float v81 = (float)v80;
  #pragma unroll 3
  for (int v82 = 0; v82 < 3; v82 += 1) {
    const int v83 = (int)((unsigned)v82 * (unsigned)256);
    const int v84 = (int)((unsigned)v83 + (unsigned)thread);
    const float v85 = r0[v82];
    const float v86 = v85 - v47;
    const float v87 = v86 * v81;
    const float v88 = b1[v84];
    const float v89 = b2[v84];
    const float v90 = fmaf(v87, v88, v89);
    const int v91 = (int)((unsigned)v12 + (unsigned)v84);
    b3[v91] = (float)v90;
  }
}
