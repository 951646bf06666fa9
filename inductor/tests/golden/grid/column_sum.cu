extern "C" __global__ void __launch_bounds__(256)
k_sum(const float* __restrict__ b0, float* __restrict__ b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v8 = v4 < 32;
  if (v8) {
    x0 = 0.0f;
    for (int v11 = 0; v11 < 64; v11 += 1) {
      const int v12 = (int)((unsigned)v11 * (unsigned)32);
      const int v13 = (int)((unsigned)v4 + (unsigned)v12);
      const float v14 = b0[v13];
      const float v15 = x0;
      const float v16 = v15 + v14;
      x0 = v16;
    }
    const float v17 = x0;
    b1[v4] = (float)v17;
  }
}
