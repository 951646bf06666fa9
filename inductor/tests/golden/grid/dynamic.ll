; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = getelementptr i8, ptr %2, i64 8
  %6 = load i64, ptr %5, align 4
  %7 = load ptr, ptr %0, align 8
  %8 = getelementptr i8, ptr %0, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = and i64 %6, -64
  %11 = icmp sgt i64 %10, 0
  %invariant.gep = getelementptr i8, ptr %7, i64 64
  %invariant.gep78 = getelementptr i8, ptr %7, i64 128
  %invariant.gep80 = getelementptr i8, ptr %7, i64 192
  %12 = and i64 %6, -16
  %13 = icmp slt i64 %10, %12
  %.not = icmp eq i64 %12, %6
  %14 = and i64 %6, 15
  %15 = insertelement <16 x i64> poison, i64 %14, i64 0
  %16 = shufflevector <16 x i64> %15, <16 x i64> poison, <16 x i32> zeroinitializer
  %17 = icmp ugt <16 x i64> %16, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %invariant.gep84 = getelementptr float, ptr %7, i64 %12
  %18 = and i64 %6, -32
  %19 = icmp sgt i64 %18, 0
  %invariant.gep82 = getelementptr i8, ptr %7, i64 64
  %20 = icmp slt i64 %18, %12
  %21 = and i64 %6, 15
  %22 = insertelement <16 x i64> poison, i64 %21, i64 0
  %23 = shufflevector <16 x i64> %22, <16 x i64> poison, <16 x i32> zeroinitializer
  %24 = icmp ugt <16 x i64> %23, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %invariant.gep86 = getelementptr float, ptr %7, i64 %12
  %25 = and i64 %6, 15
  %26 = insertelement <16 x i64> poison, i64 %25, i64 0
  %27 = shufflevector <16 x i64> %26, <16 x i64> poison, <16 x i32> zeroinitializer
  %28 = icmp ugt <16 x i64> %27, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  br label %loop

loop:                                             ; preds = %after33, %entry
  %29 = phi i64 [ %3, %entry ], [ %318, %after33 ]
  br i1 %11, label %some, label %after1

after:                                            ; preds = %after33
  ret void

some:                                             ; preds = %loop
  %30 = mul i64 %6, %29
  br label %loop2

after1:                                           ; preds = %loop2, %loop
  %.066 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %41, %loop2 ]
  %.064 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %45, %loop2 ]
  %.062 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %49, %loop2 ]
  %.060 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %53, %loop2 ]
  br i1 %13, label %some4, label %after5

loop2:                                            ; preds = %loop2, %some
  %.167 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %some ], [ %41, %loop2 ]
  %.165 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %some ], [ %45, %loop2 ]
  %.163 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %some ], [ %49, %loop2 ]
  %.161 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %some ], [ %53, %loop2 ]
  %31 = phi i64 [ 0, %some ], [ %54, %loop2 ]
  %32 = add nsw i64 %30, %31
  %33 = getelementptr float, ptr %7, i64 %32
  %34 = load <16 x float>, ptr %33, align 4
  %gep = getelementptr float, ptr %invariant.gep, i64 %32
  %35 = load <16 x float>, ptr %gep, align 4
  %gep79 = getelementptr float, ptr %invariant.gep78, i64 %32
  %36 = load <16 x float>, ptr %gep79, align 4
  %gep81 = getelementptr float, ptr %invariant.gep80, i64 %32
  %37 = load <16 x float>, ptr %gep81, align 4
  %38 = fcmp olt <16 x float> %.167, %34
  %39 = select <16 x i1> %38, <16 x float> %34, <16 x float> %.167
  %40 = fcmp uno <16 x float> %34, zeroinitializer
  %41 = select <16 x i1> %40, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %39
  %42 = fcmp olt <16 x float> %.165, %35
  %43 = select <16 x i1> %42, <16 x float> %35, <16 x float> %.165
  %44 = fcmp uno <16 x float> %35, zeroinitializer
  %45 = select <16 x i1> %44, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %43
  %46 = fcmp olt <16 x float> %.163, %36
  %47 = select <16 x i1> %46, <16 x float> %36, <16 x float> %.163
  %48 = fcmp uno <16 x float> %36, zeroinitializer
  %49 = select <16 x i1> %48, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %47
  %50 = fcmp olt <16 x float> %.161, %37
  %51 = select <16 x i1> %50, <16 x float> %37, <16 x float> %.161
  %52 = fcmp uno <16 x float> %37, zeroinitializer
  %53 = select <16 x i1> %52, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %51
  %54 = add nuw nsw i64 %31, 64
  %55 = icmp slt i64 %54, %10
  br i1 %55, label %loop2, label %after1

