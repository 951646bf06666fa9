extern "C" __global__ void __launch_bounds__(256)
k_embedding(const long long* __restrict__ b0, unsigned char* __restrict__ b1, const float* __restrict__ b2, float* __restrict__ b3) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 192;
  const int v11 = v5 >> 4;
  const int v29 = v5 & 15;
  if (v8) {
    const long long v12 = b0[v11];
    const bool v16 = v12 < 0LL;
    const long long v18 = (long long)((unsigned long long)v12 + (unsigned long long)50LL);
    const long long v19 = v16 ? v18 : v12;
    const bool v20 = v19 < 0LL;
    const bool v21 = v19 >= 50LL;
    const bool v22 = v20 | v21;
    const long long v24 = max(v19, 0LL);
    const long long v26 = min(v24, 49LL);
    const int v27 = (int)v26;
    if (v22) {
      b1[0] = (unsigned char)1;
    }
    const int v30 = (int)((unsigned)v27 * (unsigned)16);
    const int v31 = (int)((unsigned)v29 + (unsigned)v30);
    const float v32 = b2[v31];
    b3[v5] = (float)v32;
  }
}
