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
  const int v32 = (int)((unsigned)v10 + (unsigned)v22);
  const bool v34 = v32 < 260;
  #pragma unroll 4
  for (int v28 = 0; v28 < 4; v28 += 1) {
    const int v30 = (int)((unsigned)v28 * (unsigned)8);
    const int v31 = (int)((unsigned)v30 + (unsigned)v24);
    const int v35 = (int)((unsigned)v18 + (unsigned)v31);
    const bool v37 = v35 < 300;
    const bool v38 = v34 & v37;
    const int v39 = (int)((unsigned)v31 * (unsigned)33);
    const int v40 = (int)((unsigned)v39 + (unsigned)v22);
    const int v41 = (int)((unsigned)v35 * (unsigned)260);
    const int v42 = (int)((unsigned)v32 + (unsigned)v41);
    if (v38) {
      const float v43 = b0[v42];
      w0[v40] = v43;
    }
  }
  __syncthreads();
  const int v49 = (int)((unsigned)v18 + (unsigned)v22);
  const bool v50 = v49 < 300;
  const int v52 = (int)((unsigned)v22 * (unsigned)33);
  #pragma unroll 4
  for (int v44 = 0; v44 < 4; v44 += 1) {
    const int v45 = (int)((unsigned)v44 * (unsigned)8);
    const int v46 = (int)((unsigned)v45 + (unsigned)v24);
    const int v47 = (int)((unsigned)v10 + (unsigned)v46);
    const bool v48 = v47 < 260;
    const bool v51 = v48 & v50;
    const int v53 = (int)((unsigned)v52 + (unsigned)v46);
    const int v59 = (int)((unsigned)v47 * (unsigned)300);
    const int v60 = (int)((unsigned)v49 + (unsigned)v59);
    if (v51) {
      const float v54 = b1[v49];
      const float v55 = w0[v53];
      const float v58 = v54 + v55;
      b2[v60] = (float)v58;
    }
  }
}
