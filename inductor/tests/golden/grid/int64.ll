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
  %10 = sub i64 %4, %3
  %11 = and i64 %10, -32
  %12 = add i64 %11, %3
  %13 = icmp sgt i64 %12, %3
  br i1 %13, label %loop, label %after

after:                                            ; preds = %loop, %entry
  %14 = sub i64 %4, %12
  %15 = and i64 %14, -8
  %16 = add i64 %12, %15
  %17 = icmp slt i64 %12, %16
  br i1 %17, label %loop4, label %after3

loop:                                             ; preds = %entry, %loop
  %18 = phi i64 [ %78, %loop ], [ %3, %entry ]
  %19 = getelementptr i64, ptr %5, i64 %18
  %20 = load <8 x i64>, ptr %19, align 8
  %21 = add nsw i64 %18, 8
  %22 = getelementptr i64, ptr %5, i64 %21
  %23 = load <8 x i64>, ptr %22, align 8
  %24 = add nsw i64 %18, 16
  %25 = getelementptr i64, ptr %5, i64 %24
  %26 = load <8 x i64>, ptr %25, align 8
  %27 = add nsw i64 %18, 24
  %28 = getelementptr i64, ptr %5, i64 %27
  %29 = load <8 x i64>, ptr %28, align 8
  %30 = sub i64 90, %18
  %31 = insertelement <8 x i64> poison, i64 %30, i64 0
  %32 = shufflevector <8 x i64> %31, <8 x i64> poison, <8 x i32> zeroinitializer
  %33 = add <8 x i64> %32, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %34 = sub i64 82, %18
  %35 = insertelement <8 x i64> poison, i64 %34, i64 0
  %36 = shufflevector <8 x i64> %35, <8 x i64> poison, <8 x i32> zeroinitializer
  %37 = add <8 x i64> %36, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %38 = sub i64 74, %18
  %39 = insertelement <8 x i64> poison, i64 %38, i64 0
  %40 = shufflevector <8 x i64> %39, <8 x i64> poison, <8 x i32> zeroinitializer
  %41 = add <8 x i64> %40, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %42 = sub i64 66, %18
  %43 = insertelement <8 x i64> poison, i64 %42, i64 0
  %44 = shufflevector <8 x i64> %43, <8 x i64> poison, <8 x i32> zeroinitializer
  %45 = add <8 x i64> %44, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %46 = srem <8 x i64> %33, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %47 = icmp slt <8 x i64> %46, zeroinitializer
  %48 = add nsw <8 x i64> %46, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %49 = select <8 x i1> %47, <8 x i64> %48, <8 x i64> %46
  %50 = srem <8 x i64> %37, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %51 = icmp slt <8 x i64> %50, zeroinitializer
  %52 = add nsw <8 x i64> %50, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %53 = select <8 x i1> %51, <8 x i64> %52, <8 x i64> %50
  %54 = srem <8 x i64> %41, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %55 = icmp slt <8 x i64> %54, zeroinitializer
  %56 = add nsw <8 x i64> %54, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %57 = select <8 x i1> %55, <8 x i64> %56, <8 x i64> %54
  %58 = srem <8 x i64> %45, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %59 = icmp slt <8 x i64> %58, zeroinitializer
  %60 = add nsw <8 x i64> %58, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %61 = select <8 x i1> %59, <8 x i64> %60, <8 x i64> %58
  %62 = getelementptr i64, ptr %7, i64 %18
  store <8 x i64> %49, ptr %62, align 8
  %63 = getelementptr i64, ptr %7, i64 %21
  store <8 x i64> %53, ptr %63, align 8
  %64 = getelementptr i64, ptr %7, i64 %24
  store <8 x i64> %57, ptr %64, align 8
  %65 = getelementptr i64, ptr %7, i64 %27
  store <8 x i64> %61, ptr %65, align 8
  %66 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %33, <8 x i64> %20)
  %67 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %37, <8 x i64> %23)
  %68 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %41, <8 x i64> %26)
  %69 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %45, <8 x i64> %29)
  %70 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %66, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %71 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %67, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %72 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %68, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %73 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %69, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %74 = getelementptr i64, ptr %9, i64 %18
  store <8 x i64> %70, ptr %74, align 8
  %75 = getelementptr i64, ptr %9, i64 %21
  store <8 x i64> %71, ptr %75, align 8
  %76 = getelementptr i64, ptr %9, i64 %24
  store <8 x i64> %72, ptr %76, align 8
  %77 = getelementptr i64, ptr %9, i64 %27
  store <8 x i64> %73, ptr %77, align 8
  %78 = add nsw i64 %18, 32
  %79 = icmp slt i64 %78, %12
  br i1 %79, label %loop, label %after

