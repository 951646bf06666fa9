; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  br label %loop

loop:                                             ; preds = %after4, %entry
  %8 = phi i64 [ %3, %entry ], [ %133, %after4 ]
  %9 = mul nsw i64 %8, 32000
  br label %loop1

after:                                            ; preds = %after4
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.031 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %26, %loop1 ]
  %.030 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %30, %loop1 ]
  %.029 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %34, %loop1 ]
  %.028 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %38, %loop1 ]
  %10 = phi i64 [ 0, %loop ], [ %39, %loop1 ]
  %11 = add nsw i64 %9, %10
  %12 = getelementptr float, ptr %5, i64 %11
  %13 = load <16 x float>, ptr %12, align 4
  %14 = or disjoint i64 %11, 16
  %15 = getelementptr float, ptr %5, i64 %14
  %16 = load <16 x float>, ptr %15, align 4
  %17 = or disjoint i64 %11, 32
  %18 = getelementptr float, ptr %5, i64 %17
  %19 = load <16 x float>, ptr %18, align 4
  %20 = or disjoint i64 %11, 48
  %21 = getelementptr float, ptr %5, i64 %20
  %22 = load <16 x float>, ptr %21, align 4
  %23 = fcmp olt <16 x float> %.031, %13
  %24 = select <16 x i1> %23, <16 x float> %13, <16 x float> %.031
  %25 = fcmp uno <16 x float> %13, zeroinitializer
  %26 = select <16 x i1> %25, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %24
  %27 = fcmp olt <16 x float> %.030, %16
  %28 = select <16 x i1> %27, <16 x float> %16, <16 x float> %.030
  %29 = fcmp uno <16 x float> %16, zeroinitializer
  %30 = select <16 x i1> %29, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %28
  %31 = fcmp olt <16 x float> %.029, %19
  %32 = select <16 x i1> %31, <16 x float> %19, <16 x float> %.029
  %33 = fcmp uno <16 x float> %19, zeroinitializer
  %34 = select <16 x i1> %33, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %32
  %35 = fcmp olt <16 x float> %.028, %22
  %36 = select <16 x i1> %35, <16 x float> %22, <16 x float> %.028
  %37 = fcmp uno <16 x float> %22, zeroinitializer
  %38 = select <16 x i1> %37, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %36
  %39 = add nuw nsw i64 %10, 64
  %40 = icmp ult i64 %10, 31936
  br i1 %40, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %41 = fcmp olt <16 x float> %26, %30
  %42 = select <16 x i1> %41, <16 x float> %30, <16 x float> %26
  %43 = fcmp uno <16 x float> %30, zeroinitializer
  %44 = select <16 x i1> %43, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %42
  %45 = fcmp olt <16 x float> %44, %34
  %46 = select <16 x i1> %45, <16 x float> %34, <16 x float> %44
  %47 = fcmp uno <16 x float> %34, zeroinitializer
  %48 = select <16 x i1> %47, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %46
  %49 = fcmp olt <16 x float> %48, %38
  %50 = select <16 x i1> %49, <16 x float> %38, <16 x float> %48
  %51 = fcmp uno <16 x float> %38, zeroinitializer
  %52 = select <16 x i1> %51, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %50
  %53 = shufflevector <16 x float> %52, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %54 = shufflevector <16 x float> %52, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %55 = fcmp olt <8 x float> %53, %54
  %56 = select <8 x i1> %55, <8 x float> %54, <8 x float> %53
  %57 = fcmp uno <8 x float> %54, zeroinitializer
  %58 = select <8 x i1> %57, <8 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <8 x float> %56
  %59 = shufflevector <8 x float> %58, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %60 = shufflevector <8 x float> %58, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %61 = fcmp olt <4 x float> %59, %60
  %62 = select <4 x i1> %61, <4 x float> %60, <4 x float> %59
  %63 = fcmp uno <4 x float> %60, zeroinitializer
  %64 = select <4 x i1> %63, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %62
  %65 = shufflevector <4 x float> %64, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %66 = shufflevector <4 x float> %64, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %67 = fcmp olt <2 x float> %65, %66
  %68 = select <2 x i1> %67, <2 x float> %66, <2 x float> %65
  %69 = fcmp uno <2 x float> %66, zeroinitializer
  %70 = select <2 x i1> %69, <2 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000>, <2 x float> %68
  %71 = extractelement <2 x float> %70, i64 0
  %72 = extractelement <2 x float> %70, i64 1
  %73 = fcmp olt float %71, %72
  %74 = select i1 %73, float %72, float %71
  %75 = fcmp uno float %72, 0.000000e+00
  %76 = select i1 %75, float 0x7FF8000000000000, float %74
  %77 = insertelement <16 x float> poison, float %76, i64 0
  %78 = shufflevector <16 x float> %77, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop3

loop3:                                            ; preds = %after6, %after2
  %.026 = phi <16 x double> [ zeroinitializer, %after2 ], [ %.127, %after6 ]
  %.023 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.225, %after6 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.2, %after6 ]
  %79 = phi i64 [ 0, %after2 ], [ %80, %after6 ]
  %80 = add nuw nsw i64 %79, 1024
  %81 = icmp ult i64 %79, 30976
  %82 = select i1 %81, i64 %80, i64 32000
  br label %loop5

