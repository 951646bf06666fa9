extern "C" __global__ void __launch_bounds__(256)
k_layer_norm(const float* b0, const float* b1, const float* b2, float* b3) {
  __shared__ float w0[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  float x1 = 0;
  x0 = 0.0f;
  const int v9 = (int)((unsigned)group * (unsigned)768);
  for (int v8 = thread; v8 < 768; v8 += 256) {
    const int v10 = (int)((unsigned)v9 + (unsigned)v8);
    const float v11 = b0[v10];
    const float v12 = x0;
    const float v13 = v12 + v11;
    x0 = v13;
  }
  const float v14 = x0;
  w0[thread] = v14;
  __syncthreads();
  const bool v16 = thread < 128;
  const int v17 = (int)((unsigned)thread + (unsigned)128);
  if (v16) {
    const float v18 = w0[thread];
    const float v19 = w0[v17];
    const float v20 = v18 + v19;
    w0[thread] = v20;
  }
  __syncthreads();
  const bool v22 = thread < 64;
  const int v23 = (int)((unsigned)thread + (unsigned)64);
  if (v22) {
    const float v24 = w0[thread];
    const float v25 = w0[v23];
    const float v26 = v24 + v25;
    w0[thread] = v26;
  }
  __syncthreads();
  const bool v28 = thread < 32;
  const int v29 = (int)((unsigned)thread + (unsigned)32);
  if (v28) {
    const float v30 = w0[thread];
    const float v31 = w0[v29];
    const float v32 = v30 + v31;
    w0[thread] = v32;
  }
  __syncthreads();
  const bool v34 = thread < 16;
  const int v35 = (int)((unsigned)thread + (unsigned)16);
  if (v34) {
    const float v36 = w0[thread];
    const float v37 = w0[v35];
    const float v38 = v36 + v37;
    w0[thread] = v38;
  }
  __syncthreads();
  const bool v40 = thread < 8;
  const int v41 = (int)((unsigned)thread + (unsigned)8);
  if (v40) {
    const float v42 = w0[thread];
    const float v43 = w0[v41];
    const float v44 = v42 + v43;
    w0[thread] = v44;
  }
  __syncthreads();
  const bool v46 = thread < 4;
  const int v47 = (int)((unsigned)thread + (unsigned)4);
  if (v46) {
    const float v48 = w0[thread];
    const float v49 = w0[v47];
    const float v50 = v48 + v49;
    w0[thread] = v50;
  }
  __syncthreads();
  const bool v52 = thread < 2;
  const int v53 = (int)((unsigned)thread + (unsigned)2);
  if (v52) {
    const float v54 = w0[thread];
    const float v55 = w0[v53];
    const float v56 = v54 + v55;
    w0[thread] = v56;
  }
  __syncthreads();
  const bool v57 = thread < 1;
  const int v58 = (int)((unsigned)thread + (unsigned)1);
  if (v57) {
    const float v59 = w0[thread];
    const float v60 = w0[v58];
    const float v61 = v59 + v60;
    w0[thread] = v61;
  }
  __syncthreads();
  const float v62 = w0[0];
  __syncthreads();
  const double v63 = (double)v62;
  const double v67 = v63 / 768.0;
  const float v68 = (float)v67;
  x1 = 0.0f;
  for (int v69 = thread; v69 < 768; v69 += 256) {
    const int v70 = (int)((unsigned)v9 + (unsigned)v69);
    const float v71 = b0[v70];
    const float v73 = v71 - v68;
    const float v74 = v73 * v73;
    const float v75 = x1;
    const float v76 = v75 + v74;
    x1 = v76;
  }
  const float v77 = x1;
  w0[thread] = v77;
  __syncthreads();
  if (v16) {
    const float v78 = w0[thread];
    const float v79 = w0[v17];
    const float v80 = v78 + v79;
    w0[thread] = v80;
  }
  __syncthreads();
  if (v22) {
    const float v81 = w0[thread];
    const float v82 = w0[v23];
    const float v83 = v81 + v82;
    w0[thread] = v83;
  }
  __syncthreads();
  if (v28) {
    const float v84 = w0[thread];
    const float v85 = w0[v29];
    const float v86 = v84 + v85;
    w0[thread] = v86;
  }
  __syncthreads();
  if (v34) {
    const float v87 = w0[thread];
    const float v88 = w0[v35];
    const float v89 = v87 + v88;
    w0[thread] = v89;
  }
  __syncthreads();
  if (v40) {
    const float v90 = w0[thread];
    const float v91 = w0[v41];
    const float v92 = v90 + v91;
    w0[thread] = v92;
  }
  __syncthreads();
  if (v46) {
    const float v93 = w0[thread];
    const float v94 = w0[v47];
    const float v95 = v93 + v94;
    w0[thread] = v95;
  }
  __syncthreads();
  if (v52) {
    const float v96 = w0[thread];
    const float v97 = w0[v53];
    const float v98 = v96 + v97;
    w0[thread] = v98;
  }
  __syncthreads();
  if (v57) {
    const float v99 = w0[thread];
    const float v100 = w0[v58];
    const float v101 = v99 + v100;
    w0[thread] = v101;
  }
  __syncthreads();
  const float v102 = w0[0];
  __syncthreads();
  const double v103 = (double)v102;
  const double v104 = v103 / 768.0;
  const double v106 = v104 + 1e-5;
  const double v107 = sqrt(v106);
  const double v108 = 1.0 / v107;
  const float v109 = (float)v108;
  for (int v110 = thread; v110 < 768; v110 += 256) {
    const int v111 = (int)((unsigned)v9 + (unsigned)v110);
    const float v112 = b0[v111];
    const float v113 = v112 - v68;
    const float v114 = v113 * v109;
    const float v115 = b1[v110];
    const float v116 = b2[v110];
    const float v117 = fmaf(v114, v115, v116);
    b3[v111] = (float)v117;
  }
}
