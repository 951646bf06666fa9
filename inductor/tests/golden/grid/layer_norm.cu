extern "C" __global__ void __launch_bounds__(256)
k_layer_norm(const float* __restrict__ b0, const float* __restrict__ b1, const float* __restrict__ b2, float* __restrict__ b3) {
  __shared__ __align__(16) float w0[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = 0.0f;
  const int v9 = (int)((unsigned)group * (unsigned)768);
  for (int v8 = thread; v8 < 768; v8 += 256) {
    const int v10 = (int)((unsigned)v9 + (unsigned)v8);
    const float v11 = b0[v10];
    const float v12 = x0;
    const float v13 = v12 + v11;
    x0 = v13;
  }
  const float v14 = x0;
  const float v15 = __shfl_xor_sync(0xffffffffu, v14, 16);
  const float v16 = v14 + v15;
  const float v17 = __shfl_xor_sync(0xffffffffu, v16, 8);
  const float v18 = v16 + v17;
  const float v19 = __shfl_xor_sync(0xffffffffu, v18, 4);
  const float v20 = v18 + v19;
  const float v21 = __shfl_xor_sync(0xffffffffu, v20, 2);
  const float v22 = v20 + v21;
  const float v23 = __shfl_xor_sync(0xffffffffu, v22, 1);
  const float v24 = v22 + v23;
  const int v26 = thread & 31;
  const int v28 = thread >> 5;
  const bool v29 = v26 == 0;
  if (v29) {
    w0[v28] = v24;
  }
  __syncthreads();
  const int v31 = v26 & 7;
  const float v32 = w0[v31];
  const float v33 = __shfl_xor_sync(0xffffffffu, v32, 4);
  const float v34 = v32 + v33;
  const float v35 = __shfl_xor_sync(0xffffffffu, v34, 2);
  const float v36 = v34 + v35;
  const float v37 = __shfl_xor_sync(0xffffffffu, v36, 1);
  const float v38 = v36 + v37;
  __syncthreads();
  const double v39 = (double)v38;
  const double v43 = v39 / 768.0;
  const float v44 = (float)v43;
  x1 = 0.0f;
  for (int v45 = thread; v45 < 768; v45 += 256) {
    const int v46 = (int)((unsigned)v9 + (unsigned)v45);
    const float v47 = b0[v46];
    const float v49 = v47 - v44;
    const float v50 = v49 * v49;
    const float v51 = x1;
    const float v52 = v51 + v50;
    x1 = v52;
  }
  const float v53 = x1;
  const float v54 = __shfl_xor_sync(0xffffffffu, v53, 16);
  const float v55 = v53 + v54;
  const float v56 = __shfl_xor_sync(0xffffffffu, v55, 8);
  const float v57 = v55 + v56;
  const float v58 = __shfl_xor_sync(0xffffffffu, v57, 4);
  const float v59 = v57 + v58;
  const float v60 = __shfl_xor_sync(0xffffffffu, v59, 2);
  const float v61 = v59 + v60;
  const float v62 = __shfl_xor_sync(0xffffffffu, v61, 1);
  const float v63 = v61 + v62;
  if (v29) {
    w0[v28] = v63;
  }
  __syncthreads();
  const float v64 = w0[v31];
  const float v65 = __shfl_xor_sync(0xffffffffu, v64, 4);
  const float v66 = v64 + v65;
  const float v67 = __shfl_xor_sync(0xffffffffu, v66, 2);
  const float v68 = v66 + v67;
  const float v69 = __shfl_xor_sync(0xffffffffu, v68, 1);
  const float v70 = v68 + v69;
  __syncthreads();
  const double v71 = (double)v70;
  const double v72 = v71 / 768.0;
  const double v74 = v72 + 1e-5;
  const double v75 = sqrt(v74);
  const double v76 = 1.0 / v75;
  const float v77 = (float)v76;
  for (int v78 = thread; v78 < 768; v78 += 256) {
    const int v79 = (int)((unsigned)v9 + (unsigned)v78);
    const float v80 = b0[v79];
    const float v81 = v80 - v44;
    const float v82 = v81 * v77;
    const float v83 = b1[v78];
    const float v84 = b2[v78];
    const float v85 = fmaf(v82, v83, v84);
    b3[v79] = (float)v85;
  }
}
