extern "C" __global__ void __launch_bounds__(256)
k_clone(const float* b0, float* b1) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v8 = v4 < 960;
  const int v12 = v4 / 40;
  const int v13 = (int)((unsigned)v12 * (unsigned)40);
  const int v14 = (int)((unsigned)v4 - (unsigned)v13);
  const int v16 = (int)((unsigned)v14 * (unsigned)24);
  const int v17 = (int)((unsigned)v12 + (unsigned)v16);
  if (v8) {
    const float v9 = b0[v4];
    b1[v17] = (float)v9;
  }
}
