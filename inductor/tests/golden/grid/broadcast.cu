extern "C" __global__ void __launch_bounds__(256)
k_add_mul(const float* __restrict__ b0, const float* __restrict__ b1, const float* __restrict__ b2, float* __restrict__ b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 600;
  const unsigned v11 = (unsigned)v5;
  const unsigned v13 = v11 / 0x14u;
  const int v14 = (int)v13;
  const int v15 = (int)((unsigned)v14 * (unsigned)20);
  const int v16 = (int)((unsigned)v5 - (unsigned)v15);
  if (v8) {
    const float v9 = b0[v5];
    const float v17 = b1[v16];
    const float v18 = b2[v14];
    const float v21 = v9 + v17;
    const float v22 = v21 * v18;
    b3[v5] = (float)v22;
  }
}
