extern "C" __global__ void __launch_bounds__(64)
k_rms_norm(const unsigned short* b0, const unsigned short* b1, unsigned short* b2) {
  __shared__ float w0[64];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  x0 = 0.0f;
  const int v7 = (int)((unsigned)group * (unsigned)64);
  const int v8 = (int)((unsigned)v7 + (unsigned)thread);
  const unsigned v9 = b0[v8];
  const unsigned v11 = v9 << 0x10u;
  const float v12 = __uint_as_float(v11);
  const float v14 = v12 * v12;
  const float v15 = x0;
  const float v16 = v15 + v14;
  x0 = v16;
  const float v17 = x0;
  w0[thread] = v17;
  __syncthreads();
  const bool v19 = thread < 32;
  const int v20 = (int)((unsigned)thread + (unsigned)32);
  if (v19) {
    const float v21 = w0[thread];
    const float v22 = w0[v20];
    const float v23 = v21 + v22;
    w0[thread] = v23;
  }
  __syncthreads();
  const bool v25 = thread < 16;
  const int v26 = (int)((unsigned)thread + (unsigned)16);
  if (v25) {
    const float v27 = w0[thread];
    const float v28 = w0[v26];
    const float v29 = v27 + v28;
    w0[thread] = v29;
  }
  __syncthreads();
  const bool v31 = thread < 8;
  const int v32 = (int)((unsigned)thread + (unsigned)8);
  if (v31) {
    const float v33 = w0[thread];
    const float v34 = w0[v32];
    const float v35 = v33 + v34;
    w0[thread] = v35;
  }
  __syncthreads();
  const bool v37 = thread < 4;
  const int v38 = (int)((unsigned)thread + (unsigned)4);
  if (v37) {
    const float v39 = w0[thread];
    const float v40 = w0[v38];
    const float v41 = v39 + v40;
    w0[thread] = v41;
  }
  __syncthreads();
  const bool v43 = thread < 2;
  const int v44 = (int)((unsigned)thread + (unsigned)2);
  if (v43) {
    const float v45 = w0[thread];
    const float v46 = w0[v44];
    const float v47 = v45 + v46;
    w0[thread] = v47;
  }
  __syncthreads();
  const bool v48 = thread < 1;
  const int v49 = (int)((unsigned)thread + (unsigned)1);
  if (v48) {
    const float v50 = w0[thread];
    const float v51 = w0[v49];
    const float v52 = v50 + v51;
    w0[thread] = v52;
  }
  __syncthreads();
  const float v53 = w0[0];
  __syncthreads();
  const float v55 = v53 / 64.0f;
  const float v57 = v55 + 1e-6f;
  const float v58 = sqrtf(v57);
  const float v59 = 1.0f / v58;
  const unsigned v60 = b0[v8];
  const unsigned v61 = v60 << 0x10u;
  const float v62 = __uint_as_float(v61);
  const float v63 = v62 * v59;
  const unsigned v64 = b1[thread];
  const unsigned v66 = v64 & 0x8000u;
  const unsigned v67 = v66 << 0x10u;
  const unsigned v69 = v64 & 0x7fffu;
  const unsigned v71 = v69 << 0xdu;
  const unsigned v73 = v71 + 0x38000000u;
  const unsigned v74 = v73 + 0x38000000u;
  const int v75 = (int)v69;
  const float v76 = (float)v75;
  const float v78 = v76 * 5.9604645e-8f;
  const unsigned v79 = __float_as_uint(v78);
  const bool v81 = v69 >= 0x7c00u;
  const unsigned v82 = v81 ? v74 : v73;
  const bool v84 = v69 < 0x400u;
  const unsigned v85 = v84 ? v79 : v82;
  const unsigned v86 = v85 | v67;
  const float v87 = __uint_as_float(v86);
  const float v88 = v63 * v87;
  const unsigned v89 = __float_as_uint(v88);
  const unsigned v90 = v89 >> 0x10u;
  const unsigned v92 = v90 & 0x1u;
  const unsigned v93 = v89 + 0x7fffu;
  const unsigned v94 = v93 + v92;
  const unsigned v95 = v94 >> 0x10u;
  const int v96 = __float_as_int(v88);
  const int v98 = v96 & 2147483647;
  const bool v100 = v98 > 2139095040;
  const unsigned v102 = v100 ? 0x7fc0u : v95;
  b2[v8] = (unsigned short)v102;
}
