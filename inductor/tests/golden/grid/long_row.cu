extern "C" __global__ void __launch_bounds__(256)
k_mean_pieces(const float* b0, float* b2) {
  __shared__ float w0[256];
  const int thread = threadIdx.x;
  const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  float x0 = 0;
  const int v3 = group >> 2;
  const int v5 = group & 3;
  const int v10 = (int)((unsigned)v5 * (unsigned)5000);
  const int v11 = (int)((unsigned)v10 + (unsigned)5000);
  const int v12 = min(v11, 20000);
  x0 = 0.0f;
  const int v16 = (int)((unsigned)thread * (unsigned)4);
  const int v17 = (int)((unsigned)v10 + (unsigned)v16);
  for (int v19 = v17; v19 < v12; v19 += 1024) {
    const float4 v20_all = *(const float4*)&b0[v19];
    const float v20 = v20_all.x;
    const float v21 = v20_all.y;
    const float v22 = v20_all.z;
    const float v23 = v20_all.w;
    const float v25 = x0;
    const float v26 = v25 + v20;
    x0 = v26;
    const int v27 = (int)((unsigned)v19 + (unsigned)1);
    const float v28 = x0;
    const float v29 = v28 + v21;
    x0 = v29;
    const int v30 = (int)((unsigned)v19 + (unsigned)2);
    const float v31 = x0;
    const float v32 = v31 + v22;
    x0 = v32;
    const int v33 = (int)((unsigned)v19 + (unsigned)3);
    const float v34 = x0;
    const float v35 = v34 + v23;
    x0 = v35;
  }
  const float v36 = x0;
  w0[thread] = v36;
  __syncthreads();
  const bool v38 = thread < 128;
  const int v39 = (int)((unsigned)thread + (unsigned)128);
  if (v38) {
    const float v40 = w0[thread];
    const float v41 = w0[v39];
    const float v42 = v40 + v41;
    w0[thread] = v42;
  }
  __syncthreads();
  const bool v44 = thread < 64;
  const int v45 = (int)((unsigned)thread + (unsigned)64);
  if (v44) {
    const float v46 = w0[thread];
    const float v47 = w0[v45];
    const float v48 = v46 + v47;
    w0[thread] = v48;
  }
  __syncthreads();
  const bool v50 = thread < 32;
  const int v51 = (int)((unsigned)thread + (unsigned)32);
  if (v50) {
    const float v52 = w0[thread];
    const float v53 = w0[v51];
    const float v54 = v52 + v53;
    w0[thread] = v54;
  }
  __syncthreads();
  const bool v56 = thread < 16;
  const int v57 = (int)((unsigned)thread + (unsigned)16);
  if (v56) {
    const float v58 = w0[thread];
    const float v59 = w0[v57];
    const float v60 = v58 + v59;
    w0[thread] = v60;
  }
  __syncthreads();
  const bool v62 = thread < 8;
  const int v63 = (int)((unsigned)thread + (unsigned)8);
  if (v62) {
    const float v64 = w0[thread];
    const float v65 = w0[v63];
    const float v66 = v64 + v65;
    w0[thread] = v66;
  }
  __syncthreads();
  const bool v67 = thread < 4;
  const int v68 = (int)((unsigned)thread + (unsigned)4);
  if (v67) {
    const float v69 = w0[thread];
    const float v70 = w0[v68];
    const float v71 = v69 + v70;
    w0[thread] = v71;
  }
  __syncthreads();
  const bool v72 = thread < 2;
  const int v73 = (int)((unsigned)thread + (unsigned)2);
  if (v72) {
    const float v74 = w0[thread];
    const float v75 = w0[v73];
    const float v76 = v74 + v75;
    w0[thread] = v76;
  }
  __syncthreads();
  const bool v77 = thread < 1;
  const int v78 = (int)((unsigned)thread + (unsigned)1);
  if (v77) {
    const float v79 = w0[thread];
    const float v80 = w0[v78];
    const float v81 = v79 + v80;
    w0[thread] = v81;
  }
  __syncthreads();
  const float v82 = w0[0];
  __syncthreads();
  const bool v83 = thread == 0;
  if (v83) {
    b2[group] = (float)v82;
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
