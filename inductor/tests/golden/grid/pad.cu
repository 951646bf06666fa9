extern "C" __global__ void __launch_bounds__(256)
k_constant_pad(const float* __restrict__ b0, float* __restrict__ b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 156;
  const unsigned v12 = (unsigned)v5;
  const unsigned v14 = v12 / 0x1au;
  const int v15 = (int)v14;
  const int v16 = (int)((unsigned)v15 * (unsigned)26);
  const int v17 = (int)((unsigned)v5 - (unsigned)v16);
  const bool v18 = v17 >= 3;
  const bool v19 = v17 < 13;
  const bool v20 = v18 & v19;
  const int v23 = (int)((unsigned)v15 * (unsigned)10);
  const int v25 = (int)((unsigned)v17 + (unsigned)v23);
  const int v26 = (int)((unsigned)v25 + (unsigned)-3);
  if (v8) {
    x0 = 0.0f;
    if (v20) {
      const float v27 = b0[v26];
      x0 = v27;
    }
    const float v28 = x0;
    b1[v5] = (float)v28;
  }
}
