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
  %10 = getelementptr i8, ptr %7, i64 32
  %11 = getelementptr i8, ptr %7, i64 64
  %12 = getelementptr i8, ptr %7, i64 96
  br label %loop

loop:                                             ; preds = %loop, %entry
  %13 = phi i64 [ %3, %entry ], [ %128, %loop ]
  %14 = shl nsw i64 %13, 6
  %15 = getelementptr i16, ptr %5, i64 %14
  %16 = load <16 x i16>, ptr %15, align 2
  %17 = or disjoint i64 %14, 16
  %18 = getelementptr i16, ptr %5, i64 %17
  %19 = load <16 x i16>, ptr %18, align 2
  %20 = or disjoint i64 %14, 32
  %21 = getelementptr i16, ptr %5, i64 %20
  %22 = load <16 x i16>, ptr %21, align 2
  %23 = or disjoint i64 %14, 48
  %24 = getelementptr i16, ptr %5, i64 %23
  %25 = load <16 x i16>, ptr %24, align 2
  %26 = zext <16 x i16> %16 to <16 x i32>
  %27 = shl nuw <16 x i32> %26, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %28 = bitcast <16 x i32> %27 to <16 x float>
  %29 = zext <16 x i16> %19 to <16 x i32>
  %30 = shl nuw <16 x i32> %29, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %31 = bitcast <16 x i32> %30 to <16 x float>
  %32 = zext <16 x i16> %22 to <16 x i32>
  %33 = shl nuw <16 x i32> %32, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %34 = bitcast <16 x i32> %33 to <16 x float>
  %35 = zext <16 x i16> %25 to <16 x i32>
  %36 = shl nuw <16 x i32> %35, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %37 = bitcast <16 x i32> %36 to <16 x float>
  %38 = fmul <16 x float> %28, %28
  %39 = fmul <16 x float> %31, %31
  %40 = fmul <16 x float> %34, %34
  %41 = fmul <16 x float> %37, %37
  %42 = fpext <16 x float> %38 to <16 x double>
  %43 = fpext <16 x float> %39 to <16 x double>
  %44 = fpext <16 x float> %40 to <16 x double>
  %45 = fpext <16 x float> %41 to <16 x double>
  %46 = fadd <16 x double> %42, %43
  %47 = fadd <16 x double> %46, %44
  %48 = fadd <16 x double> %47, %45
  %49 = shufflevector <16 x double> %48, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %50 = shufflevector <16 x double> %48, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %51 = fadd <8 x double> %49, %50
  %52 = shufflevector <8 x double> %51, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %53 = shufflevector <8 x double> %51, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %54 = fadd <4 x double> %52, %53
  %55 = shufflevector <4 x double> %54, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %56 = shufflevector <4 x double> %54, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %57 = fadd <2 x double> %55, %56
  %58 = extractelement <2 x double> %57, i64 0
  %59 = extractelement <2 x double> %57, i64 1
  %60 = fadd double %58, %59
  %61 = fptrunc double %60 to float
  %62 = fmul float %61, 1.562500e-02
  %63 = fadd float %62, 0x3EB0C6F7A0000000
  %64 = call float @llvm.sqrt.f32(float %63)
  %65 = fdiv float 1.000000e+00, %64
  %66 = insertelement <16 x float> poison, float %65, i64 0
  %67 = shufflevector <16 x float> %66, <16 x float> poison, <16 x i32> zeroinitializer
  %68 = fmul <16 x float> %67, %28
  %69 = fmul <16 x float> %67, %31
  %70 = fmul <16 x float> %67, %34
  %71 = fmul <16 x float> %67, %37
  %72 = load <16 x half>, ptr %7, align 2
  %73 = load <16 x half>, ptr %10, align 2
  %74 = load <16 x half>, ptr %11, align 2
  %75 = load <16 x half>, ptr %12, align 2
  %76 = fpext <16 x half> %72 to <16 x float>
  %77 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %76)
  %78 = fpext <16 x half> %73 to <16 x float>
  %79 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %78)
  %80 = fpext <16 x half> %74 to <16 x float>
  %81 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %80)
  %82 = fpext <16 x half> %75 to <16 x float>
  %83 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %82)
  %84 = fmul <16 x float> %68, %77
  %85 = fmul <16 x float> %69, %79
  %86 = fmul <16 x float> %70, %81
  %87 = fmul <16 x float> %71, %83
  %88 = bitcast <16 x float> %84 to <16 x i32>
  %89 = lshr <16 x i32> %88, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %90 = and <16 x i32> %89, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %91 = add <16 x i32> %88, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %92 = add <16 x i32> %91, %90
  %93 = lshr <16 x i32> %92, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %94 = fcmp uno <16 x float> %84, zeroinitializer
  %95 = trunc nuw <16 x i32> %93 to <16 x i16>
  %96 = select <16 x i1> %94, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %95
  %97 = bitcast <16 x float> %85 to <16 x i32>
  %98 = lshr <16 x i32> %97, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %99 = and <16 x i32> %98, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %100 = add <16 x i32> %97, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %101 = add <16 x i32> %100, %99
  %102 = lshr <16 x i32> %101, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %103 = fcmp uno <16 x float> %85, zeroinitializer
  %104 = trunc nuw <16 x i32> %102 to <16 x i16>
  %105 = select <16 x i1> %103, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %104
  %106 = bitcast <16 x float> %86 to <16 x i32>
  %107 = lshr <16 x i32> %106, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %108 = and <16 x i32> %107, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %109 = add <16 x i32> %106, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %110 = add <16 x i32> %109, %108
  %111 = lshr <16 x i32> %110, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %112 = fcmp uno <16 x float> %86, zeroinitializer
  %113 = trunc nuw <16 x i32> %111 to <16 x i16>
  %114 = select <16 x i1> %112, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %113
  %115 = bitcast <16 x float> %87 to <16 x i32>
  %116 = lshr <16 x i32> %115, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %117 = and <16 x i32> %116, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %118 = add <16 x i32> %115, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %119 = add <16 x i32> %118, %117
  %120 = lshr <16 x i32> %119, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %121 = fcmp uno <16 x float> %87, zeroinitializer
  %122 = trunc nuw <16 x i32> %120 to <16 x i16>
  %123 = select <16 x i1> %121, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %122
  %124 = getelementptr i16, ptr %9, i64 %14
  store <16 x i16> %96, ptr %124, align 2
  %125 = getelementptr i16, ptr %9, i64 %17
  store <16 x i16> %105, ptr %125, align 2
  %126 = getelementptr i16, ptr %9, i64 %20
  store <16 x i16> %114, ptr %126, align 2
  %127 = getelementptr i16, ptr %9, i64 %23
  store <16 x i16> %123, ptr %127, align 2
  %128 = add nsw i64 %13, 1
  %129 = icmp slt i64 %128, %4
  br i1 %129, label %loop, label %after

after:                                            ; preds = %loop
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.sqrt.f32(float) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float>) #1

