extern "C" __global__ void __launch_bounds__(256)
k_arange_sub(const long long* __restrict__ b0, long long* __restrict__ b1, long long* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int v4 = (int)((unsigned)group * (unsigned)256);
  const int v5 = (int)((unsigned)v4 + (unsigned)thread);
  const bool v8 = v5 < 90;
  const int v11 = (int)((unsigned)v5 * (unsigned)-1);
  const int v12 = (int)((unsigned)v11 + (unsigned)90);
  const int v14 = v12 / 7;
  const int v15 = (int)((unsigned)v14 * (unsigned)7);
  const int v16 = (int)((unsigned)v12 - (unsigned)v15);
  const bool v17 = v16 < 0;
  const bool v19 = v17 != false;
  const bool v20 = v16 != 0;
  const bool v21 = v20 & v19;
  const int v22 = (int)((unsigned)v16 + (unsigned)7);
  const int v23 = v21 ? v22 : v16;
  const long long v25 = (long long)v23;
  const long long v26 = (long long)v12;
  if (v8) {
    const long long v9 = b0[v5];
    b1[v5] = (long long)v25;
    const long long v28 = min(v9, v26);
    const long long v30 = max(v28, 7LL);
    b2[v5] = (long long)v30;
  }
}
