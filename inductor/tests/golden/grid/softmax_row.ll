; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  br label %loop

loop:                                             ; preds = %after9, %entry
  %8 = phi i64 [ %3, %entry ], [ %232, %after9 ]
  %9 = shl nsw i64 %8, 12
  br label %loop1

after:                                            ; preds = %after9
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.033 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %38, %loop1 ]
  %.032 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %42, %loop1 ]
  %.031 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %46, %loop1 ]
  %.030 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %50, %loop1 ]
  %10 = phi i64 [ 0, %loop ], [ %51, %loop1 ]
  %11 = add nsw i64 %9, %10
  %12 = getelementptr i16, ptr %5, i64 %11
  %13 = load <16 x i16>, ptr %12, align 2
  %14 = or disjoint i64 %11, 16
  %15 = getelementptr i16, ptr %5, i64 %14
  %16 = load <16 x i16>, ptr %15, align 2
  %17 = or disjoint i64 %11, 32
  %18 = getelementptr i16, ptr %5, i64 %17
  %19 = load <16 x i16>, ptr %18, align 2
  %20 = or disjoint i64 %11, 48
  %21 = getelementptr i16, ptr %5, i64 %20
  %22 = load <16 x i16>, ptr %21, align 2
  %23 = zext <16 x i16> %13 to <16 x i32>
  %24 = shl nuw <16 x i32> %23, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %25 = bitcast <16 x i32> %24 to <16 x float>
  %26 = zext <16 x i16> %16 to <16 x i32>
  %27 = shl nuw <16 x i32> %26, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %28 = bitcast <16 x i32> %27 to <16 x float>
  %29 = zext <16 x i16> %19 to <16 x i32>
  %30 = shl nuw <16 x i32> %29, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %31 = bitcast <16 x i32> %30 to <16 x float>
  %32 = zext <16 x i16> %22 to <16 x i32>
  %33 = shl nuw <16 x i32> %32, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %34 = bitcast <16 x i32> %33 to <16 x float>
  %35 = fcmp olt <16 x float> %.033, %25
  %36 = select <16 x i1> %35, <16 x float> %25, <16 x float> %.033
  %37 = fcmp uno <16 x float> %25, zeroinitializer
  %38 = select <16 x i1> %37, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %36
  %39 = fcmp olt <16 x float> %.032, %28
  %40 = select <16 x i1> %39, <16 x float> %28, <16 x float> %.032
  %41 = fcmp uno <16 x float> %28, zeroinitializer
  %42 = select <16 x i1> %41, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %40
  %43 = fcmp olt <16 x float> %.031, %31
  %44 = select <16 x i1> %43, <16 x float> %31, <16 x float> %.031
  %45 = fcmp uno <16 x float> %31, zeroinitializer
  %46 = select <16 x i1> %45, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %44
  %47 = fcmp olt <16 x float> %.030, %34
  %48 = select <16 x i1> %47, <16 x float> %34, <16 x float> %.030
  %49 = fcmp uno <16 x float> %34, zeroinitializer
  %50 = select <16 x i1> %49, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %48
  %51 = add nuw nsw i64 %10, 64
  %52 = icmp ult i64 %10, 4032
  br i1 %52, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %53 = fcmp olt <16 x float> %38, %42
  %54 = select <16 x i1> %53, <16 x float> %42, <16 x float> %38
  %55 = fcmp uno <16 x float> %42, zeroinitializer
  %56 = select <16 x i1> %55, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %54
  %57 = fcmp olt <16 x float> %56, %46
  %58 = select <16 x i1> %57, <16 x float> %46, <16 x float> %56
  %59 = fcmp uno <16 x float> %46, zeroinitializer
  %60 = select <16 x i1> %59, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %58
  %61 = fcmp olt <16 x float> %60, %50
  %62 = select <16 x i1> %61, <16 x float> %50, <16 x float> %60
  %63 = fcmp uno <16 x float> %50, zeroinitializer
  %64 = select <16 x i1> %63, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %62
  %65 = shufflevector <16 x float> %64, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %66 = shufflevector <16 x float> %64, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %67 = fcmp olt <8 x float> %65, %66
  %68 = select <8 x i1> %67, <8 x float> %66, <8 x float> %65
  %69 = fcmp uno <8 x float> %66, zeroinitializer
  %70 = select <8 x i1> %69, <8 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <8 x float> %68
  %71 = shufflevector <8 x float> %70, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %72 = shufflevector <8 x float> %70, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %73 = fcmp olt <4 x float> %71, %72
  %74 = select <4 x i1> %73, <4 x float> %72, <4 x float> %71
  %75 = fcmp uno <4 x float> %72, zeroinitializer
  %76 = select <4 x i1> %75, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %74
  %77 = shufflevector <4 x float> %76, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %78 = shufflevector <4 x float> %76, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %79 = fcmp olt <2 x float> %77, %78
  %80 = select <2 x i1> %79, <2 x float> %78, <2 x float> %77
  %81 = fcmp uno <2 x float> %78, zeroinitializer
  %82 = select <2 x i1> %81, <2 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000>, <2 x float> %80
  %83 = extractelement <2 x float> %82, i64 0
  %84 = extractelement <2 x float> %82, i64 1
  %85 = fcmp olt float %83, %84
  %86 = select i1 %85, float %84, float %83
  %87 = fcmp uno float %84, 0.000000e+00
  %88 = select i1 %87, float 0x7FF8000000000000, float %86
  %89 = insertelement <16 x float> poison, float %88, i64 0
  %90 = shufflevector <16 x float> %89, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop3

