extern "C" __global__ void __launch_bounds__(256)
k_mean_pieces(const float* __restrict__ b0, float* __restrict__ b2) {
  __shared__ __align__(16) float w0[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = group >> 2;
  const int v5 = group & 3;
  const int v10 = (int)((unsigned)v5 * (unsigned)5000);
  const int v11 = (int)((unsigned)v10 + (unsigned)5000);
  const int v12 = min(v11, 20000);
  x0 = 0.0f;
  const int v16 = (int)((unsigned)thread * (unsigned)4);
  const int v17 = (int)((unsigned)v10 + (unsigned)v16);
  #pragma unroll 4
  for (int v19 = v17; v19 < v12; v19 += 1024) {
    const float4 v21_all = *(const float4*)&b0[v19];
    const float v21 = v21_all.x;
    const float v22 = v21_all.y;
    const float v23 = v21_all.z;
    const float v24 = v21_all.w;
    const float v25 = x0;
    const float v26 = v25 + v21;
    x0 = v26;
    const int v27 = (int)((unsigned)v19 + (unsigned)1);
    const float v28 = x0;
    const float v29 = v28 + v22;
    x0 = v29;
    const int v30 = (int)((unsigned)v19 + (unsigned)2);
    const float v31 = x0;
    const float v32 = v31 + v23;
    x0 = v32;
    const int v33 = (int)((unsigned)v19 + (unsigned)3);
    const float v34 = x0;
    const float v35 = v34 + v24;
    x0 = v35;
  }
  const float v36 = x0;
  const float v37 = __shfl_xor_sync(0xffffffffu, v36, 16);
  const float v38 = v36 + v37;
  const float v39 = __shfl_xor_sync(0xffffffffu, v38, 8);
  const float v40 = v38 + v39;
  const float v41 = __shfl_xor_sync(0xffffffffu, v40, 4);
  const float v42 = v40 + v41;
  const float v43 = __shfl_xor_sync(0xffffffffu, v42, 2);
  const float v44 = v42 + v43;
  const float v45 = __shfl_xor_sync(0xffffffffu, v44, 1);
  const float v46 = v44 + v45;
  const int v48 = thread & 31;
  const int v50 = thread >> 5;
  const bool v51 = v48 == 0;
  if (v51) {
    w0[v50] = v46;
  }
  __syncthreads();
  const int v53 = v48 & 7;
  const float v54 = w0[v53];
  const float v55 = __shfl_xor_sync(0xffffffffu, v54, 4);
  const float v56 = v54 + v55;
  const float v57 = __shfl_xor_sync(0xffffffffu, v56, 2);
  const float v58 = v56 + v57;
  const float v59 = __shfl_xor_sync(0xffffffffu, v58, 1);
  const float v60 = v58 + v59;
  __syncthreads();
  const bool v61 = thread == 0;
  if (v61) {
    b2[group] = (float)v60;
  }
}

extern "C" __global__ void __launch_bounds__(32)
k_mean_rest(float* __restrict__ b1, const float* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  x0 = 0.0f;
  const int v7 = (int)((unsigned)group * (unsigned)4);
  for (int v8 = thread; v8 < 4; v8 += 32) {
    const int v9 = (int)((unsigned)v7 + (unsigned)v8);
    const float v10 = b2[v9];
    const float v11 = x0;
    const float v12 = v11 + v10;
    x0 = v12;
  }
  const float v13 = x0;
  const float v14 = __shfl_xor_sync(0xffffffffu, v13, 16);
  const float v15 = v13 + v14;
  const float v16 = __shfl_xor_sync(0xffffffffu, v15, 8);
  const float v17 = v15 + v16;
  const float v18 = __shfl_xor_sync(0xffffffffu, v17, 4);
  const float v19 = v17 + v18;
  const float v20 = __shfl_xor_sync(0xffffffffu, v19, 2);
  const float v21 = v19 + v20;
  const float v22 = __shfl_xor_sync(0xffffffffu, v21, 1);
  const float v23 = v21 + v22;
  const float v26 = v23 / 20000.0f;
  const bool v27 = thread == 0;
  if (v27) {
    b1[0] = (float)v26;
  }
}
