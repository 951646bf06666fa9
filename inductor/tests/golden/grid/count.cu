extern "C" __global__ void __launch_bounds__(256)
k_count_nonzero(const float* __restrict__ b0, long long* __restrict__ b1) {
  __shared__ __align__(16) long long w0[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  long long x0 = 0;
  x0 = 0LL;
  const int v10 = (int)((unsigned)group * (unsigned)300);
  for (int v9 = thread; v9 < 300; v9 += 256) {
    const int v11 = (int)((unsigned)v10 + (unsigned)v9);
    const float v12 = b0[v11];
    const bool v14 = v12 > 0.0f;
    const int v15 = (int)v14;
    const long long v16 = (long long)v15;
    const long long v17 = x0;
    const long long v18 = (long long)((unsigned long long)v17 + (unsigned long long)v16);
    x0 = v18;
  }
  const long long v19 = x0;
  const long long v20 = __shfl_xor_sync(0xffffffffu, v19, 16);
  const long long v21 = (long long)((unsigned long long)v19 + (unsigned long long)v20);
  const long long v22 = __shfl_xor_sync(0xffffffffu, v21, 8);
  const long long v23 = (long long)((unsigned long long)v21 + (unsigned long long)v22);
  const long long v24 = __shfl_xor_sync(0xffffffffu, v23, 4);
  const long long v25 = (long long)((unsigned long long)v23 + (unsigned long long)v24);
  const long long v26 = __shfl_xor_sync(0xffffffffu, v25, 2);
  const long long v27 = (long long)((unsigned long long)v25 + (unsigned long long)v26);
  const long long v28 = __shfl_xor_sync(0xffffffffu, v27, 1);
  const long long v29 = (long long)((unsigned long long)v27 + (unsigned long long)v28);
  const int v31 = thread & 31;
  const int v33 = thread >> 5;
  const bool v34 = v31 == 0;
  if (v34) {
    w0[v33] = v29;
  }
  __syncthreads();
  const int v36 = v31 & 7;
  const long long v37 = w0[v36];
  const long long v38 = __shfl_xor_sync(0xffffffffu, v37, 4);
  const long long v39 = (long long)((unsigned long long)v37 + (unsigned long long)v38);
  const long long v40 = __shfl_xor_sync(0xffffffffu, v39, 2);
  const long long v41 = (long long)((unsigned long long)v39 + (unsigned long long)v40);
  const long long v42 = __shfl_xor_sync(0xffffffffu, v41, 1);
  const long long v43 = (long long)((unsigned long long)v41 + (unsigned long long)v42);
  __syncthreads();
  const bool v44 = thread == 0;
  if (v44) {
    b1[group] = (long long)v43;
  }
}
