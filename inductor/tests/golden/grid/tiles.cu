extern "C" __global__ void __launch_bounds__(256)
k_tiles(const float* __restrict__ b0, const float* __restrict__ b1, float* __restrict__ b2) {
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned v3 = (unsigned)group;
  const unsigned v5 = v3 / 0x9u;
  const int v6 = (int)v5;
  const int v7 = (int)((unsigned)v6 * (unsigned)9);
  const int v8 = (int)((unsigned)group - (unsigned)v7);
  const int v10 = (int)((unsigned)v8 * (unsigned)32);
  const unsigned v12 = (unsigned)v6;
  const unsigned v14 = v12 / 0xau;
  const int v15 = (int)v14;
  const int v16 = (int)((unsigned)v15 * (unsigned)10);
  const int v17 = (int)((unsigned)v6 - (unsigned)v16);
  const int v18 = (int)((unsigned)v17 * (unsigned)32);
  const int v21 = thread & 31;
  const int v23 = thread >> 5;
  const int v29 = (int)((unsigned)v18 + (unsigned)v21);
  const bool v31 = v29 < 300;
  const int v34 = (int)((unsigned)v29 * (unsigned)260);
  for (int v25 = v23; v25 < 32; v25 += 8) {
    const int v26 = (int)((unsigned)v10 + (unsigned)v25);
    const bool v28 = v26 < 260;
    const bool v32 = v28 & v31;
    const int v36 = (int)((unsigned)v34 + (unsigned)v26);
    const int v41 = (int)((unsigned)v26 * (unsigned)300);
    const int v42 = (int)((unsigned)v29 + (unsigned)v41);
    if (v32) {
      const float v33 = b1[v29];
      const float v37 = b0[v36];
      const float v40 = v33 + v37;
      b2[v42] = (float)v40;
    }
  }
}
