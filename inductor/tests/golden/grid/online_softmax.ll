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
  %8 = phi i64 [ %3, %entry ], [ %196, %after9 ]
  %9 = mul nsw i64 %8, 40000
  br label %loop1

after:                                            ; preds = %after9
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.033 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %26, %loop1 ]
  %.032 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %30, %loop1 ]
  %.031 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %34, %loop1 ]
  %.030 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %38, %loop1 ]
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
  %23 = fcmp olt <16 x float> %.033, %13
  %24 = select <16 x i1> %23, <16 x float> %13, <16 x float> %.033
  %25 = fcmp uno <16 x float> %13, zeroinitializer
  %26 = select <16 x i1> %25, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %24
  %27 = fcmp olt <16 x float> %.032, %16
  %28 = select <16 x i1> %27, <16 x float> %16, <16 x float> %.032
  %29 = fcmp uno <16 x float> %16, zeroinitializer
  %30 = select <16 x i1> %29, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %28
  %31 = fcmp olt <16 x float> %.031, %19
  %32 = select <16 x i1> %31, <16 x float> %19, <16 x float> %.031
  %33 = fcmp uno <16 x float> %19, zeroinitializer
  %34 = select <16 x i1> %33, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %32
  %35 = fcmp olt <16 x float> %.030, %22
  %36 = select <16 x i1> %35, <16 x float> %22, <16 x float> %.030
  %37 = fcmp uno <16 x float> %22, zeroinitializer
  %38 = select <16 x i1> %37, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %36
  %39 = add nuw nsw i64 %10, 64
  %40 = icmp ult i64 %10, 39936
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
  %.028 = phi <16 x double> [ zeroinitializer, %after2 ], [ %.129, %after6 ]
  %.025 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.227, %after6 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after2 ], [ %.2, %after6 ]
  %79 = phi i64 [ 0, %after2 ], [ %80, %after6 ]
  %80 = add nuw nsw i64 %79, 1024
  %81 = icmp ult i64 %79, 38976
  %82 = select i1 %81, i64 %80, i64 40000
  br label %loop5

after4:                                           ; preds = %after6
  %83 = fadd <16 x float> %.227, %.2
  %84 = fpext <16 x float> %83 to <16 x double>
  %85 = fadd <16 x double> %.129, %84
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
  %99 = insertelement <16 x float> poison, float %98, i64 0
  %100 = shufflevector <16 x float> %99, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop8

