; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr i8, ptr %0, i64 24
  %11 = load ptr, ptr %10, align 8
  %12 = sub i64 %4, %3
  %13 = and i64 %12, -64
  %14 = add i64 %13, %3
  %15 = icmp sgt i64 %14, %3
  br i1 %15, label %loop, label %after

after:                                            ; preds = %loop, %entry
  %16 = sub i64 %4, %14
  %17 = and i64 %16, -16
  %18 = add i64 %14, %17
  %19 = icmp slt i64 %14, %18
  br i1 %19, label %loop4, label %after3

loop:                                             ; preds = %entry, %loop
  %20 = phi i64 [ %84, %loop ], [ %3, %entry ]
  %21 = getelementptr float, ptr %5, i64 %20
  %22 = load <16 x float>, ptr %21, align 4
  %23 = add nsw i64 %20, 16
  %24 = getelementptr float, ptr %5, i64 %23
  %25 = load <16 x float>, ptr %24, align 4
  %26 = add nsw i64 %20, 32
  %27 = getelementptr float, ptr %5, i64 %26
  %28 = load <16 x float>, ptr %27, align 4
  %29 = add nsw i64 %20, 48
  %30 = getelementptr float, ptr %5, i64 %29
  %31 = load <16 x float>, ptr %30, align 4
  %32 = getelementptr i8, ptr %7, i64 %20
  %33 = load <16 x i8>, ptr %32, align 1
  %34 = icmp ne <16 x i8> %33, zeroinitializer
  %35 = getelementptr i8, ptr %7, i64 %23
  %36 = load <16 x i8>, ptr %35, align 1
  %37 = icmp ne <16 x i8> %36, zeroinitializer
  %38 = getelementptr i8, ptr %7, i64 %26
  %39 = load <16 x i8>, ptr %38, align 1
  %40 = icmp ne <16 x i8> %39, zeroinitializer
  %41 = getelementptr i8, ptr %7, i64 %29
  %42 = load <16 x i8>, ptr %41, align 1
  %43 = icmp ne <16 x i8> %42, zeroinitializer
  %44 = fcmp ogt <16 x float> %22, zeroinitializer
  %45 = fcmp ogt <16 x float> %25, zeroinitializer
  %46 = fcmp ogt <16 x float> %28, zeroinitializer
  %47 = fcmp ogt <16 x float> %31, zeroinitializer
  %48 = and <16 x i1> %44, %34
  %49 = and <16 x i1> %45, %37
  %50 = and <16 x i1> %46, %40
  %51 = and <16 x i1> %47, %43
  %52 = zext <16 x i1> %48 to <16 x i8>
  %53 = zext <16 x i1> %49 to <16 x i8>
  %54 = zext <16 x i1> %50 to <16 x i8>
  %55 = zext <16 x i1> %51 to <16 x i8>
  %56 = getelementptr i8, ptr %9, i64 %20
  store <16 x i8> %52, ptr %56, align 1
  %57 = getelementptr i8, ptr %9, i64 %23
  store <16 x i8> %53, ptr %57, align 1
  %58 = getelementptr i8, ptr %9, i64 %26
  store <16 x i8> %54, ptr %58, align 1
  %59 = getelementptr i8, ptr %9, i64 %29
  store <16 x i8> %55, ptr %59, align 1
  %60 = zext <16 x i1> %44 to <16 x i8>
  %61 = zext <16 x i1> %45 to <16 x i8>
  %62 = zext <16 x i1> %46 to <16 x i8>
  %63 = zext <16 x i1> %47 to <16 x i8>
  %64 = shl nsw i64 %20, 1
  %65 = add nsw i64 %64, 32
  %66 = add nsw i64 %64, 64
  %67 = add nsw i64 %64, 96
  %68 = insertelement <16 x i64> poison, i64 %64, i64 0
  %69 = shufflevector <16 x i64> %68, <16 x i64> poison, <16 x i32> zeroinitializer
  %70 = add <16 x i64> %69, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %71 = getelementptr i8, ptr %11, <16 x i64> %70
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %60, <16 x ptr> %71, i32 1, <16 x i1> %34)
  %72 = insertelement <16 x i64> poison, i64 %65, i64 0
  %73 = shufflevector <16 x i64> %72, <16 x i64> poison, <16 x i32> zeroinitializer
  %74 = add <16 x i64> %73, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %75 = getelementptr i8, ptr %11, <16 x i64> %74
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %61, <16 x ptr> %75, i32 1, <16 x i1> %37)
  %76 = insertelement <16 x i64> poison, i64 %66, i64 0
  %77 = shufflevector <16 x i64> %76, <16 x i64> poison, <16 x i32> zeroinitializer
  %78 = add <16 x i64> %77, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %79 = getelementptr i8, ptr %11, <16 x i64> %78
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %62, <16 x ptr> %79, i32 1, <16 x i1> %40)
  %80 = insertelement <16 x i64> poison, i64 %67, i64 0
  %81 = shufflevector <16 x i64> %80, <16 x i64> poison, <16 x i32> zeroinitializer
  %82 = add <16 x i64> %81, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %83 = getelementptr i8, ptr %11, <16 x i64> %82
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %63, <16 x ptr> %83, i32 1, <16 x i1> %43)
  %84 = add nsw i64 %20, 64
  %85 = icmp slt i64 %84, %14
  br i1 %85, label %loop, label %after

