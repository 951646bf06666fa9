; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, i64 %2, i64 %3) #0 {
entry:
  %4 = load ptr, ptr %0, align 8
  %5 = getelementptr i8, ptr %0, i64 8
  %6 = load ptr, ptr %5, align 8
  %7 = sub i64 %3, %2
  %8 = and i64 %7, -32
  %9 = add i64 %8, %2
  %10 = icmp sgt i64 %9, %2
  br i1 %10, label %loop, label %after

after:                                            ; preds = %loop, %entry
  %11 = sub i64 %3, %9
  %12 = and i64 %11, -16
  %13 = add i64 %9, %12
  %14 = icmp slt i64 %9, %13
  br i1 %14, label %loop4, label %after3

loop:                                             ; preds = %entry, %loop
  %15 = phi i64 [ %25, %loop ], [ %2, %entry ]
  %16 = getelementptr float, ptr %4, i64 %15
  %17 = load <16 x float>, ptr %16, align 4
  %18 = add nsw i64 %15, 16
  %19 = getelementptr float, ptr %4, i64 %18
  %20 = load <16 x float>, ptr %19, align 4
  %21 = fmul <16 x float> %17, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %22 = fmul <16 x float> %20, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %23 = getelementptr float, ptr %6, i64 %15
  store <16 x float> %21, ptr %23, align 4
  %24 = getelementptr float, ptr %6, i64 %18
  store <16 x float> %22, ptr %24, align 4
  %25 = add nsw i64 %15, 32
  %26 = icmp slt i64 %25, %9
  br i1 %26, label %loop, label %after

after3:                                           ; preds = %loop4, %after
  %27 = icmp slt i64 %13, %3
  br i1 %27, label %some6, label %after7

loop4:                                            ; preds = %after, %loop4
  %28 = phi i64 [ %33, %loop4 ], [ %9, %after ]
  %29 = getelementptr float, ptr %4, i64 %28
  %30 = load <16 x float>, ptr %29, align 4
  %31 = fmul <16 x float> %30, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>
  %32 = getelementptr float, ptr %6, i64 %28
  store <16 x float> %31, ptr %32, align 4
  %33 = add nsw i64 %28, 16
  %34 = icmp slt i64 %33, %13
  br i1 %34, label %loop4, label %after3

some6:                                            ; preds = %after3
  %35 = getelementptr float, ptr %4, i64 %13
  %36 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %35, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %37 = fmul <16 x float> %36, <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison>
  %38 = getelementptr float, ptr %6, i64 %13
  call void @llvm.masked.store.v16f32.p0(<16 x float> %37, ptr %38, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  br label %after7

after7:                                           ; preds = %some6, %after3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #2

