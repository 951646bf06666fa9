extern "C" __global__ void __launch_bounds__(256)
k_add_mul(const float* b0, const float* b1, const float* b2, float* b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v8 = v4 < 600;
  const int v11 = v4 / 20;
  const int v12 = (int)((unsigned)v11 * (unsigned)20);
  const int v13 = (int)((unsigned)v4 - (unsigned)v12);
  if (v8) {
    const float v9 = b0[v4];
    const float v14 = b1[v13];
    const float v15 = b2[v11];
    const float v18 = v9 + v14;
    const float v19 = v18 * v15;
    b3[v4] = (float)v19;
  }
}
