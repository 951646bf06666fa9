; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = sub i64 %4, %3
  %9 = and i64 %8, -32
  %10 = add i64 %9, %3
  %11 = icmp sgt i64 %10, %3
  br i1 %11, label %loop, label %after

after:                                            ; preds = %loop, %entry
  %12 = sub i64 %4, %10
  %13 = and i64 %12, -16
  %14 = add i64 %10, %13
  %15 = icmp slt i64 %10, %14
  br i1 %15, label %loop4, label %after3

loop:                                             ; preds = %entry, %loop
  %16 = phi i64 [ %26, %loop ], [ %3, %entry ]
  %17 = getelementptr float, ptr %5, i64 %16
  %18 = load <16 x float>, ptr %17, align 4
  %19 = add nsw i64 %16, 16
  %20 = getelementptr float, ptr %5, i64 %19
  %21 = load <16 x float>, ptr %20, align 4
  %22 = fmul <16 x float> %18, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %23 = fmul <16 x float> %21, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %24 = getelementptr float, ptr %7, i64 %16
  store <16 x float> %22, ptr %24, align 4
  %25 = getelementptr float, ptr %7, i64 %19
  store <16 x float> %23, ptr %25, align 4
  %26 = add nsw i64 %16, 32
  %27 = icmp slt i64 %26, %10
  br i1 %27, label %loop, label %after

after3:                                           ; preds = %loop4, %after
  %28 = icmp slt i64 %14, %4
  br i1 %28, label %some6, label %after7

loop4:                                            ; preds = %after, %loop4
  %29 = phi i64 [ %34, %loop4 ], [ %10, %after ]
  %30 = getelementptr float, ptr %5, i64 %29
  %31 = load <16 x float>, ptr %30, align 4
  %32 = fmul <16 x float> %31, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %33 = getelementptr float, ptr %7, i64 %29
  store <16 x float> %32, ptr %33, align 4
  %34 = add nsw i64 %29, 16
  %35 = icmp slt i64 %34, %14
  br i1 %35, label %loop4, label %after3

some6:                                            ; preds = %after3
  %36 = getelementptr float, ptr %5, i64 %14
  %37 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %36, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %38 = fmul <16 x float> %37, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison>
  %39 = getelementptr float, ptr %7, i64 %14
  call void @llvm.masked.store.v16f32.p0(<16 x float> %38, ptr %39, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  br label %after7

after7:                                           ; preds = %some6, %after3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #2

