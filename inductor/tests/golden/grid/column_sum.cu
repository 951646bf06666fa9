extern "C" __global__ void __launch_bounds__(256)
k_sum_pieces(const float* __restrict__ b0, float* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v6 = v4 < 64;
  const int v9 = v4 >> 5;
  const int v11 = v4 & 31;
  const int v12 = (int)((unsigned)v9 * (unsigned)32);
  const int v13 = (int)((unsigned)v12 + (unsigned)32);
  const int v14 = min(v13, 64);
  if (v6) {
    x0 = 0.0f;
    for (int v18 = v12; v18 < v14; v18 += 1) {
      const int v19 = (int)((unsigned)v18 * (unsigned)32);
      const int v20 = (int)((unsigned)v11 + (unsigned)v19);
      const float v21 = b0[v20];
      const float v22 = x0;
      const float v23 = v22 + v21;
      x0 = v23;
    }
    const float v24 = x0;
    b2[v4] = (float)v24;
  }
}

extern "C" __global__ void __launch_bounds__(256)
k_sum_rest(float* __restrict__ b1, const float* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = (int)((unsigned)group * (unsigned)256);
  const int v4 = (int)((unsigned)v3 + (unsigned)thread);
  const bool v6 = v4 < 32;
  if (v6) {
    x0 = 0.0f;
    for (int v11 = 0; v11 < 2; v11 += 1) {
      const int v12 = (int)((unsigned)v11 * (unsigned)32);
      const int v13 = (int)((unsigned)v12 + (unsigned)v4);
      const float v14 = b2[v13];
      const float v15 = x0;
      const float v16 = v15 + v14;
      x0 = v16;
    }
    const float v17 = x0;
    b1[v4] = (float)v17;
  }
}
