; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = alloca <16 x i64>, align 128
  %6 = alloca [16 x <16 x float>], align 64
  %7 = alloca <16 x i64>, align 128
  %8 = alloca [16 x <16 x float>], align 64
  %9 = load ptr, ptr %0, align 8
  %10 = getelementptr i8, ptr %0, i64 8
  %11 = load ptr, ptr %10, align 8
  %12 = sub i64 %4, %3
  %13 = and i64 %12, -16
  %14 = add i64 %13, %3
  %15 = icmp sgt i64 %14, %3
  br i1 %15, label %loop, label %after

after:                                            ; preds = %after7, %entry
  %16 = icmp slt i64 %14, %4
  br i1 %16, label %some8, label %after9

loop:                                             ; preds = %entry, %after7
  %17 = phi i64 [ %45, %after7 ], [ %3, %entry ]
  %18 = mul nsw i64 %17, 40
  %19 = getelementptr float, ptr %11, i64 %17
  br label %loop2

loop2:                                            ; preds = %after5, %loop
  %20 = phi i64 [ 0, %loop ], [ %33, %after5 ]
  %21 = add nsw i64 %18, %20
  %22 = insertelement <16 x i64> poison, i64 %21, i64 0
  %23 = shufflevector <16 x i64> %22, <16 x i64> poison, <16 x i32> zeroinitializer
  %24 = add <16 x i64> %23, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 320, i64 360, i64 400, i64 440, i64 480, i64 520, i64 560, i64 600>
  store <16 x i64> %24, ptr %5, align 128
  call void @transpose_32(ptr %9, ptr nonnull %5, ptr nonnull %6)
  br label %loop4

after3:                                           ; preds = %after5
  %25 = getelementptr float, ptr %11, i64 %17
  br label %loop6

loop4:                                            ; preds = %loop4, %loop2
  %26 = phi i64 [ 0, %loop2 ], [ %31, %loop4 ]
  %27 = add nuw nsw i64 %20, %26
  %.idx = shl i64 %26, 6
  %28 = getelementptr i8, ptr %6, i64 %.idx
  %29 = load <16 x float>, ptr %28, align 4
  %.idx16 = mul i64 %27, 96
  %30 = getelementptr i8, ptr %19, i64 %.idx16
  store <16 x float> %29, ptr %30, align 4
  %31 = add nuw nsw i64 %26, 1
  %32 = icmp ult i64 %26, 15
  br i1 %32, label %loop4, label %after5

after5:                                           ; preds = %loop4
  %33 = add nuw nsw i64 %20, 16
  %34 = icmp eq i64 %20, 0
  br i1 %34, label %loop2, label %after3

loop6:                                            ; preds = %loop6, %after3
  %35 = phi i64 [ 32, %after3 ], [ %43, %loop6 ]
  %36 = add nsw i64 %18, %35
  %37 = insertelement <16 x i64> poison, i64 %36, i64 0
  %38 = shufflevector <16 x i64> %37, <16 x i64> poison, <16 x i32> zeroinitializer
  %39 = add <16 x i64> %38, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 320, i64 360, i64 400, i64 440, i64 480, i64 520, i64 560, i64 600>
  %40 = getelementptr float, ptr %9, <16 x i64> %39
  %41 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %40, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %.idx17 = mul i64 %35, 96
  %42 = getelementptr i8, ptr %25, i64 %.idx17
  store <16 x float> %41, ptr %42, align 4
  %43 = add nuw nsw i64 %35, 1
  %44 = icmp ult i64 %35, 39
  br i1 %44, label %loop6, label %after7

after7:                                           ; preds = %loop6
  %45 = add nsw i64 %17, 16
  %46 = icmp slt i64 %45, %14
  br i1 %46, label %loop, label %after

some8:                                            ; preds = %after
  %47 = mul nsw i64 %14, 40
  %48 = getelementptr float, ptr %11, i64 %14
  br label %loop10

after9:                                           ; preds = %loop14, %after
  ret void

loop10:                                           ; preds = %after13, %some8
  %49 = phi i64 [ 0, %some8 ], [ %62, %after13 ]
  %50 = add nsw i64 %47, %49
  %51 = insertelement <16 x i64> poison, i64 %50, i64 0
  %52 = shufflevector <16 x i64> %51, <16 x i64> poison, <16 x i32> zeroinitializer
  %53 = add <16 x i64> %52, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0>
  store <16 x i64> %53, ptr %7, align 128
  call void @transpose_32(ptr %9, ptr nonnull %7, ptr nonnull %8)
  br label %loop12

