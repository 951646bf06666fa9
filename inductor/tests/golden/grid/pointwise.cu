extern "C" __global__ void __launch_bounds__(256)
k_gelu(const float* __restrict__ b0, const float* __restrict__ b1, const float* __restrict__ b2, float* __restrict__ b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 10000;
  const unsigned v11 = (unsigned)v5;
  const unsigned v13 = v11 / 0x64u;
  const int v14 = (int)v13;
  const int v15 = (int)((unsigned)v14 * (unsigned)100);
  const int v16 = (int)((unsigned)v5 - (unsigned)v15);
  if (v8) {
    const float v9 = b0[v5];
    const float v17 = b1[v16];
    const float v18 = b2[v16];
    const float v21 = fmaf(v9, v17, v18);
    const float v23 = v21 * 0.70710677f;
    const float v24 = erff(v23);
    const float v25 = v24 + 1.0f;
    const float v27 = v21 * 0.5f;
    const float v28 = v27 * v25;
    b3[v5] = (float)v28;
  }
}