after3:                                           ; preds = %loop4, %after
  %80 = icmp slt i64 %16, %4
  br i1 %80, label %some6, label %after7

loop4:                                            ; preds = %after, %loop4
  %81 = phi i64 [ %96, %loop4 ], [ %12, %after ]
  %82 = getelementptr i64, ptr %5, i64 %81
  %83 = load <8 x i64>, ptr %82, align 8
  %84 = sub i64 90, %81
  %85 = insertelement <8 x i64> poison, i64 %84, i64 0
  %86 = shufflevector <8 x i64> %85, <8 x i64> poison, <8 x i32> zeroinitializer
  %87 = add <8 x i64> %86, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %88 = srem <8 x i64> %87, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %89 = icmp slt <8 x i64> %88, zeroinitializer
  %90 = add nsw <8 x i64> %88, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %91 = select <8 x i1> %89, <8 x i64> %90, <8 x i64> %88
  %92 = getelementptr i64, ptr %7, i64 %81
  store <8 x i64> %91, ptr %92, align 8
  %93 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %87, <8 x i64> %83)
  %94 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %93, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %95 = getelementptr i64, ptr %9, i64 %81
  store <8 x i64> %94, ptr %95, align 8
  %96 = add nsw i64 %81, 8
  %97 = icmp slt i64 %96, %16
  br i1 %97, label %loop4, label %after3

some6:                                            ; preds = %after3
  %98 = getelementptr i64, ptr %5, i64 %16
  %99 = call <8 x i64> @llvm.masked.load.v8i64.p0(ptr %98, i32 8, <8 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x i64> <i64 poison, i64 poison, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0>)
  %100 = sub i64 90, %16
  %101 = insertelement <8 x i64> poison, i64 %100, i64 0
  %102 = shufflevector <8 x i64> %101, <8 x i64> poison, <8 x i32> zeroinitializer
  %103 = add <8 x i64> %102, <i64 0, i64 -1, i64 -2, i64 -3, i64 -4, i64 -5, i64 -6, i64 -7>
  %104 = srem <8 x i64> %103, <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>
  %105 = icmp slt <8 x i64> %104, zeroinitializer
  %106 = add nsw <8 x i64> %104, <i64 7, i64 7, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison>
  %107 = select <8 x i1> %105, <8 x i64> %106, <8 x i64> %104
  %108 = getelementptr i64, ptr %7, i64 %16
  call void @llvm.masked.store.v8i64.p0(<8 x i64> %107, ptr %108, i32 8, <8 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %109 = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %103, <8 x i64> %99)
  %110 = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %109, <8 x i64> <i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7, i64 7>)
  %111 = getelementptr i64, ptr %9, i64 %16
  call void @llvm.masked.store.v8i64.p0(<8 x i64> %110, ptr %111, i32 8, <8 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  br label %after7

after7:                                           ; preds = %some6, %after3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <8 x i64> @llvm.masked.load.v8i64.p0(ptr nocapture, i32 immarg, <8 x i1>, <8 x i64>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v8i64.p0(<8 x i64>, ptr nocapture, i32 immarg, <8 x i1>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <8 x i64> @llvm.smax.v8i64(<8 x i64>, <8 x i64>) #3

