extern "C" __global__ void __launch_bounds__(256)
k_cumsum(const float* __restrict__ b0, float* __restrict__ b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 4;
  const int v11 = (int)((unsigned)v5 * (unsigned)9);
  const int v17 = (int)((unsigned)v11 + (unsigned)-1);
  if (v8) {
    for (int v10 = 0; v10 < 9; v10 += 1) {
      const int v12 = (int)((unsigned)v11 + (unsigned)v10);
      const float v13 = b0[v12];
      const bool v14 = v10 > 0;
      x0 = 0.0f;
      const int v18 = (int)((unsigned)v17 + (unsigned)v10);
      if (v14) {
        const float v19 = b1[v18];
        x0 = v19;
      }
      const float v20 = x0;
      const float v22 = v20 + v13;
      b1[v12] = (float)v22;
    }
  }
}
