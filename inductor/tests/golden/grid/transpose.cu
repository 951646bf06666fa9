extern "C" __global__ void __launch_bounds__(256)
k_clone(const float* __restrict__ b0, float* __restrict__ b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 960;
  const unsigned v12 = (unsigned)v5;
  const unsigned v14 = v12 / 0x28u;
  const int v15 = (int)v14;
  const int v16 = (int)((unsigned)v15 * (unsigned)40);
  const int v17 = (int)((unsigned)v5 - (unsigned)v16);
  const int v19 = (int)((unsigned)v17 * (unsigned)24);
  const int v20 = (int)((unsigned)v15 + (unsigned)v19);
  if (v8) {
    const float v9 = b0[v5];
    b1[v20] = (float)v9;
  }
}
