extern "C" __global__ void __launch_bounds__(256)
k_tiles(const float* __restrict__ b0, const float* __restrict__ b1, float* __restrict__ b2) {
  __shared__ __align__(16) float w0[1056];
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
  const int v22 = thread & 31;
  const int v24 = thread >> 5;
  const int v27 = (int)((unsigned)v10 + (unsigned)v22);
  const bool v29 = v27 < 260;
  for (int v26 = v24; v26 < 32; v26 += 8) {
    const int v30 = (int)((unsigned)v18 + (unsigned)v26);
    const bool v32 = v30 < 300;
    const bool v33 = v29 & v32;
    const int v34 = (int)((unsigned)v26 * (unsigned)33);
    const int v35 = (int)((unsigned)v34 + (unsigned)v22);
    const int v36 = (int)((unsigned)v30 * (unsigned)260);
    const int v38 = (int)((unsigned)v27 + (unsigned)v36);
    if (v33) {
      const float v39 = b0[v38];
      w0[v35] = v39;
    }
  }
  __syncthreads();
  const int v43 = (int)((unsigned)v18 + (unsigned)v22);
  const bool v44 = v43 < 300;
  const int v46 = (int)((unsigned)v22 * (unsigned)33);
  for (int v40 = v24; v40 < 32; v40 += 8) {
    const int v41 = (int)((unsigned)v10 + (unsigned)v40);
    const bool v42 = v41 < 260;
    const bool v45 = v42 & v44;
    const int v47 = (int)((unsigned)v46 + (unsigned)v40);
    const int v53 = (int)((unsigned)v41 * (unsigned)300);
    const int v54 = (int)((unsigned)v43 + (unsigned)v53);
    if (v45) {
      const float v48 = b1[v43];
      const float v49 = w0[v47];
      const float v52 = v48 + v49;
      b2[v54] = (float)v52;
    }
  }
}