some4:                                            ; preds = %after1
  %56 = mul i64 %6, %29
  %57 = getelementptr float, ptr %7, i64 %56
  br label %loop6

after5:                                           ; preds = %loop6, %after1
  %.268 = phi <16 x float> [ %.066, %after1 ], [ %64, %loop6 ]
  br i1 %.not, label %after9, label %some8

loop6:                                            ; preds = %loop6, %some4
  %.369 = phi <16 x float> [ %.066, %some4 ], [ %64, %loop6 ]
  %58 = phi i64 [ %10, %some4 ], [ %65, %loop6 ]
  %59 = getelementptr float, ptr %57, i64 %58
  %60 = load <16 x float>, ptr %59, align 4
  %61 = fcmp olt <16 x float> %.369, %60
  %62 = select <16 x i1> %61, <16 x float> %60, <16 x float> %.369
  %63 = fcmp uno <16 x float> %60, zeroinitializer
  %64 = select <16 x i1> %63, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %62
  %65 = add nsw i64 %58, 16
  %66 = icmp slt i64 %65, %12
  br i1 %66, label %loop6, label %after5

some8:                                            ; preds = %after5
  %67 = mul i64 %6, %29
  %gep85 = getelementptr float, ptr %invariant.gep84, i64 %67
  %68 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %gep85, i32 4, <16 x i1> %17, <16 x float> zeroinitializer)
  %69 = fcmp olt <16 x float> %.268, %68
  %70 = select <16 x i1> %69, <16 x float> %68, <16 x float> %.268
  %71 = fcmp uno <16 x float> %68, zeroinitializer
  %72 = select <16 x i1> %71, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %70
  %73 = select <16 x i1> %17, <16 x float> %72, <16 x float> %.268
  br label %after9

after9:                                           ; preds = %some8, %after5
  %.470 = phi <16 x float> [ %73, %some8 ], [ %.268, %after5 ]
  %74 = fcmp olt <16 x float> %.470, %.064
  %75 = select <16 x i1> %74, <16 x float> %.064, <16 x float> %.470
  %76 = fcmp uno <16 x float> %.064, zeroinitializer
  %77 = select <16 x i1> %76, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %75
  %78 = fcmp olt <16 x float> %77, %.062
  %79 = select <16 x i1> %78, <16 x float> %.062, <16 x float> %77
  %80 = fcmp uno <16 x float> %.062, zeroinitializer
  %81 = select <16 x i1> %80, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %79
  %82 = fcmp olt <16 x float> %81, %.060
  %83 = select <16 x i1> %82, <16 x float> %.060, <16 x float> %81
  %84 = fcmp uno <16 x float> %.060, zeroinitializer
  %85 = select <16 x i1> %84, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %83
  %86 = shufflevector <16 x float> %85, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %87 = shufflevector <16 x float> %85, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %88 = fcmp olt <8 x float> %86, %87
  %89 = select <8 x i1> %88, <8 x float> %87, <8 x float> %86
  %90 = fcmp uno <8 x float> %87, zeroinitializer
  %91 = select <8 x i1> %90, <8 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <8 x float> %89
  %92 = shufflevector <8 x float> %91, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %93 = shufflevector <8 x float> %91, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %94 = fcmp olt <4 x float> %92, %93
  %95 = select <4 x i1> %94, <4 x float> %93, <4 x float> %92
  %96 = fcmp uno <4 x float> %93, zeroinitializer
  %97 = select <4 x i1> %96, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %95
  %98 = shufflevector <4 x float> %97, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %99 = shufflevector <4 x float> %97, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %100 = fcmp olt <2 x float> %98, %99
  %101 = select <2 x i1> %100, <2 x float> %99, <2 x float> %98
  %102 = fcmp uno <2 x float> %99, zeroinitializer
  %103 = select <2 x i1> %102, <2 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000>, <2 x float> %101
  %104 = extractelement <2 x float> %103, i64 0
  %105 = extractelement <2 x float> %103, i64 1
  %106 = fcmp olt float %104, %105
  %107 = select i1 %106, float %105, float %104
  %108 = fcmp uno float %105, 0.000000e+00
  %109 = select i1 %108, float 0x7FF8000000000000, float %107
  br i1 %19, label %some10, label %after11