loop3:                                            ; preds = %after6, %after2
  %.028 = phi <16 x double> [ zeroinitializer, %after2 ], [ %.129, %after6 ]
  %.025 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.227, %after6 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.2, %after6 ]
  %91 = phi i64 [ 0, %after2 ], [ %92, %after6 ]
  %92 = add nuw nsw i64 %91, 1024
  %93 = icmp ult i64 %91, 3072
  %94 = select i1 %93, i64 %92, i64 4096
  br label %loop5

after4:                                           ; preds = %after6
  %95 = fadd <16 x float> %.227, %.2
  %96 = fpext <16 x float> %95 to <16 x double>
  %97 = fadd <16 x double> %.129, %96
  %98 = shufflevector <16 x double> %97, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %99 = shufflevector <16 x double> %97, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %100 = fadd <8 x double> %98, %99
  %101 = shufflevector <8 x double> %100, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %102 = shufflevector <8 x double> %100, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %103 = fadd <4 x double> %101, %102
  %104 = shufflevector <4 x double> %103, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %105 = shufflevector <4 x double> %103, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %106 = fadd <2 x double> %104, %105
  %107 = extractelement <2 x double> %106, i64 0
  %108 = extractelement <2 x double> %106, i64 1
  %109 = fadd double %107, %108
  %110 = fptrunc double %109 to float
  %111 = insertelement <16 x float> poison, float %110, i64 0
  %112 = shufflevector <16 x float> %111, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop8