after4:                                           ; preds = %after6
  %83 = fadd <16 x float> %.225, %.2
  %84 = fpext <16 x float> %83 to <16 x double>
  %85 = fadd <16 x double> %.127, %84
  %86 = shufflevector <16 x double> %85, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %87 = shufflevector <16 x double> %85, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %88 = fadd <8 x double> %86, %87
  %89 = shufflevector <8 x double> %88, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %90 = shufflevector <8 x double> %88, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %91 = fadd <4 x double> %89, %90
  %92 = shufflevector <4 x double> %91, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %93 = shufflevector <4 x double> %91, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %94 = fadd <2 x double> %92, %93
  %95 = extractelement <2 x double> %94, i64 0
  %96 = extractelement <2 x double> %94, i64 1
  %97 = fadd double %95, %96
  %98 = fptrunc double %97 to float
  %99 = fcmp olt float %98, 0x3810000000000000
  %100 = fmul float %98, 0x4160000000000000
  %101 = select i1 %99, float %100, float %98
  %102 = select i1 %99, float -2.300000e+01, float 0.000000e+00
  %103 = bitcast float %101 to i32
  %104 = add i32 %103, -1060439283
  %105 = ashr i32 %104, 23
  %106 = and i32 %104, -8388608
  %107 = sub i32 %103, %106
  %108 = bitcast i32 %107 to float
  %109 = fadd float %108, -1.000000e+00
  %110 = sitofp i32 %105 to float
  %111 = fadd float %102, %110
  %112 = fmul float %109, %109
  %113 = call float @llvm.fma.f32(float %109, float 0xBFB385DBE0000000, float 0x3FC085C160000000)
  %114 = call float @llvm.fma.f32(float %113, float %109, float 0xBFC0F38280000000)
  %115 = call float @llvm.fma.f32(float %114, float %109, float 0x3FC226EA00000000)
  %116 = call float @llvm.fma.f32(float %115, float %109, float 0xBFC5426F60000000)
  %117 = call float @llvm.fma.f32(float %116, float %109, float 0x3FC99A4160000000)
  %118 = call float @llvm.fma.f32(float %117, float %109, float 0xBFD00042A0000000)
  %119 = call float @llvm.fma.f32(float %118, float %109, float 0x3FD5555500000000)
  %120 = call float @llvm.fma.f32(float %119, float %109, float 0xBFDFFFFF80000000)
  %121 = fmul float %112, %120
  %122 = call float @llvm.fma.f32(float %111, float 0x3EB7F7D1C0000000, float %121)
  %123 = fadd float %109, %122
  %124 = call float @llvm.fma.f32(float %111, float 0x3FE62E4000000000, float %123)
  %125 = fcmp oeq float %98, 0x7FF0000000000000
  %126 = select i1 %125, float 0x7FF0000000000000, float %124
  %127 = fcmp oeq float %98, 0.000000e+00
  %128 = select i1 %127, float 0xFFF0000000000000, float %126
  %129 = fcmp ult float %98, 0.000000e+00
  %130 = select i1 %129, float 0x7FF8000000000000, float %128
  %131 = fadd float %130, %76
  %132 = getelementptr float, ptr %7, i64 %8
  store float %131, ptr %132, align 4
  %133 = add nsw i64 %8, 1
  %134 = icmp slt i64 %133, %4
  br i1 %134, label %loop, label %after

loop5:                                            ; preds = %loop5, %loop3
  %.124 = phi <16 x float> [ %.023, %loop3 ], [ %176, %loop5 ]
  %.1 = phi <16 x float> [ %.0, %loop3 ], [ %177, %loop5 ]
  %135 = phi i64 [ %79, %loop3 ], [ %178, %loop5 ]
  %136 = add nsw i64 %9, %135
  %137 = getelementptr float, ptr %5, i64 %136
  %138 = load <16 x float>, ptr %137, align 4
  %139 = or disjoint i64 %136, 16
  %140 = getelementptr float, ptr %5, i64 %139
  %141 = load <16 x float>, ptr %140, align 4
  %142 = fsub <16 x float> %138, %78
  %143 = fsub <16 x float> %141, %78
  %144 = fcmp olt <16 x float> %142, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %145 = select <16 x i1> %144, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %142
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
  %160 = fcmp olt <16 x float> %143, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %161 = select <16 x i1> %160, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %143
  %162 = fcmp ogt <16 x float> %161, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %163 = select <16 x i1> %162, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %161
  %164 = call <16 x float> @llvm.fma.v16f32(<16 x float> %163, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %165 = fadd <16 x float> %164, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %166 = call <16 x float> @llvm.fma.v16f32(<16 x float> %165, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %163)
  %167 = call <16 x float> @llvm.fma.v16f32(<16 x float> %165, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %166)
  %168 = call <16 x float> @llvm.fma.v16f32(<16 x float> %167, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %169 = call <16 x float> @llvm.fma.v16f32(<16 x float> %168, <16 x float> %167, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %170 = call <16 x float> @llvm.fma.v16f32(<16 x float> %169, <16 x float> %167, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %171 = call <16 x float> @llvm.fma.v16f32(<16 x float> %170, <16 x float> %167, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %172 = fmul <16 x float> %167, %167
  %173 = call <16 x float> @llvm.fma.v16f32(<16 x float> %172, <16 x float> %171, <16 x float> %167)
  %174 = fadd <16 x float> %173, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %175 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %174, <16 x float> %165, <16 x float> %174, i16 -1, i32 4)
  %176 = fadd <16 x float> %.124, %159
  %177 = fadd <16 x float> %.1, %175
  %178 = add nuw nsw i64 %135, 32
  %179 = icmp ult i64 %178, %82
  br i1 %179, label %loop5, label %after6

after6:                                           ; preds = %loop5
  %180 = fadd <16 x float> %176, %177
  %181 = fpext <16 x float> %180 to <16 x double>
  %182 = fadd <16 x double> %.026, %181
  %.127 = select i1 %81, <16 x double> %182, <16 x double> %.026
  %.225 = select i1 %81, <16 x float> zeroinitializer, <16 x float> %176
  %.2 = select i1 %81, <16 x float> zeroinitializer, <16 x float> %177
  br i1 %81, label %loop3, label %after4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #1

