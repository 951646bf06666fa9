extern "C" __global__ void __launch_bounds__(256)
k_constant_pad(const float* b0, float* b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v8 = v4 < 156;
  const int v12 = v4 / 26;
  const int v13 = (int)((unsigned)v12 * (unsigned)26);
  const int v14 = (int)((unsigned)v4 - (unsigned)v13);
  const bool v15 = v14 >= 3;
  const bool v16 = v14 < 13;
  const bool v17 = v15 & v16;
  const int v20 = (int)((unsigned)v12 * (unsigned)10);
  const int v22 = (int)((unsigned)v14 + (unsigned)v20);
  const int v23 = (int)((unsigned)v22 + (unsigned)-3);
  if (v8) {
    x0 = 0.0f;
    if (v17) {
      const float v24 = b0[v23];
      x0 = v24;
    }
    const float v25 = x0;
    b1[v4] = (float)v25;
  }
}
