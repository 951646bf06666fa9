extern "C" __global__ void __launch_bounds__(256)
k_gelu(const float* b0, const float* b1, const float* b2, float* b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v8 = v4 < 10000;
  const int v11 = v4 / 100;
  const int v12 = (int)((unsigned)v11 * (unsigned)100);
  const int v13 = (int)((unsigned)v4 - (unsigned)v12);
  if (v8) {
    const float v9 = b0[v4];
    const float v14 = b1[v13];
    const float v15 = b2[v13];
    const float v18 = fmaf(v9, v14, v15);
    const float v20 = v18 * 0.70710677f;
    const float v21 = erff(v20);
    const float v22 = v21 + 1.0f;
    const float v24 = v18 * 0.5f;
    const float v25 = v24 * v22;
    b3[v4] = (float)v25;
  }
}
