extern "C" __global__ void __launch_bounds__(256)
k_softmax(const float* __restrict__ b0, float* __restrict__ b1) {
  __shared__ __align__(16) float w0[200];
  __shared__ __align__(16) float w1[8];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = __uint_as_float(0xff800000u);
  const bool v8 = thread < 200;
  const int v9 = (int)((unsigned)group * (unsigned)200);
  const int v10 = (int)((unsigned)v9 + (unsigned)thread);
  if (v8) {
    const float v11 = b0[v10];
    const float v12 = x0;
    const bool v13 = v12 != v12;
    const bool v14 = v12 >= v11;
    const bool v15 = v13 | v14;
    const float v16 = v15 ? v12 : v11;
    x0 = v16;
  }
  const float v17 = x0;
  const float v18 = __shfl_xor_sync(0xffffffffu, v17, 16);
  const bool v19 = v17 != v17;
  const bool v20 = v17 >= v18;
  const bool v21 = v19 | v20;
  const float v22 = v21 ? v17 : v18;
  const float v23 = __shfl_xor_sync(0xffffffffu, v22, 8);
  const bool v24 = v22 != v22;
  const bool v25 = v22 >= v23;
  const bool v26 = v24 | v25;
  const float v27 = v26 ? v22 : v23;
  const float v28 = __shfl_xor_sync(0xffffffffu, v27, 4);
  const bool v29 = v27 != v27;
  const bool v30 = v27 >= v28;
  const bool v31 = v29 | v30;
  const float v32 = v31 ? v27 : v28;
  const float v33 = __shfl_xor_sync(0xffffffffu, v32, 2);
  const bool v34 = v32 != v32;
  const bool v35 = v32 >= v33;
  const bool v36 = v34 | v35;
  const float v37 = v36 ? v32 : v33;
  const float v38 = __shfl_xor_sync(0xffffffffu, v37, 1);
  const bool v39 = v37 != v37;
  const bool v40 = v37 >= v38;
  const bool v41 = v39 | v40;
  const float v42 = v41 ? v37 : v38;
  const int v44 = thread & 31;
  const int v46 = thread >> 5;
  const bool v47 = v44 == 0;
  if (v47) {
    w1[v46] = v42;
  }
  __syncthreads();
  const int v49 = v44 & 7;
  const float v50 = w1[v49];
  const float v51 = __shfl_xor_sync(0xffffffffu, v50, 4);
  const bool v52 = v50 != v50;
  const bool v53 = v50 >= v51;
  const bool v54 = v52 | v53;
  const float v55 = v54 ? v50 : v51;
  const float v56 = __shfl_xor_sync(0xffffffffu, v55, 2);
  const bool v57 = v55 != v55;
  const bool v58 = v55 >= v56;
  const bool v59 = v57 | v58;
  const float v60 = v59 ? v55 : v56;
  const float v61 = __shfl_xor_sync(0xffffffffu, v60, 1);
  const bool v62 = v60 != v60;
  const bool v63 = v60 >= v61;
  const bool v64 = v62 | v63;
  const float v65 = v64 ? v60 : v61;
  __syncthreads();
  x1 = 0.0f;
  if (v8) {
    const float v67 = b0[v10];
    const float v69 = v67 - v65;
    const float v70 = expf(v69);
    w0[thread] = v70;
    const float v71 = x1;
    const float v72 = v71 + v70;
    x1 = v72;
  }
  const float v73 = x1;
  const float v74 = __shfl_xor_sync(0xffffffffu, v73, 16);
  const float v75 = v73 + v74;
  const float v76 = __shfl_xor_sync(0xffffffffu, v75, 8);
  const float v77 = v75 + v76;
  const float v78 = __shfl_xor_sync(0xffffffffu, v77, 4);
  const float v79 = v77 + v78;
  const float v80 = __shfl_xor_sync(0xffffffffu, v79, 2);
  const float v81 = v79 + v80;
  const float v82 = __shfl_xor_sync(0xffffffffu, v81, 1);
  const float v83 = v81 + v82;
  if (v47) {
    w1[v46] = v83;
  }
  __syncthreads();
  const float v84 = w1[v49];
  const float v85 = __shfl_xor_sync(0xffffffffu, v84, 4);
  const float v86 = v84 + v85;
  const float v87 = __shfl_xor_sync(0xffffffffu, v86, 2);
  const float v88 = v86 + v87;
  const float v89 = __shfl_xor_sync(0xffffffffu, v88, 1);
  const float v90 = v88 + v89;
  __syncthreads();
  if (v8) {
    const float v91 = w0[thread];
    const float v92 = v91 / v90;
    b1[v10] = (float)v92;
  }
}
