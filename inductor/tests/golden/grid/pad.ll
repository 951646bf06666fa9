; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %invariant.gep = getelementptr i8, ptr %5, i64 -12
  %invariant.gep1 = getelementptr i8, ptr %7, i64 64
  br label %loop

loop:                                             ; preds = %loop, %entry
  %8 = phi i64 [ %3, %entry ], [ %12, %loop ]
  %.idx = mul i64 %8, 40
  %gep = getelementptr i8, ptr %invariant.gep, i64 %.idx
  %9 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %gep, i32 4, <16 x i1> <i1 false, i1 false, i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <16 x float> <float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %10 = mul nsw i64 %8, 26
  %11 = getelementptr float, ptr %7, i64 %10
  store <16 x float> %9, ptr %11, align 4
  %gep2 = getelementptr float, ptr %invariant.gep1, i64 %10
  call void @llvm.masked.store.v16f32.p0(<16 x float> <float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float poison, float poison, float poison, float poison, float poison, float poison>, ptr %gep2, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %12 = add nsw i64 %8, 1
  %13 = icmp slt i64 %12, %4
  br i1 %13, label %loop, label %after

after:                                            ; preds = %loop
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #2