after11:                                          ; preds = %after13
  %54 = getelementptr float, ptr %11, i64 %14
  br label %loop14

loop12:                                           ; preds = %loop12, %loop10
  %55 = phi i64 [ 0, %loop10 ], [ %60, %loop12 ]
  %56 = add nuw nsw i64 %49, %55
  %.idx18 = shl i64 %55, 6
  %57 = getelementptr i8, ptr %8, i64 %.idx18
  %58 = load <16 x float>, ptr %57, align 4
  %.idx19 = mul i64 %56, 96
  %59 = getelementptr i8, ptr %48, i64 %.idx19
  call void @llvm.masked.store.v16f32.p0(<16 x float> %58, ptr %59, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %60 = add nuw nsw i64 %55, 1
  %61 = icmp ult i64 %55, 15
  br i1 %61, label %loop12, label %after13

after13:                                          ; preds = %loop12
  %62 = add nuw nsw i64 %49, 16
  %63 = icmp eq i64 %49, 0
  br i1 %63, label %loop10, label %after11

loop14:                                           ; preds = %loop14, %after11
  %64 = phi i64 [ 32, %after11 ], [ %72, %loop14 ]
  %65 = add nsw i64 %47, %64
  %66 = insertelement <16 x i64> poison, i64 %65, i64 0
  %67 = shufflevector <16 x i64> %66, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %68 = add <16 x i64> %67, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison>
  %69 = getelementptr float, ptr %9, <16 x i64> %68
  %70 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %69, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %.idx20 = mul i64 %64, 96
  %71 = getelementptr i8, ptr %54, i64 %.idx20
  call void @llvm.masked.store.v16f32.p0(<16 x float> %70, ptr %71, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %72 = add nuw nsw i64 %64, 1
  %73 = icmp ult i64 %64, 39
  br i1 %73, label %loop14, label %after9
}

; Function Attrs: nounwind
define internal void @transpose_32(ptr %0, ptr %1, ptr %2) #0 {
entry:
  %3 = load i64, ptr %1, align 4
  %4 = getelementptr float, ptr %0, i64 %3
  %5 = getelementptr i8, ptr %1, i64 8
  %6 = load i64, ptr %5, align 4
  %7 = getelementptr float, ptr %0, i64 %6
  %8 = getelementptr i8, ptr %1, i64 16
  %9 = load i64, ptr %8, align 4
  %10 = getelementptr float, ptr %0, i64 %9
  %11 = getelementptr i8, ptr %1, i64 24
  %12 = load i64, ptr %11, align 4
  %13 = getelementptr float, ptr %0, i64 %12
  %14 = getelementptr i8, ptr %1, i64 32
  %15 = load i64, ptr %14, align 4
  %16 = getelementptr float, ptr %0, i64 %15
  %17 = getelementptr i8, ptr %1, i64 40
  %18 = load i64, ptr %17, align 4
  %19 = getelementptr float, ptr %0, i64 %18
  %20 = getelementptr i8, ptr %1, i64 48
  %21 = load i64, ptr %20, align 4
  %22 = getelementptr float, ptr %0, i64 %21
  %23 = getelementptr i8, ptr %1, i64 56
  %24 = load i64, ptr %23, align 4
  %25 = getelementptr float, ptr %0, i64 %24
  %26 = getelementptr i8, ptr %1, i64 64
  %27 = load i64, ptr %26, align 4
  %28 = getelementptr float, ptr %0, i64 %27
  %29 = getelementptr i8, ptr %1, i64 72
  %30 = load i64, ptr %29, align 4
  %31 = getelementptr float, ptr %0, i64 %30
  %32 = getelementptr i8, ptr %1, i64 80
  %33 = load i64, ptr %32, align 4
  %34 = getelementptr float, ptr %0, i64 %33
  %35 = getelementptr i8, ptr %1, i64 88
  %36 = load i64, ptr %35, align 4
  %37 = getelementptr float, ptr %0, i64 %36
  %38 = getelementptr i8, ptr %1, i64 96
  %39 = load i64, ptr %38, align 4
  %40 = getelementptr float, ptr %0, i64 %39
  %41 = getelementptr i8, ptr %1, i64 104
  %42 = load i64, ptr %41, align 4
  %43 = getelementptr float, ptr %0, i64 %42
  %44 = getelementptr i8, ptr %1, i64 112
  %45 = load i64, ptr %44, align 4
  %46 = getelementptr float, ptr %0, i64 %45
  %47 = getelementptr i8, ptr %1, i64 120
  %48 = load i64, ptr %47, align 4
  %49 = getelementptr float, ptr %0, i64 %48
  %50 = getelementptr i8, ptr %2, i64 64
  %51 = getelementptr i8, ptr %2, i64 128
  %52 = getelementptr i8, ptr %2, i64 192
  %53 = getelementptr i8, ptr %2, i64 256
  %54 = getelementptr i8, ptr %2, i64 320
  %55 = getelementptr i8, ptr %2, i64 384
  %56 = getelementptr i8, ptr %2, i64 448
  %57 = getelementptr i8, ptr %2, i64 512
  %58 = getelementptr i8, ptr %2, i64 576
  %59 = getelementptr i8, ptr %2, i64 640
  %60 = getelementptr i8, ptr %2, i64 704
  %61 = getelementptr i8, ptr %2, i64 768
  %62 = getelementptr i8, ptr %2, i64 832
  %63 = getelementptr i8, ptr %2, i64 896
  %64 = getelementptr i8, ptr %2, i64 960
  %65 = load <4 x float>, ptr %4, align 4
  %66 = load <4 x float>, ptr %16, align 4
  %67 = load <4 x float>, ptr %28, align 4
  %68 = load <4 x float>, ptr %40, align 4
  %69 = shufflevector <4 x float> %65, <4 x float> %66, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %70 = shufflevector <4 x float> %67, <4 x float> %68, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %71 = shufflevector <8 x float> %69, <8 x float> %70, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %72 = load <4 x float>, ptr %7, align 4
  %73 = load <4 x float>, ptr %19, align 4
  %74 = load <4 x float>, ptr %31, align 4
  %75 = load <4 x float>, ptr %43, align 4
  %76 = shufflevector <4 x float> %72, <4 x float> %73, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %77 = shufflevector <4 x float> %74, <4 x float> %75, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %78 = shufflevector <8 x float> %76, <8 x float> %77, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %79 = load <4 x float>, ptr %10, align 4
  %80 = load <4 x float>, ptr %22, align 4
  %81 = load <4 x float>, ptr %34, align 4
  %82 = load <4 x float>, ptr %46, align 4
  %83 = shufflevector <4 x float> %79, <4 x float> %80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %84 = shufflevector <4 x float> %81, <4 x float> %82, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %85 = shufflevector <8 x float> %83, <8 x float> %84, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %86 = load <4 x float>, ptr %13, align 4
  %87 = load <4 x float>, ptr %25, align 4
  %88 = load <4 x float>, ptr %37, align 4
  %89 = load <4 x float>, ptr %49, align 4
  %90 = shufflevector <4 x float> %86, <4 x float> %87, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %91 = shufflevector <4 x float> %88, <4 x float> %89, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %92 = shufflevector <8 x float> %90, <8 x float> %91, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %93 = shufflevector <16 x float> %71, <16 x float> %85, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %94 = shufflevector <16 x float> %71, <16 x float> %85, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %95 = shufflevector <16 x float> %78, <16 x float> %92, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %96 = shufflevector <16 x float> %78, <16 x float> %92, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %97 = shufflevector <16 x float> %93, <16 x float> %95, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %98 = shufflevector <16 x float> %93, <16 x float> %95, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %99 = shufflevector <16 x float> %94, <16 x float> %96, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %100 = shufflevector <16 x float> %94, <16 x float> %96, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %97, ptr %2, align 4
  store <16 x float> %98, ptr %50, align 4
  store <16 x float> %99, ptr %51, align 4
  store <16 x float> %100, ptr %52, align 4
  %101 = getelementptr i8, ptr %4, i64 16
  %102 = load <4 x float>, ptr %101, align 4
  %103 = getelementptr i8, ptr %16, i64 16
  %104 = load <4 x float>, ptr %103, align 4
  %105 = getelementptr i8, ptr %28, i64 16
  %106 = load <4 x float>, ptr %105, align 4
  %107 = getelementptr i8, ptr %40, i64 16
  %108 = load <4 x float>, ptr %107, align 4
  %109 = shufflevector <4 x float> %102, <4 x float> %104, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %110 = shufflevector <4 x float> %106, <4 x float> %108, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %111 = shufflevector <8 x float> %109, <8 x float> %110, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %112 = getelementptr i8, ptr %7, i64 16
  %113 = load <4 x float>, ptr %112, align 4
  %114 = getelementptr i8, ptr %19, i64 16
  %115 = load <4 x float>, ptr %114, align 4
  %116 = getelementptr i8, ptr %31, i64 16
  %117 = load <4 x float>, ptr %116, align 4
  %118 = getelementptr i8, ptr %43, i64 16
  %119 = load <4 x float>, ptr %118, align 4
  %120 = shufflevector <4 x float> %113, <4 x float> %115, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %121 = shufflevector <4 x float> %117, <4 x float> %119, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %122 = shufflevector <8 x float> %120, <8 x float> %121, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %123 = getelementptr i8, ptr %10, i64 16
  %124 = load <4 x float>, ptr %123, align 4
  %125 = getelementptr i8, ptr %22, i64 16
  %126 = load <4 x float>, ptr %125, align 4
  %127 = getelementptr i8, ptr %34, i64 16
  %128 = load <4 x float>, ptr %127, align 4
  %129 = getelementptr i8, ptr %46, i64 16
  %130 = load <4 x float>, ptr %129, align 4
  %131 = shufflevector <4 x float> %124, <4 x float> %126, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %132 = shufflevector <4 x float> %128, <4 x float> %130, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %133 = shufflevector <8 x float> %131, <8 x float> %132, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %134 = getelementptr i8, ptr %13, i64 16
  %135 = load <4 x float>, ptr %134, align 4
  %136 = getelementptr i8, ptr %25, i64 16
  %137 = load <4 x float>, ptr %136, align 4
  %138 = getelementptr i8, ptr %37, i64 16
  %139 = load <4 x float>, ptr %138, align 4
  %140 = getelementptr i8, ptr %49, i64 16
  %141 = load <4 x float>, ptr %140, align 4
  %142 = shufflevector <4 x float> %135, <4 x float> %137, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %143 = shufflevector <4 x float> %139, <4 x float> %141, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %144 = shufflevector <8 x float> %142, <8 x float> %143, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %145 = shufflevector <16 x float> %111, <16 x float> %133, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %146 = shufflevector <16 x float> %111, <16 x float> %133, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %147 = shufflevector <16 x float> %122, <16 x float> %144, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %148 = shufflevector <16 x float> %122, <16 x float> %144, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %149 = shufflevector <16 x float> %145, <16 x float> %147, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %150 = shufflevector <16 x float> %145, <16 x float> %147, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %151 = shufflevector <16 x float> %146, <16 x float> %148, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %152 = shufflevector <16 x float> %146, <16 x float> %148, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %149, ptr %53, align 4
  store <16 x float> %150, ptr %54, align 4
  store <16 x float> %151, ptr %55, align 4
  store <16 x float> %152, ptr %56, align 4
  %153 = getelementptr i8, ptr %4, i64 32
  %154 = load <4 x float>, ptr %153, align 4
  %155 = getelementptr i8, ptr %16, i64 32
  %156 = load <4 x float>, ptr %155, align 4
  %157 = getelementptr i8, ptr %28, i64 32
  %158 = load <4 x float>, ptr %157, align 4
  %159 = getelementptr i8, ptr %40, i64 32
  %160 = load <4 x float>, ptr %159, align 4
  %161 = shufflevector <4 x float> %154, <4 x float> %156, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %162 = shufflevector <4 x float> %158, <4 x float> %160, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %163 = shufflevector <8 x float> %161, <8 x float> %162, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %164 = getelementptr i8, ptr %7, i64 32
  %165 = load <4 x float>, ptr %164, align 4
  %166 = getelementptr i8, ptr %19, i64 32
  %167 = load <4 x float>, ptr %166, align 4
  %168 = getelementptr i8, ptr %31, i64 32
  %169 = load <4 x float>, ptr %168, align 4
  %170 = getelementptr i8, ptr %43, i64 32
  %171 = load <4 x float>, ptr %170, align 4
  %172 = shufflevector <4 x float> %165, <4 x float> %167, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %173 = shufflevector <4 x float> %169, <4 x float> %171, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %174 = shufflevector <8 x float> %172, <8 x float> %173, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %175 = getelementptr i8, ptr %10, i64 32
  %176 = load <4 x float>, ptr %175, align 4
  %177 = getelementptr i8, ptr %22, i64 32
  %178 = load <4 x float>, ptr %177, align 4
  %179 = getelementptr i8, ptr %34, i64 32
  %180 = load <4 x float>, ptr %179, align 4
  %181 = getelementptr i8, ptr %46, i64 32
  %182 = load <4 x float>, ptr %181, align 4
  %183 = shufflevector <4 x float> %176, <4 x float> %178, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %184 = shufflevector <4 x float> %180, <4 x float> %182, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %185 = shufflevector <8 x float> %183, <8 x float> %184, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %186 = getelementptr i8, ptr %13, i64 32
  %187 = load <4 x float>, ptr %186, align 4
  %188 = getelementptr i8, ptr %25, i64 32
  %189 = load <4 x float>, ptr %188, align 4
  %190 = getelementptr i8, ptr %37, i64 32
  %191 = load <4 x float>, ptr %190, align 4
  %192 = getelementptr i8, ptr %49, i64 32
  %193 = load <4 x float>, ptr %192, align 4
  %194 = shufflevector <4 x float> %187, <4 x float> %189, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %195 = shufflevector <4 x float> %191, <4 x float> %193, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %196 = shufflevector <8 x float> %194, <8 x float> %195, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %197 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %198 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %199 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %200 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %201 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %202 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %203 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %204 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %201, ptr %57, align 4
  store <16 x float> %202, ptr %58, align 4
  store <16 x float> %203, ptr %59, align 4
  store <16 x float> %204, ptr %60, align 4
  %205 = getelementptr i8, ptr %4, i64 48
  %206 = load <4 x float>, ptr %205, align 4
  %207 = getelementptr i8, ptr %16, i64 48
  %208 = load <4 x float>, ptr %207, align 4
  %209 = getelementptr i8, ptr %28, i64 48
  %210 = load <4 x float>, ptr %209, align 4
  %211 = getelementptr i8, ptr %40, i64 48
  %212 = load <4 x float>, ptr %211, align 4
  %213 = shufflevector <4 x float> %206, <4 x float> %208, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %214 = shufflevector <4 x float> %210, <4 x float> %212, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %215 = shufflevector <8 x float> %213, <8 x float> %214, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %216 = getelementptr i8, ptr %7, i64 48
  %217 = load <4 x float>, ptr %216, align 4
  %218 = getelementptr i8, ptr %19, i64 48
  %219 = load <4 x float>, ptr %218, align 4
  %220 = getelementptr i8, ptr %31, i64 48
  %221 = load <4 x float>, ptr %220, align 4
  %222 = getelementptr i8, ptr %43, i64 48
  %223 = load <4 x float>, ptr %222, align 4
  %224 = shufflevector <4 x float> %217, <4 x float> %219, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %225 = shufflevector <4 x float> %221, <4 x float> %223, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %226 = shufflevector <8 x float> %224, <8 x float> %225, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %227 = getelementptr i8, ptr %10, i64 48
  %228 = load <4 x float>, ptr %227, align 4
  %229 = getelementptr i8, ptr %22, i64 48
  %230 = load <4 x float>, ptr %229, align 4
  %231 = getelementptr i8, ptr %34, i64 48
  %232 = load <4 x float>, ptr %231, align 4
  %233 = getelementptr i8, ptr %46, i64 48
  %234 = load <4 x float>, ptr %233, align 4
  %235 = shufflevector <4 x float> %228, <4 x float> %230, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %236 = shufflevector <4 x float> %232, <4 x float> %234, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %237 = shufflevector <8 x float> %235, <8 x float> %236, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %238 = getelementptr i8, ptr %13, i64 48
  %239 = load <4 x float>, ptr %238, align 4
  %240 = getelementptr i8, ptr %25, i64 48
  %241 = load <4 x float>, ptr %240, align 4
  %242 = getelementptr i8, ptr %37, i64 48
  %243 = load <4 x float>, ptr %242, align 4
  %244 = getelementptr i8, ptr %49, i64 48
  %245 = load <4 x float>, ptr %244, align 4
  %246 = shufflevector <4 x float> %239, <4 x float> %241, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %247 = shufflevector <4 x float> %243, <4 x float> %245, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %248 = shufflevector <8 x float> %246, <8 x float> %247, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %249 = shufflevector <16 x float> %215, <16 x float> %237, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %250 = shufflevector <16 x float> %215, <16 x float> %237, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %251 = shufflevector <16 x float> %226, <16 x float> %248, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %252 = shufflevector <16 x float> %226, <16 x float> %248, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %253 = shufflevector <16 x float> %249, <16 x float> %251, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %254 = shufflevector <16 x float> %249, <16 x float> %251, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %255 = shufflevector <16 x float> %250, <16 x float> %252, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %256 = shufflevector <16 x float> %250, <16 x float> %252, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %253, ptr %61, align 4
  store <16 x float> %254, ptr %62, align 4
  store <16 x float> %255, ptr %63, align 4
  store <16 x float> %256, ptr %64, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #2

