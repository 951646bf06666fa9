extern "C" __global__ void __launch_bounds__(256)
k_where(const float* __restrict__ b0, const unsigned char* __restrict__ b1, unsigned char* __restrict__ b2, unsigned char* __restrict__ b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 102;
  const int v22 = (int)((unsigned)v5 * (unsigned)2);
  if (v8) {
    const float v9 = b0[v5];
    const int v10 = b1[v5];
    const bool v11 = v10 != 0;
    const bool v14 = v9 > 0.0f;
    const bool v15 = v14 & v11;
    const int v17 = (int)v15;
    b2[v5] = (unsigned char)v17;
    const int v18 = (int)v14;
    const int v20 = v18 & 255;
    if (v11) {
      b3[v22] = (unsigned char)v20;
    }
  }
}
