extern "C" __global__ void __launch_bounds__(256)
k_index_put(const long long* __restrict__ b0, const float* __restrict__ b1, float* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 300;
  if (v8) {
    const long long v9 = b0[v5];
    const int v10 = (int)v9;
    const float v11 = b1[v5];
    atomicAdd(&b2[v10], v11);
  }
}