loop5:                                            ; preds = %loop5, %loop3
  %.126 = phi <16 x float> [ %.025, %loop3 ], [ %163, %loop5 ]
  %.1 = phi <16 x float> [ %.0, %loop3 ], [ %164, %loop5 ]
  %113 = phi i64 [ %91, %loop3 ], [ %165, %loop5 ]
  %114 = add nsw i64 %9, %113
  %115 = getelementptr i16, ptr %5, i64 %114
  %116 = load <16 x i16>, ptr %115, align 2
  %117 = or disjoint i64 %114, 16
  %118 = getelementptr i16, ptr %5, i64 %117
  %119 = load <16 x i16>, ptr %118, align 2
  %120 = zext <16 x i16> %116 to <16 x i32>
  %121 = shl nuw <16 x i32> %120, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %122 = bitcast <16 x i32> %121 to <16 x float>
  %123 = zext <16 x i16> %119 to <16 x i32>
  %124 = shl nuw <16 x i32> %123, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %125 = bitcast <16 x i32> %124 to <16 x float>
  %126 = fsub <16 x float> %122, %90
  %127 = fsub <16 x float> %125, %90
  %128 = fcmp olt <16 x float> %126, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %129 = select <16 x i1> %128, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %126
  %130 = fcmp ogt <16 x float> %129, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %131 = select <16 x i1> %130, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %129
  %132 = call <16 x float> @llvm.fma.v16f32(<16 x float> %131, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %133 = fadd <16 x float> %132, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %134 = call <16 x float> @llvm.fma.v16f32(<16 x float> %133, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %131)
  %135 = call <16 x float> @llvm.fma.v16f32(<16 x float> %133, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %134)
  %136 = call <16 x float> @llvm.fma.v16f32(<16 x float> %135, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %137 = call <16 x float> @llvm.fma.v16f32(<16 x float> %136, <16 x float> %135, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %138 = call <16 x float> @llvm.fma.v16f32(<16 x float> %137, <16 x float> %135, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %139 = call <16 x float> @llvm.fma.v16f32(<16 x float> %138, <16 x float> %135, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %140 = fmul <16 x float> %135, %135
  %141 = call <16 x float> @llvm.fma.v16f32(<16 x float> %140, <16 x float> %139, <16 x float> %135)
  %142 = fadd <16 x float> %141, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %143 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %142, <16 x float> %133, <16 x float> %142, i16 -1, i32 4)
  %144 = fcmp olt <16 x float> %127, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %145 = select <16 x i1> %144, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %127
  %146 = fcmp ogt <16 x float> %145, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %147 = select <16 x i1> %146, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %145
  %148 = call <16 x float> @llvm.fma.v16f32(<16 x float> %147, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %149 = fadd <16 x float> %148, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %150 = call <16 x float> @llvm.fma.v16f32(<16 x float> %149, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %147)
  %151 = call <16 x float> @llvm.fma.v16f32(<16 x float> %149, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %150)
  %152 = call <16 x float> @llvm.fma.v16f32(<16 x float> %151, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %153 = call <16 x float> @llvm.fma.v16f32(<16 x float> %152, <16 x float> %151, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %154 = call <16 x float> @llvm.fma.v16f32(<16 x float> %153, <16 x float> %151, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %155 = call <16 x float> @llvm.fma.v16f32(<16 x float> %154, <16 x float> %151, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %156 = fmul <16 x float> %151, %151
  %157 = call <16 x float> @llvm.fma.v16f32(<16 x float> %156, <16 x float> %155, <16 x float> %151)
  %158 = fadd <16 x float> %157, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %159 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %158, <16 x float> %149, <16 x float> %158, i16 -1, i32 4)
  %160 = or disjoint i64 %113, 16
  %161 = getelementptr float, ptr %1, i64 %113
  store <16 x float> %143, ptr %161, align 4
  %162 = getelementptr float, ptr %1, i64 %160
  store <16 x float> %159, ptr %162, align 4
  %163 = fadd <16 x float> %.126, %143
  %164 = fadd <16 x float> %.1, %159
  %165 = add nuw nsw i64 %113, 32
  %166 = icmp ult i64 %165, %94
  br i1 %166, label %loop5, label %after6

after6:                                           ; preds = %loop5
  %167 = fadd <16 x float> %163, %164
  %168 = fpext <16 x float> %167 to <16 x double>
  %169 = fadd <16 x double> %.028, %168
  %.129 = select i1 %93, <16 x double> %169, <16 x double> %.028
  %.227 = select i1 %93, <16 x float> zeroinitializer, <16 x float> %163
  %.2 = select i1 %93, <16 x float> zeroinitializer, <16 x float> %164
  br i1 %93, label %loop3, label %after4

loop8:                                            ; preds = %loop8, %after4
  %170 = phi i64 [ 0, %after4 ], [ %230, %loop8 ]
  %171 = getelementptr float, ptr %1, i64 %170
  %172 = load <16 x float>, ptr %171, align 4
  %173 = or disjoint i64 %170, 16
  %174 = getelementptr float, ptr %1, i64 %173
  %175 = load <16 x float>, ptr %174, align 4
  %176 = or disjoint i64 %170, 32
  %177 = getelementptr float, ptr %1, i64 %176
  %178 = load <16 x float>, ptr %177, align 4
  %179 = or disjoint i64 %170, 48
  %180 = getelementptr float, ptr %1, i64 %179
  %181 = load <16 x float>, ptr %180, align 4
  %182 = fdiv <16 x float> %172, %112
  %183 = fdiv <16 x float> %175, %112
  %184 = fdiv <16 x float> %178, %112
  %185 = fdiv <16 x float> %181, %112
  %186 = bitcast <16 x float> %182 to <16 x i32>
  %187 = lshr <16 x i32> %186, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %188 = and <16 x i32> %187, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %189 = add <16 x i32> %186, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %190 = add <16 x i32> %189, %188
  %191 = lshr <16 x i32> %190, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %192 = fcmp uno <16 x float> %182, zeroinitializer
  %193 = trunc nuw <16 x i32> %191 to <16 x i16>
  %194 = select <16 x i1> %192, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %193
  %195 = bitcast <16 x float> %183 to <16 x i32>
  %196 = lshr <16 x i32> %195, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %197 = and <16 x i32> %196, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %198 = add <16 x i32> %195, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %199 = add <16 x i32> %198, %197
  %200 = lshr <16 x i32> %199, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %201 = fcmp uno <16 x float> %183, zeroinitializer
  %202 = trunc nuw <16 x i32> %200 to <16 x i16>
  %203 = select <16 x i1> %201, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %202
  %204 = bitcast <16 x float> %184 to <16 x i32>
  %205 = lshr <16 x i32> %204, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %206 = and <16 x i32> %205, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %207 = add <16 x i32> %204, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %208 = add <16 x i32> %207, %206
  %209 = lshr <16 x i32> %208, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %210 = fcmp uno <16 x float> %184, zeroinitializer
  %211 = trunc nuw <16 x i32> %209 to <16 x i16>
  %212 = select <16 x i1> %210, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %211
  %213 = bitcast <16 x float> %185 to <16 x i32>
  %214 = lshr <16 x i32> %213, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %215 = and <16 x i32> %214, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %216 = add <16 x i32> %213, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %217 = add <16 x i32> %216, %215
  %218 = lshr <16 x i32> %217, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %219 = fcmp uno <16 x float> %185, zeroinitializer
  %220 = trunc nuw <16 x i32> %218 to <16 x i16>
  %221 = select <16 x i1> %219, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %220
  %222 = add nsw i64 %9, %170
  %223 = or disjoint i64 %222, 16
  %224 = or disjoint i64 %222, 32
  %225 = or disjoint i64 %222, 48
  %226 = getelementptr i16, ptr %7, i64 %222
  store <16 x i16> %194, ptr %226, align 2
  %227 = getelementptr i16, ptr %7, i64 %223
  store <16 x i16> %203, ptr %227, align 2
  %228 = getelementptr i16, ptr %7, i64 %224
  store <16 x i16> %212, ptr %228, align 2
  %229 = getelementptr i16, ptr %7, i64 %225
  store <16 x i16> %221, ptr %229, align 2
  %230 = add nuw nsw i64 %170, 64
  %231 = icmp ult i64 %170, 4032
  br i1 %231, label %loop8, label %after9

after9:                                           ; preds = %loop8
  %232 = add nsw i64 %8, 1
  %233 = icmp slt i64 %232, %4
  br i1 %233, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32 immarg) #2