some10:                                           ; preds = %after9
  %110 = mul i64 %6, %29
  %111 = insertelement <16 x float> poison, float %109, i64 0
  %112 = shufflevector <16 x float> %111, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop12

after11:                                          ; preds = %after15, %after9
  %.057 = phi <16 x double> [ zeroinitializer, %after9 ], [ %.259, %after15 ]
  %.053 = phi <16 x float> [ zeroinitializer, %after9 ], [ %.356, %after15 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after9 ], [ %.3, %after15 ]
  br i1 %20, label %some18, label %after19

loop12:                                           ; preds = %after15, %some10
  %.158 = phi <16 x double> [ zeroinitializer, %some10 ], [ %.259, %after15 ]
  %.154 = phi <16 x float> [ zeroinitializer, %some10 ], [ %.356, %after15 ]
  %.1 = phi <16 x float> [ zeroinitializer, %some10 ], [ %.3, %after15 ]
  %113 = phi i64 [ 0, %some10 ], [ %114, %after15 ]
  %114 = add nuw nsw i64 %113, 1024
  %115 = icmp slt i64 %114, %18
  %116 = call i64 @llvm.smin.i64(i64 %114, i64 %18)
  br label %loop14

loop14:                                           ; preds = %loop14, %loop12
  %.255 = phi <16 x float> [ %.154, %loop12 ], [ %156, %loop14 ]
  %.2 = phi <16 x float> [ %.1, %loop12 ], [ %157, %loop14 ]
  %117 = phi i64 [ %113, %loop12 ], [ %158, %loop14 ]
  %118 = add nsw i64 %110, %117
  %119 = getelementptr float, ptr %7, i64 %118
  %120 = load <16 x float>, ptr %119, align 4
  %gep83 = getelementptr float, ptr %invariant.gep82, i64 %118
  %121 = load <16 x float>, ptr %gep83, align 4
  %122 = fsub <16 x float> %120, %112
  %123 = fsub <16 x float> %121, %112
  %124 = fcmp olt <16 x float> %122, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %125 = select <16 x i1> %124, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %122
  %126 = fcmp ogt <16 x float> %125, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %127 = select <16 x i1> %126, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %125
  %128 = call <16 x float> @llvm.fma.v16f32(<16 x float> %127, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %129 = fadd <16 x float> %128, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %130 = call <16 x float> @llvm.fma.v16f32(<16 x float> %129, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %127)
  %131 = call <16 x float> @llvm.fma.v16f32(<16 x float> %129, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %130)
  %132 = call <16 x float> @llvm.fma.v16f32(<16 x float> %131, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %133 = call <16 x float> @llvm.fma.v16f32(<16 x float> %132, <16 x float> %131, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %134 = call <16 x float> @llvm.fma.v16f32(<16 x float> %133, <16 x float> %131, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %135 = call <16 x float> @llvm.fma.v16f32(<16 x float> %134, <16 x float> %131, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %136 = fmul <16 x float> %131, %131
  %137 = call <16 x float> @llvm.fma.v16f32(<16 x float> %136, <16 x float> %135, <16 x float> %131)
  %138 = fadd <16 x float> %137, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %139 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %138, <16 x float> %129, <16 x float> %138, i16 -1, i32 4)
  %140 = fcmp olt <16 x float> %123, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %141 = select <16 x i1> %140, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %123
  %142 = fcmp ogt <16 x float> %141, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %143 = select <16 x i1> %142, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %141
  %144 = call <16 x float> @llvm.fma.v16f32(<16 x float> %143, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %145 = fadd <16 x float> %144, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %146 = call <16 x float> @llvm.fma.v16f32(<16 x float> %145, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %143)
  %147 = call <16 x float> @llvm.fma.v16f32(<16 x float> %145, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %146)
  %148 = call <16 x float> @llvm.fma.v16f32(<16 x float> %147, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %149 = call <16 x float> @llvm.fma.v16f32(<16 x float> %148, <16 x float> %147, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %150 = call <16 x float> @llvm.fma.v16f32(<16 x float> %149, <16 x float> %147, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %151 = call <16 x float> @llvm.fma.v16f32(<16 x float> %150, <16 x float> %147, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %152 = fmul <16 x float> %147, %147
  %153 = call <16 x float> @llvm.fma.v16f32(<16 x float> %152, <16 x float> %151, <16 x float> %147)
  %154 = fadd <16 x float> %153, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %155 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %154, <16 x float> %145, <16 x float> %154, i16 -1, i32 4)
  %156 = fadd <16 x float> %.255, %139
  %157 = fadd <16 x float> %.2, %155
  %158 = add nuw nsw i64 %117, 32
  %159 = icmp slt i64 %158, %116
  br i1 %159, label %loop14, label %after15

after15:                                          ; preds = %loop14
  %160 = fadd <16 x float> %156, %157
  %161 = fpext <16 x float> %160 to <16 x double>
  %162 = fadd <16 x double> %.158, %161
  %.259 = select i1 %115, <16 x double> %162, <16 x double> %.158
  %.356 = select i1 %115, <16 x float> zeroinitializer, <16 x float> %156
  %.3 = select i1 %115, <16 x float> zeroinitializer, <16 x float> %157
  br i1 %115, label %loop12, label %after11

some18:                                           ; preds = %after11
  %163 = mul i64 %6, %29
  %164 = getelementptr float, ptr %7, i64 %163
  %165 = insertelement <16 x float> poison, float %109, i64 0
  %166 = shufflevector <16 x float> %165, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop20

after19:                                          ; preds = %loop20, %after11
  %.4 = phi <16 x float> [ %.053, %after11 ], [ %187, %loop20 ]
  br i1 %.not, label %after23, label %some22

loop20:                                           ; preds = %loop20, %some18
  %.5 = phi <16 x float> [ %.053, %some18 ], [ %187, %loop20 ]
  %167 = phi i64 [ %18, %some18 ], [ %188, %loop20 ]
  %168 = getelementptr float, ptr %164, i64 %167
  %169 = load <16 x float>, ptr %168, align 4
  %170 = fsub <16 x float> %169, %166
  %171 = fcmp olt <16 x float> %170, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %172 = select <16 x i1> %171, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %170
  %173 = fcmp ogt <16 x float> %172, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %174 = select <16 x i1> %173, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %172
  %175 = call <16 x float> @llvm.fma.v16f32(<16 x float> %174, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %176 = fadd <16 x float> %175, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %177 = call <16 x float> @llvm.fma.v16f32(<16 x float> %176, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %174)
  %178 = call <16 x float> @llvm.fma.v16f32(<16 x float> %176, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %177)
  %179 = call <16 x float> @llvm.fma.v16f32(<16 x float> %178, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %180 = call <16 x float> @llvm.fma.v16f32(<16 x float> %179, <16 x float> %178, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %181 = call <16 x float> @llvm.fma.v16f32(<16 x float> %180, <16 x float> %178, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %182 = call <16 x float> @llvm.fma.v16f32(<16 x float> %181, <16 x float> %178, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %183 = fmul <16 x float> %178, %178
  %184 = call <16 x float> @llvm.fma.v16f32(<16 x float> %183, <16 x float> %182, <16 x float> %178)
  %185 = fadd <16 x float> %184, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %186 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %185, <16 x float> %176, <16 x float> %185, i16 -1, i32 4)
  %187 = fadd <16 x float> %.5, %186
  %188 = add nsw i64 %167, 16
  %189 = icmp slt i64 %188, %12
  br i1 %189, label %loop20, label %after19

some22:                                           ; preds = %after19
  %190 = mul i64 %6, %29
  %gep87 = getelementptr float, ptr %invariant.gep86, i64 %190
  %191 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %gep87, i32 4, <16 x i1> %24, <16 x float> zeroinitializer)
  %192 = insertelement <16 x float> poison, float %109, i64 0
  %193 = shufflevector <16 x float> %192, <16 x float> poison, <16 x i32> zeroinitializer
  %194 = fsub <16 x float> %191, %193
  %195 = fcmp olt <16 x float> %194, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %196 = select <16 x i1> %195, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %194
  %197 = fcmp ogt <16 x float> %196, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %198 = select <16 x i1> %197, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %196
  %199 = call <16 x float> @llvm.fma.v16f32(<16 x float> %198, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %200 = fadd <16 x float> %199, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %201 = call <16 x float> @llvm.fma.v16f32(<16 x float> %200, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %198)
  %202 = call <16 x float> @llvm.fma.v16f32(<16 x float> %200, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %201)
  %203 = call <16 x float> @llvm.fma.v16f32(<16 x float> %202, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %204 = call <16 x float> @llvm.fma.v16f32(<16 x float> %203, <16 x float> %202, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %205 = call <16 x float> @llvm.fma.v16f32(<16 x float> %204, <16 x float> %202, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %206 = call <16 x float> @llvm.fma.v16f32(<16 x float> %205, <16 x float> %202, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %207 = fmul <16 x float> %202, %202
  %208 = call <16 x float> @llvm.fma.v16f32(<16 x float> %207, <16 x float> %206, <16 x float> %202)
  %209 = fadd <16 x float> %208, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %210 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %209, <16 x float> %200, <16 x float> %209, i16 -1, i32 4)
  %211 = fadd <16 x float> %.4, %210
  %212 = select <16 x i1> %24, <16 x float> %211, <16 x float> %.4
  br label %after23

after23:                                          ; preds = %some22, %after19
  %.6 = phi <16 x float> [ %212, %some22 ], [ %.4, %after19 ]
  %213 = fadd <16 x float> %.6, %.0
  %214 = fpext <16 x float> %213 to <16 x double>
  %215 = fadd <16 x double> %.057, %214
  %216 = shufflevector <16 x double> %215, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %217 = shufflevector <16 x double> %215, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %218 = fadd <8 x double> %216, %217
  %219 = shufflevector <8 x double> %218, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %220 = shufflevector <8 x double> %218, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %221 = fadd <4 x double> %219, %220
  %222 = shufflevector <4 x double> %221, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %223 = shufflevector <4 x double> %221, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %224 = fadd <2 x double> %222, %223
  %225 = extractelement <2 x double> %224, i64 0
  %226 = extractelement <2 x double> %224, i64 1
  %227 = fadd double %225, %226
  %228 = fptrunc double %227 to float
  %229 = fcmp olt float %228, 0x3810000000000000
  %230 = fmul float %228, 0x4160000000000000
  %231 = select i1 %229, float %230, float %228
  %232 = select i1 %229, float -2.300000e+01, float 0.000000e+00
  %233 = bitcast float %231 to i32
  %234 = add i32 %233, -1060439283
  %235 = ashr i32 %234, 23
  %236 = and i32 %234, -8388608
  %237 = sub i32 %233, %236
  %238 = bitcast i32 %237 to float
  %239 = fadd float %238, -1.000000e+00
  %240 = sitofp i32 %235 to float
  %241 = fadd float %232, %240
  %242 = fmul float %239, %239
  %243 = call float @llvm.fma.f32(float %239, float 0xBFB385DBE0000000, float 0x3FC085C160000000)
  %244 = call float @llvm.fma.f32(float %243, float %239, float 0xBFC0F38280000000)
  %245 = call float @llvm.fma.f32(float %244, float %239, float 0x3FC226EA00000000)
  %246 = call float @llvm.fma.f32(float %245, float %239, float 0xBFC5426F60000000)
  %247 = call float @llvm.fma.f32(float %246, float %239, float 0x3FC99A4160000000)
  %248 = call float @llvm.fma.f32(float %247, float %239, float 0xBFD00042A0000000)
  %249 = call float @llvm.fma.f32(float %248, float %239, float 0x3FD5555500000000)
  %250 = call float @llvm.fma.f32(float %249, float %239, float 0xBFDFFFFF80000000)
  %251 = fmul float %242, %250
  %252 = call float @llvm.fma.f32(float %241, float 0x3EB7F7D1C0000000, float %251)
  %253 = fadd float %239, %252
  %254 = call float @llvm.fma.f32(float %241, float 0x3FE62E4000000000, float %253)
  %255 = fcmp oeq float %228, 0x7FF0000000000000
  %256 = select i1 %255, float 0x7FF0000000000000, float %254
  %257 = fcmp oeq float %228, 0.000000e+00
  %258 = select i1 %257, float 0xFFF0000000000000, float %256
  %259 = fcmp ult float %228, 0.000000e+00
  %260 = select i1 %259, float 0x7FF8000000000000, float %258
  br i1 %11, label %some24, label %after25

some24:                                           ; preds = %after23
  %261 = mul i64 %6, %29
  %262 = insertelement <16 x float> poison, float %109, i64 0
  %263 = shufflevector <16 x float> %262, <16 x float> poison, <16 x i32> zeroinitializer
  %264 = insertelement <16 x float> poison, float %260, i64 0
  %265 = shufflevector <16 x float> %264, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop26

after25:                                          ; preds = %loop26, %after23
  br i1 %13, label %some28, label %after29

loop26:                                           ; preds = %loop26, %some24
  %266 = phi i64 [ 0, %some24 ], [ %291, %loop26 ]
  %267 = add nsw i64 %261, %266
  %268 = getelementptr float, ptr %7, i64 %267
  %269 = load <16 x float>, ptr %268, align 4
  %270 = add nsw i64 %267, 16
  %271 = getelementptr float, ptr %7, i64 %270
  %272 = load <16 x float>, ptr %271, align 4
  %273 = add nsw i64 %267, 32
  %274 = getelementptr float, ptr %7, i64 %273
  %275 = load <16 x float>, ptr %274, align 4
  %276 = add nsw i64 %267, 48
  %277 = getelementptr float, ptr %7, i64 %276
  %278 = load <16 x float>, ptr %277, align 4
  %279 = fsub <16 x float> %269, %263
  %280 = fsub <16 x float> %272, %263
  %281 = fsub <16 x float> %275, %263
  %282 = fsub <16 x float> %278, %263
  %283 = fsub <16 x float> %279, %265
  %284 = fsub <16 x float> %280, %265
  %285 = fsub <16 x float> %281, %265
  %286 = fsub <16 x float> %282, %265
  %287 = getelementptr float, ptr %9, i64 %267
  store <16 x float> %283, ptr %287, align 4
  %288 = getelementptr float, ptr %9, i64 %270
  store <16 x float> %284, ptr %288, align 4
  %289 = getelementptr float, ptr %9, i64 %273
  store <16 x float> %285, ptr %289, align 4
  %290 = getelementptr float, ptr %9, i64 %276
  store <16 x float> %286, ptr %290, align 4
  %291 = add nuw nsw i64 %266, 64
  %292 = icmp slt i64 %291, %10
  br i1 %292, label %loop26, label %after25

some28:                                           ; preds = %after25
  %293 = mul i64 %6, %29
  %294 = insertelement <16 x float> poison, float %109, i64 0
  %295 = shufflevector <16 x float> %294, <16 x float> poison, <16 x i32> zeroinitializer
  %296 = insertelement <16 x float> poison, float %260, i64 0
  %297 = shufflevector <16 x float> %296, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop30

after29:                                          ; preds = %loop30, %after25
  br i1 %.not, label %after33, label %some32

loop30:                                           ; preds = %loop30, %some28
  %298 = phi i64 [ %10, %some28 ], [ %305, %loop30 ]
  %299 = add nsw i64 %293, %298
  %300 = getelementptr float, ptr %7, i64 %299
  %301 = load <16 x float>, ptr %300, align 4
  %302 = fsub <16 x float> %301, %295
  %303 = fsub <16 x float> %302, %297
  %304 = getelementptr float, ptr %9, i64 %299
  store <16 x float> %303, ptr %304, align 4
  %305 = add nsw i64 %298, 16
  %306 = icmp slt i64 %305, %12
  br i1 %306, label %loop30, label %after29

some32:                                           ; preds = %after29
  %307 = mul i64 %6, %29
  %308 = add nsw i64 %307, %12
  %309 = getelementptr float, ptr %7, i64 %308
  %310 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %309, i32 4, <16 x i1> %28, <16 x float> zeroinitializer)
  %311 = insertelement <16 x float> poison, float %109, i64 0
  %312 = shufflevector <16 x float> %311, <16 x float> poison, <16 x i32> zeroinitializer
  %313 = fsub <16 x float> %310, %312
  %314 = insertelement <16 x float> poison, float %260, i64 0
  %315 = shufflevector <16 x float> %314, <16 x float> poison, <16 x i32> zeroinitializer
  %316 = fsub <16 x float> %313, %315
  %317 = getelementptr float, ptr %9, i64 %308
  call void @llvm.masked.store.v16f32.p0(<16 x float> %316, ptr %317, i32 4, <16 x i1> %28)
  br label %after33

after33:                                          ; preds = %some32, %after29
  %318 = add nsw i64 %29, 1
  %319 = icmp slt i64 %318, %4
  br i1 %319, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32 immarg) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #2

