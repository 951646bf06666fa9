extern "C" __global__ void __launch_bounds__(256)
k_softmax(const float* __restrict__ b0, float* __restrict__ b1) {
  __shared__ __align__(16) float w0[8];
  float r0[1];
  float r1[1];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = __uint_as_float(0xff800000u);
  const bool v9 = thread < 200;
  const int v10 = (int)((unsigned)group * (unsigned)200);
  const int v11 = (int)((unsigned)v10 + (unsigned)thread);
  if (v9) {
    const float v12 = b0[v11];
    r1[0] = v12;
    const float v13 = x0;
    const float v14 = maximumf(v13, v12);
    x0 = v14;
  }
  const float v15 = x0;
  const float v16 = __shfl_xor_sync(0xffffffffu, v15, 16);
  const float v17 = maximumf(v15, v16);
  const float v18 = __shfl_xor_sync(0xffffffffu, v17, 8);
  const float v19 = maximumf(v17, v18);
  const float v20 = __shfl_xor_sync(0xffffffffu, v19, 4);
  const float v21 = maximumf(v19, v20);
  const float v22 = __shfl_xor_sync(0xffffffffu, v21, 2);
  const float v23 = maximumf(v21, v22);
  const float v24 = __shfl_xor_sync(0xffffffffu, v23, 1);
  const float v25 = maximumf(v23, v24);
  const int v27 = thread & 31;
  const int v29 = thread >> 5;
  const bool v30 = v27 == 0;
  if (v30) {
    w0[v29] = v25;
  }
  __syncthreads();
  const int v32 = v27 & 7;
  const float v33 = w0[v32];
  const float v34 = __shfl_xor_sync(0xffffffffu, v33, 4);
  const float v35 = maximumf(v33, v34);
  const float v36 = __shfl_xor_sync(0xffffffffu, v35, 2);
  const float v37 = maximumf(v35, v36);
  const float v38 = __shfl_xor_sync(0xffffffffu, v37, 1);
  const float v39 = maximumf(v37, v38);
  __syncthreads();
  x1 = 0.0f;
  if (v9) {
    const float v41 = r1[0];
    const float v43 = v41 - v39;
    const float v44 = expf(v43);
    r0[0] = v44;
    const float v45 = x1;
    const float v46 = v45 + v44;
    x1 = v46;
  }
  const float v47 = x1;
  const float v48 = __shfl_xor_sync(0xffffffffu, v47, 16);
  const float v49 = v47 + v48;
  const float v50 = __shfl_xor_sync(0xffffffffu, v49, 8);
  const float v51 = v49 + v50;
  const float v52 = __shfl_xor_sync(0xffffffffu, v51, 4);
  const float v53 = v51 + v52;
  const float v54 = __shfl_xor_sync(0xffffffffu, v53, 2);
  const float v55 = v53 + v54;
  const float v56 = __shfl_xor_sync(0xffffffffu, v55, 1);
  const float v57 = v55 + v56;
  if (v30) {
    w0[v29] = v57;
  }
  __syncthreads();
  const float v58 = w0[v32];
  const float v59 = __shfl_xor_sync(0xffffffffu, v58, 4);
  const float v60 = v58 + v59;
  const float v61 = __shfl_xor_sync(0xffffffffu, v60, 2);
  const float v62 = v60 + v61;
  const float v63 = __shfl_xor_sync(0xffffffffu, v62, 1);
  const float v64 = v62 + v63;
  __syncthreads();
  if (v9) {
    const float v65 = r0[0];
    const float v66 = v65 / v64;
    b1[v11] = (float)v66;
  }
}
