extern "C" __global__ void __launch_bounds__(256)
k_mean_pieces(const float* b0, float* b2) {
  __shared__ float w0[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v2 = group / 4;
  const int v4 = group & 3;
  const int v9 = (int)((unsigned)v4 * (unsigned)5000);
  const int v10 = (int)((unsigned)v9 + (unsigned)5000);
  const int v11 = min(v10, 20000);
  x0 = 0.0f;
  const int v16 = (int)((unsigned)v9 + (unsigned)thread);
  for (int v17 = v16; v17 < v11; v17 += 256) {
    const float v18 = b0[v17];
    const float v19 = x0;
    const float v20 = v19 + v18;
    x0 = v20;
  }
  const float v21 = x0;
  w0[thread] = v21;
  __syncthreads();
  const bool v23 = thread < 128;
  const int v24 = (int)((unsigned)thread + (unsigned)128);
  if (v23) {
    const float v25 = w0[thread];
    const float v26 = w0[v24];
    const float v27 = v25 + v26;
    w0[thread] = v27;
  }
  __syncthreads();
  const bool v29 = thread < 64;
  const int v30 = (int)((unsigned)thread + (unsigned)64);
  if (v29) {
    const float v31 = w0[thread];
    const float v32 = w0[v30];
    const float v33 = v31 + v32;
    w0[thread] = v33;
  }
  __syncthreads();
  const bool v35 = thread < 32;
  const int v36 = (int)((unsigned)thread + (unsigned)32);
  if (v35) {
    const float v37 = w0[thread];
    const float v38 = w0[v36];
    const float v39 = v37 + v38;
    w0[thread] = v39;
  }
  __syncthreads();
  const bool v41 = thread < 16;
  const int v42 = (int)((unsigned)thread + (unsigned)16);
  if (v41) {
    const float v43 = w0[thread];
    const float v44 = w0[v42];
    const float v45 = v43 + v44;
    w0[thread] = v45;
  }
  __syncthreads();
  const bool v47 = thread < 8;
  const int v48 = (int)((unsigned)thread + (unsigned)8);
  if (v47) {
    const float v49 = w0[thread];
    const float v50 = w0[v48];
    const float v51 = v49 + v50;
    w0[thread] = v51;
  }
  __syncthreads();
  const bool v52 = thread < 4;
  const int v53 = (int)((unsigned)thread + (unsigned)4);
  if (v52) {
    const float v54 = w0[thread];
    const float v55 = w0[v53];
    const float v56 = v54 + v55;
    w0[thread] = v56;
  }
  __syncthreads();
  const bool v58 = thread < 2;
  const int v59 = (int)((unsigned)thread + (unsigned)2);
  if (v58) {
    const float v60 = w0[thread];
    const float v61 = w0[v59];
    const float v62 = v60 + v61;
    w0[thread] = v62;
  }
  __syncthreads();
  const bool v63 = thread < 1;
  const int v64 = (int)((unsigned)thread + (unsigned)1);
  if (v63) {
    const float v65 = w0[thread];
    const float v66 = w0[v64];
    const float v67 = v65 + v66;
    w0[thread] = v67;
  }
  __syncthreads();
  const float v68 = w0[0];
  __syncthreads();
  const bool v69 = thread == 0;
  if (v69) {
    b2[group] = (float)v68;
  }
}

extern "C" __global__ void __launch_bounds__(32)
k_mean_rest(float* b1, const float* b2) {
  __shared__ float w0[32];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  x0 = 0.0f;
  const int v7 = (int)((unsigned)group * (unsigned)4);
  for (int v8 = thread; v8 < 4; v8 += 32) {
    const int v9 = (int)((unsigned)v7 + (unsigned)v8);
    const float v10 = b2[v9];
    const float v11 = x0;
    const float v12 = v11 + v10;
    x0 = v12;
  }
  const float v13 = x0;
  w0[thread] = v13;
  __syncthreads();
  const bool v15 = thread < 16;
  const int v16 = (int)((unsigned)thread + (unsigned)16);
  if (v15) {
    const float v17 = w0[thread];
    const float v18 = w0[v16];
    const float v19 = v17 + v18;
    w0[thread] = v19;
  }
  __syncthreads();
  const bool v21 = thread < 8;
  const int v22 = (int)((unsigned)thread + (unsigned)8);
  if (v21) {
    const float v23 = w0[thread];
    const float v24 = w0[v22];
    const float v25 = v23 + v24;
    w0[thread] = v25;
  }
  __syncthreads();
  const bool v26 = thread < 4;
  const int v27 = (int)((unsigned)thread + (unsigned)4);
  if (v26) {
    const float v28 = w0[thread];
    const float v29 = w0[v27];
    const float v30 = v28 + v29;
    w0[thread] = v30;
  }
  __syncthreads();
  const bool v32 = thread < 2;
  const int v33 = (int)((unsigned)thread + (unsigned)2);
  if (v32) {
    const float v34 = w0[thread];
    const float v35 = w0[v33];
    const float v36 = v34 + v35;
    w0[thread] = v36;
  }
  __syncthreads();
  const bool v38 = thread < 1;
  const int v39 = (int)((unsigned)thread + (unsigned)1);
  if (v38) {
    const float v40 = w0[thread];
    const float v41 = w0[v39];
    const float v42 = v40 + v41;
    w0[thread] = v42;
  }
  __syncthreads();
  const float v43 = w0[0];
  __syncthreads();
  const float v46 = v43 / 20000.0f;
  const bool v47 = thread == 0;
  if (v47) {
    b1[0] = (float)v46;
  }
}