loop5:                                            ; preds = %loop5, %loop3
  %.126 = phi <16 x float> [ %.025, %loop3 ], [ %142, %loop5 ]
  %.1 = phi <16 x float> [ %.0, %loop3 ], [ %143, %loop5 ]
  %101 = phi i64 [ %79, %loop3 ], [ %144, %loop5 ]
  %102 = add nsw i64 %9, %101
  %103 = getelementptr float, ptr %5, i64 %102
  %104 = load <16 x float>, ptr %103, align 4
  %105 = or disjoint i64 %102, 16
  %106 = getelementptr float, ptr %5, i64 %105
  %107 = load <16 x float>, ptr %106, align 4
  %108 = fsub <16 x float> %104, %78
  %109 = fsub <16 x float> %107, %78
  %110 = fcmp olt <16 x float> %108, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %111 = select <16 x i1> %110, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %108
  %112 = fcmp ogt <16 x float> %111, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %113 = select <16 x i1> %112, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %111
  %114 = call <16 x float> @llvm.fma.v16f32(<16 x float> %113, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %115 = fadd <16 x float> %114, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %116 = call <16 x float> @llvm.fma.v16f32(<16 x float> %115, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %113)
  %117 = call <16 x float> @llvm.fma.v16f32(<16 x float> %115, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %116)
  %118 = call <16 x float> @llvm.fma.v16f32(<16 x float> %117, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %119 = call <16 x float> @llvm.fma.v16f32(<16 x float> %118, <16 x float> %117, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %120 = call <16 x float> @llvm.fma.v16f32(<16 x float> %119, <16 x float> %117, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %121 = call <16 x float> @llvm.fma.v16f32(<16 x float> %120, <16 x float> %117, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %122 = fmul <16 x float> %117, %117
  %123 = call <16 x float> @llvm.fma.v16f32(<16 x float> %122, <16 x float> %121, <16 x float> %117)
  %124 = fadd <16 x float> %123, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %125 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %124, <16 x float> %115, <16 x float> %124, i16 -1, i32 4)
  %126 = fcmp olt <16 x float> %109, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %127 = select <16 x i1> %126, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %109
  %128 = fcmp ogt <16 x float> %127, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %129 = select <16 x i1> %128, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %127
  %130 = call <16 x float> @llvm.fma.v16f32(<16 x float> %129, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %131 = fadd <16 x float> %130, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %132 = call <16 x float> @llvm.fma.v16f32(<16 x float> %131, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %129)
  %133 = call <16 x float> @llvm.fma.v16f32(<16 x float> %131, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %132)
  %134 = call <16 x float> @llvm.fma.v16f32(<16 x float> %133, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %135 = call <16 x float> @llvm.fma.v16f32(<16 x float> %134, <16 x float> %133, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %136 = call <16 x float> @llvm.fma.v16f32(<16 x float> %135, <16 x float> %133, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %137 = call <16 x float> @llvm.fma.v16f32(<16 x float> %136, <16 x float> %133, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %138 = fmul <16 x float> %133, %133
  %139 = call <16 x float> @llvm.fma.v16f32(<16 x float> %138, <16 x float> %137, <16 x float> %133)
  %140 = fadd <16 x float> %139, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %141 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %140, <16 x float> %131, <16 x float> %140, i16 -1, i32 4)
  %142 = fadd <16 x float> %.126, %125
  %143 = fadd <16 x float> %.1, %141
  %144 = add nuw nsw i64 %101, 32
  %145 = icmp ult i64 %144, %82
  br i1 %145, label %loop5, label %after6

after6:                                           ; preds = %loop5
  %146 = fadd <16 x float> %142, %143
  %147 = fpext <16 x float> %146 to <16 x double>
  %148 = fadd <16 x double> %.028, %147
  %.129 = select i1 %81, <16 x double> %148, <16 x double> %.028
  %.227 = select i1 %81, <16 x float> zeroinitializer, <16 x float> %142
  %.2 = select i1 %81, <16 x float> zeroinitializer, <16 x float> %143
  br i1 %81, label %loop3, label %after4

loop8:                                            ; preds = %loop8, %after4
  %149 = phi i64 [ 0, %after4 ], [ %194, %loop8 ]
  %150 = add nsw i64 %9, %149
  %151 = getelementptr float, ptr %5, i64 %150
  %152 = load <16 x float>, ptr %151, align 4
  %153 = or disjoint i64 %150, 16
  %154 = getelementptr float, ptr %5, i64 %153
  %155 = load <16 x float>, ptr %154, align 4
  %156 = fsub <16 x float> %152, %78
  %157 = fsub <16 x float> %155, %78
  %158 = fcmp olt <16 x float> %156, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %159 = select <16 x i1> %158, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %156
  %160 = fcmp ogt <16 x float> %159, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %161 = select <16 x i1> %160, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %159
  %162 = call <16 x float> @llvm.fma.v16f32(<16 x float> %161, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %163 = fadd <16 x float> %162, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %164 = call <16 x float> @llvm.fma.v16f32(<16 x float> %163, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %161)
  %165 = call <16 x float> @llvm.fma.v16f32(<16 x float> %163, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %164)
  %166 = call <16 x float> @llvm.fma.v16f32(<16 x float> %165, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %167 = call <16 x float> @llvm.fma.v16f32(<16 x float> %166, <16 x float> %165, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %168 = call <16 x float> @llvm.fma.v16f32(<16 x float> %167, <16 x float> %165, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %169 = call <16 x float> @llvm.fma.v16f32(<16 x float> %168, <16 x float> %165, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %170 = fmul <16 x float> %165, %165
  %171 = call <16 x float> @llvm.fma.v16f32(<16 x float> %170, <16 x float> %169, <16 x float> %165)
  %172 = fadd <16 x float> %171, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %173 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %172, <16 x float> %163, <16 x float> %172, i16 -1, i32 4)
  %174 = fcmp olt <16 x float> %157, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %175 = select <16 x i1> %174, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %157
  %176 = fcmp ogt <16 x float> %175, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %177 = select <16 x i1> %176, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %175
  %178 = call <16 x float> @llvm.fma.v16f32(<16 x float> %177, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %179 = fadd <16 x float> %178, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %180 = call <16 x float> @llvm.fma.v16f32(<16 x float> %179, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %177)
  %181 = call <16 x float> @llvm.fma.v16f32(<16 x float> %179, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %180)
  %182 = call <16 x float> @llvm.fma.v16f32(<16 x float> %181, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %183 = call <16 x float> @llvm.fma.v16f32(<16 x float> %182, <16 x float> %181, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %184 = call <16 x float> @llvm.fma.v16f32(<16 x float> %183, <16 x float> %181, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %185 = call <16 x float> @llvm.fma.v16f32(<16 x float> %184, <16 x float> %181, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %186 = fmul <16 x float> %181, %181
  %187 = call <16 x float> @llvm.fma.v16f32(<16 x float> %186, <16 x float> %185, <16 x float> %181)
  %188 = fadd <16 x float> %187, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %189 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %188, <16 x float> %179, <16 x float> %188, i16 -1, i32 4)
  %190 = fdiv <16 x float> %173, %100
  %191 = fdiv <16 x float> %189, %100
  %192 = getelementptr float, ptr %7, i64 %150
  store <16 x float> %190, ptr %192, align 4
  %193 = getelementptr float, ptr %7, i64 %153
  store <16 x float> %191, ptr %193, align 4
  %194 = add nuw nsw i64 %149, 32
  %195 = icmp ult i64 %149, 39968
  br i1 %195, label %loop8, label %after9

after9:                                           ; preds = %loop8
  %196 = add nsw i64 %8, 1
  %197 = icmp slt i64 %196, %4
  br i1 %197, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32 immarg) #2

