; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %invariant.gep = getelementptr i8, ptr %5, i64 64
  %invariant.gep14 = getelementptr i8, ptr %5, i64 128
  %invariant.gep16 = getelementptr i8, ptr %5, i64 1152
  br label %loop

loop:                                             ; preds = %after2, %entry
  %8 = phi i64 [ %3, %entry ], [ %47, %after2 ]
  %9 = mul nsw i64 %8, 300
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.010 = phi <16 x i64> [ zeroinitializer, %loop ], [ %22, %loop1 ]
  %.09 = phi <16 x i64> [ zeroinitializer, %loop ], [ %23, %loop1 ]
  %.0 = phi <16 x i64> [ zeroinitializer, %loop ], [ %24, %loop1 ]
  %10 = phi i64 [ 0, %loop ], [ %25, %loop1 ]
  %11 = add nsw i64 %9, %10
  %12 = getelementptr float, ptr %5, i64 %11
  %13 = load <16 x float>, ptr %12, align 4
  %gep = getelementptr float, ptr %invariant.gep, i64 %11
  %14 = load <16 x float>, ptr %gep, align 4
  %gep15 = getelementptr float, ptr %invariant.gep14, i64 %11
  %15 = load <16 x float>, ptr %gep15, align 4
  %16 = fcmp ogt <16 x float> %13, zeroinitializer
  %17 = fcmp ogt <16 x float> %14, zeroinitializer
  %18 = fcmp ogt <16 x float> %15, zeroinitializer
  %19 = zext <16 x i1> %16 to <16 x i64>
  %20 = zext <16 x i1> %17 to <16 x i64>
  %21 = zext <16 x i1> %18 to <16 x i64>
  %22 = add <16 x i64> %.010, %19
  %23 = add <16 x i64> %.09, %20
  %24 = add <16 x i64> %.0, %21
  %25 = add nuw nsw i64 %10, 48
  %26 = icmp ult i64 %10, 240
  br i1 %26, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %gep17 = getelementptr float, ptr %invariant.gep16, i64 %9
  %27 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %gep17, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %28 = fcmp ogt <16 x float> %27, zeroinitializer
  %29 = zext <16 x i1> %28 to <16 x i64>
  %30 = add <16 x i64> %22, %29
  %31 = shufflevector <16 x i64> %30, <16 x i64> %22, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 28, i32 29, i32 30, i32 31>
  %32 = add <16 x i64> %31, %23
  %33 = add <16 x i64> %32, %24
  %34 = shufflevector <16 x i64> %33, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %35 = shufflevector <16 x i64> %33, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %36 = add <8 x i64> %34, %35
  %37 = shufflevector <8 x i64> %36, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %38 = shufflevector <8 x i64> %36, <8 x i64> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %39 = add <4 x i64> %37, %38
  %40 = shufflevector <4 x i64> %39, <4 x i64> poison, <2 x i32> <i32 0, i32 1>
  %41 = shufflevector <4 x i64> %39, <4 x i64> poison, <2 x i32> <i32 2, i32 3>
  %42 = add <2 x i64> %40, %41
  %43 = extractelement <2 x i64> %42, i64 0
  %44 = extractelement <2 x i64> %42, i64 1
  %45 = add i64 %43, %44
  %46 = getelementptr i64, ptr %7, i64 %8
  store i64 %45, ptr %46, align 8
  %47 = add nsw i64 %8, 1
  %48 = icmp slt i64 %47, %4
  br i1 %48, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

