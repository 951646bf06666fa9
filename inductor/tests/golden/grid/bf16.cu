extern "C" __global__ void __launch_bounds__(64)
k_rms_norm(const unsigned short* __restrict__ b0, const unsigned short* __restrict__ b1, unsigned short* __restrict__ b2) {
  __shared__ __align__(16) float w0[2];
  unsigned r0[1];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  x0 = 0.0f;
  const int v7 = (int)((unsigned)group * (unsigned)64);
  const int v8 = (int)((unsigned)v7 + (unsigned)thread);
  const unsigned v9 = b0[v8];
  r0[0] = v9;
  const unsigned v11 = v9 << 0x10u;
  const float v12 = __uint_as_float(v11);
  const float v14 = v12 * v12;
  const float v15 = x0;
  const float v16 = v15 + v14;
  x0 = v16;
  const float v17 = x0;
  const float v18 = __shfl_xor_sync(0xffffffffu, v17, 16);
  const float v19 = v17 + v18;
  const float v20 = __shfl_xor_sync(0xffffffffu, v19, 8);
  const float v21 = v19 + v20;
  const float v22 = __shfl_xor_sync(0xffffffffu, v21, 4);
  const float v23 = v21 + v22;
  const float v24 = __shfl_xor_sync(0xffffffffu, v23, 2);
  const float v25 = v23 + v24;
  const float v26 = __shfl_xor_sync(0xffffffffu, v25, 1);
  const float v27 = v25 + v26;
  const int v29 = thread & 31;
  const int v31 = thread >> 5;
  const bool v32 = v29 == 0;
  if (v32) {
    w0[v31] = v27;
  }
  __syncthreads();
  const int v33 = v29 & 1;
  const float v34 = w0[v33];
  const float v35 = __shfl_xor_sync(0xffffffffu, v34, 1);
  const float v36 = v34 + v35;
  __syncthreads();
  const float v38 = v36 / 64.0f;
  const float v40 = v38 + 1e-6f;
  const float v41 = sqrtf(v40);
  const float v42 = 1.0f / v41;
  const unsigned v43 = r0[0];
  const unsigned v44 = v43 << 0x10u;
  const float v45 = __uint_as_float(v44);
  const float v46 = v45 * v42;
  const unsigned v47 = b1[thread];
  const float v48 = f16_value(v47);
  const float v49 = v46 * v48;
  const unsigned v50 = bf16_bits(v49);
  b2[v8] = (unsigned short)v50;
}