after3:                                           ; preds = %loop4, %after
  %86 = icmp slt i64 %18, %4
  br i1 %86, label %some6, label %after7

loop4:                                            ; preds = %after, %loop4
  %87 = phi i64 [ %103, %loop4 ], [ %14, %after ]
  %88 = getelementptr float, ptr %5, i64 %87
  %89 = load <16 x float>, ptr %88, align 4
  %90 = getelementptr i8, ptr %7, i64 %87
  %91 = load <16 x i8>, ptr %90, align 1
  %92 = icmp ne <16 x i8> %91, zeroinitializer
  %93 = fcmp ogt <16 x float> %89, zeroinitializer
  %94 = and <16 x i1> %93, %92
  %95 = zext <16 x i1> %94 to <16 x i8>
  %96 = getelementptr i8, ptr %9, i64 %87
  store <16 x i8> %95, ptr %96, align 1
  %97 = zext <16 x i1> %93 to <16 x i8>
  %98 = shl nsw i64 %87, 1
  %99 = insertelement <16 x i64> poison, i64 %98, i64 0
  %100 = shufflevector <16 x i64> %99, <16 x i64> poison, <16 x i32> zeroinitializer
  %101 = add <16 x i64> %100, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %102 = getelementptr i8, ptr %11, <16 x i64> %101
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %97, <16 x ptr> %102, i32 1, <16 x i1> %92)
  %103 = add nsw i64 %87, 16
  %104 = icmp slt i64 %103, %18
  br i1 %104, label %loop4, label %after3

some6:                                            ; preds = %after3
  %105 = getelementptr float, ptr %5, i64 %18
  %106 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %105, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %107 = getelementptr i8, ptr %7, i64 %18
  %108 = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr %107, i32 1, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x i8> <i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 poison, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0>)
  %109 = icmp ne <16 x i8> %108, zeroinitializer
  %110 = fcmp ogt <16 x float> %106, zeroinitializer
  %111 = and <16 x i1> %110, %109
  %112 = zext <16 x i1> %111 to <16 x i8>
  %113 = getelementptr i8, ptr %9, i64 %18
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %112, ptr %113, i32 1, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %114 = zext <16 x i1> %110 to <16 x i8>
  %115 = and <16 x i1> %109, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>
  %116 = shl nsw i64 %18, 1
  %117 = insertelement <16 x i64> poison, i64 %116, i64 0
  %118 = shufflevector <16 x i64> %117, <16 x i64> poison, <16 x i32> zeroinitializer
  %119 = add <16 x i64> %118, <i64 0, i64 2, i64 4, i64 6, i64 8, i64 10, i64 12, i64 14, i64 16, i64 18, i64 20, i64 22, i64 24, i64 26, i64 28, i64 30>
  %120 = getelementptr i8, ptr %11, <16 x i64> %119
  call void @llvm.masked.scatter.v16i8.v16p0(<16 x i8> %114, <16 x ptr> %120, i32 1, <16 x i1> %115)
  br label %after7

after7:                                           ; preds = %some6, %after3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(write)
declare void @llvm.masked.scatter.v16i8.v16p0(<16 x i8>, <16 x ptr>, i32 immarg, <16 x i1>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x i8>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16i8.p0(<16 x i8>, ptr nocapture, i32 immarg, <16 x i1>) #3

