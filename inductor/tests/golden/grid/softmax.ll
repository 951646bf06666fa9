; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %invariant.gep = getelementptr i8, ptr %5, i64 64
  %invariant.gep33 = getelementptr i8, ptr %5, i64 128
  %invariant.gep35 = getelementptr i8, ptr %5, i64 192
  %invariant.gep37 = getelementptr i8, ptr %5, i64 64
  %8 = getelementptr i8, ptr %1, i64 768
  %invariant.gep39 = getelementptr i8, ptr %7, i64 64
  %invariant.gep41 = getelementptr i8, ptr %7, i64 128
  %invariant.gep43 = getelementptr i8, ptr %7, i64 192
  br label %loop

loop:                                             ; preds = %after6, %entry
  %9 = phi i64 [ %3, %entry ], [ %189, %after6 ]
  %10 = mul nsw i64 %9, 200
  br label %loop1

after:                                            ; preds = %after6
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.024 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %21, %loop1 ]
  %.023 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %25, %loop1 ]
  %.022 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %29, %loop1 ]
  %.021 = phi <16 x float> [ <float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000, float 0xFFF0000000000000>, %loop ], [ %33, %loop1 ]
  %11 = phi i64 [ 0, %loop ], [ %34, %loop1 ]
  %12 = add nsw i64 %10, %11
  %13 = getelementptr float, ptr %5, i64 %12
  %14 = load <16 x float>, ptr %13, align 4
  %gep = getelementptr float, ptr %invariant.gep, i64 %12
  %15 = load <16 x float>, ptr %gep, align 4
  %gep34 = getelementptr float, ptr %invariant.gep33, i64 %12
  %16 = load <16 x float>, ptr %gep34, align 4
  %gep36 = getelementptr float, ptr %invariant.gep35, i64 %12
  %17 = load <16 x float>, ptr %gep36, align 4
  %18 = fcmp olt <16 x float> %.024, %14
  %19 = select <16 x i1> %18, <16 x float> %14, <16 x float> %.024
  %20 = fcmp uno <16 x float> %14, zeroinitializer
  %21 = select <16 x i1> %20, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %19
  %22 = fcmp olt <16 x float> %.023, %15
  %23 = select <16 x i1> %22, <16 x float> %15, <16 x float> %.023
  %24 = fcmp uno <16 x float> %15, zeroinitializer
  %25 = select <16 x i1> %24, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %23
  %26 = fcmp olt <16 x float> %.022, %16
  %27 = select <16 x i1> %26, <16 x float> %16, <16 x float> %.022
  %28 = fcmp uno <16 x float> %16, zeroinitializer
  %29 = select <16 x i1> %28, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %27
  %30 = fcmp olt <16 x float> %.021, %17
  %31 = select <16 x i1> %30, <16 x float> %17, <16 x float> %.021
  %32 = fcmp uno <16 x float> %17, zeroinitializer
  %33 = select <16 x i1> %32, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %31
  %34 = add nuw nsw i64 %11, 64
  %35 = icmp ult i64 %11, 128
  br i1 %35, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %36 = add nsw i64 %10, 192
  %37 = getelementptr float, ptr %5, i64 %36
  %38 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %37, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %39 = fcmp olt <16 x float> %21, %38
  %40 = select <16 x i1> %39, <16 x float> %38, <16 x float> %21
  %41 = fcmp uno <16 x float> %38, zeroinitializer
  %42 = select <16 x i1> %41, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison>, <16 x float> %40
  %43 = shufflevector <16 x float> %42, <16 x float> %21, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %44 = fcmp olt <16 x float> %43, %25
  %45 = select <16 x i1> %44, <16 x float> %25, <16 x float> %43
  %46 = fcmp uno <16 x float> %25, zeroinitializer
  %47 = select <16 x i1> %46, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %45
  %48 = fcmp olt <16 x float> %47, %29
  %49 = select <16 x i1> %48, <16 x float> %29, <16 x float> %47
  %50 = fcmp uno <16 x float> %29, zeroinitializer
  %51 = select <16 x i1> %50, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %49
  %52 = fcmp olt <16 x float> %51, %33
  %53 = select <16 x i1> %52, <16 x float> %33, <16 x float> %51
  %54 = fcmp uno <16 x float> %33, zeroinitializer
  %55 = select <16 x i1> %54, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <16 x float> %53
  %56 = shufflevector <16 x float> %55, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %57 = shufflevector <16 x float> %55, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %58 = fcmp olt <8 x float> %56, %57
  %59 = select <8 x i1> %58, <8 x float> %57, <8 x float> %56
  %60 = fcmp uno <8 x float> %57, zeroinitializer
  %61 = select <8 x i1> %60, <8 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <8 x float> %59
  %62 = shufflevector <8 x float> %61, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %63 = shufflevector <8 x float> %61, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %64 = fcmp olt <4 x float> %62, %63
  %65 = select <4 x i1> %64, <4 x float> %63, <4 x float> %62
  %66 = fcmp uno <4 x float> %63, zeroinitializer
  %67 = select <4 x i1> %66, <4 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>, <4 x float> %65
  %68 = shufflevector <4 x float> %67, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %69 = shufflevector <4 x float> %67, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %70 = fcmp olt <2 x float> %68, %69
  %71 = select <2 x i1> %70, <2 x float> %69, <2 x float> %68
  %72 = fcmp uno <2 x float> %69, zeroinitializer
  %73 = select <2 x i1> %72, <2 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000>, <2 x float> %71
  %74 = extractelement <2 x float> %73, i64 0
  %75 = extractelement <2 x float> %73, i64 1
  %76 = fcmp olt float %74, %75
  %77 = select i1 %76, float %75, float %74
  %78 = fcmp uno float %75, 0.000000e+00
  %79 = select i1 %78, float 0x7FF8000000000000, float %77
  %80 = insertelement <16 x float> poison, float %79, i64 0
  %81 = shufflevector <16 x float> %80, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop3

loop3:                                            ; preds = %loop3, %after2
  %.020 = phi <16 x float> [ zeroinitializer, %after2 ], [ %124, %loop3 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after2 ], [ %125, %loop3 ]
  %82 = phi i64 [ 0, %after2 ], [ %126, %loop3 ]
  %83 = add nsw i64 %10, %82
  %84 = getelementptr float, ptr %5, i64 %83
  %85 = load <16 x float>, ptr %84, align 4
  %gep38 = getelementptr float, ptr %invariant.gep37, i64 %83
  %86 = load <16 x float>, ptr %gep38, align 4
  %87 = fsub <16 x float> %85, %81
  %88 = fsub <16 x float> %86, %81
  %89 = fcmp olt <16 x float> %87, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %90 = select <16 x i1> %89, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %87
  %91 = fcmp ogt <16 x float> %90, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %92 = select <16 x i1> %91, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %90
  %93 = call <16 x float> @llvm.fma.v16f32(<16 x float> %92, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %94 = fadd <16 x float> %93, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %95 = call <16 x float> @llvm.fma.v16f32(<16 x float> %94, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %92)
  %96 = call <16 x float> @llvm.fma.v16f32(<16 x float> %94, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %95)
  %97 = call <16 x float> @llvm.fma.v16f32(<16 x float> %96, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %98 = call <16 x float> @llvm.fma.v16f32(<16 x float> %97, <16 x float> %96, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %99 = call <16 x float> @llvm.fma.v16f32(<16 x float> %98, <16 x float> %96, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %100 = call <16 x float> @llvm.fma.v16f32(<16 x float> %99, <16 x float> %96, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %101 = fmul <16 x float> %96, %96
  %102 = call <16 x float> @llvm.fma.v16f32(<16 x float> %101, <16 x float> %100, <16 x float> %96)
  %103 = fadd <16 x float> %102, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %104 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %103, <16 x float> %94, <16 x float> %103, i16 -1, i32 4)
  %105 = fcmp olt <16 x float> %88, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %106 = select <16 x i1> %105, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %88
  %107 = fcmp ogt <16 x float> %106, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %108 = select <16 x i1> %107, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %106
  %109 = call <16 x float> @llvm.fma.v16f32(<16 x float> %108, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %110 = fadd <16 x float> %109, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %111 = call <16 x float> @llvm.fma.v16f32(<16 x float> %110, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %108)
  %112 = call <16 x float> @llvm.fma.v16f32(<16 x float> %110, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %111)
  %113 = call <16 x float> @llvm.fma.v16f32(<16 x float> %112, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %114 = call <16 x float> @llvm.fma.v16f32(<16 x float> %113, <16 x float> %112, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %115 = call <16 x float> @llvm.fma.v16f32(<16 x float> %114, <16 x float> %112, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %116 = call <16 x float> @llvm.fma.v16f32(<16 x float> %115, <16 x float> %112, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %117 = fmul <16 x float> %112, %112
  %118 = call <16 x float> @llvm.fma.v16f32(<16 x float> %117, <16 x float> %116, <16 x float> %112)
  %119 = fadd <16 x float> %118, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %120 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %119, <16 x float> %110, <16 x float> %119, i16 -1, i32 4)
  %121 = or disjoint i64 %82, 16
  %122 = getelementptr float, ptr %1, i64 %82
  store <16 x float> %104, ptr %122, align 4
  %123 = getelementptr float, ptr %1, i64 %121
  store <16 x float> %120, ptr %123, align 4
  %124 = fadd <16 x float> %.020, %104
  %125 = fadd <16 x float> %.0, %120
  %126 = add nuw nsw i64 %82, 32
  %127 = icmp ult i64 %82, 160
  br i1 %127, label %loop3, label %after4

after4:                                           ; preds = %loop3
  %128 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %37, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %129 = fsub <16 x float> %128, %81
  %130 = fcmp olt <16 x float> %129, <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>
  %131 = select <16 x i1> %130, <16 x float> <float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02, float -1.040000e+02>, <16 x float> %129
  %132 = fcmp ogt <16 x float> %131, <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>
  %133 = select <16 x i1> %132, <16 x float> <float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01, float 8.900000e+01>, <16 x float> %131
  %134 = call <16 x float> @llvm.fma.v16f32(<16 x float> %133, <16 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000, float 0x3FF7154760000000>, <16 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>)
  %135 = fadd <16 x float> %134, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>
  %136 = call <16 x float> @llvm.fma.v16f32(<16 x float> %135, <16 x float> <float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000, float 0xBFE62E4000000000>, <16 x float> %133)
  %137 = call <16 x float> @llvm.fma.v16f32(<16 x float> %135, <16 x float> <float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000, float 0xBEB7F7D1C0000000>, <16 x float> %136)
  %138 = call <16 x float> @llvm.fma.v16f32(<16 x float> %137, <16 x float> <float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000, float 0x3F56A234E0000000>, <16 x float> <float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000, float 0x3F8123A6C0000000>)
  %139 = call <16 x float> @llvm.fma.v16f32(<16 x float> %138, <16 x float> %137, <16 x float> <float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000, float 0x3FA5558F40000000>)
  %140 = call <16 x float> @llvm.fma.v16f32(<16 x float> %139, <16 x float> %137, <16 x float> <float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000, float 0x3FC5554900000000>)
  %141 = call <16 x float> @llvm.fma.v16f32(<16 x float> %140, <16 x float> %137, <16 x float> <float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000, float 0x3FDFFFFFC0000000>)
  %142 = fmul <16 x float> %137, %137
  %143 = call <16 x float> @llvm.fma.v16f32(<16 x float> %142, <16 x float> %141, <16 x float> %137)
  %144 = fadd <16 x float> %143, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %145 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %144, <16 x float> %135, <16 x float> %144, i16 -1, i32 4)
  call void @llvm.masked.store.v16f32.p0(<16 x float> %145, ptr %8, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %146 = fadd <16 x float> %124, %145
  %147 = shufflevector <16 x float> %146, <16 x float> %124, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %148 = fpext <16 x float> %147 to <16 x double>
  %149 = fpext <16 x float> %125 to <16 x double>
  %150 = fadd <16 x double> %148, %149
  %151 = shufflevector <16 x double> %150, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %152 = shufflevector <16 x double> %150, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %153 = fadd <8 x double> %151, %152
  %154 = shufflevector <8 x double> %153, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %155 = shufflevector <8 x double> %153, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %156 = fadd <4 x double> %154, %155
  %157 = shufflevector <4 x double> %156, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %158 = shufflevector <4 x double> %156, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %159 = fadd <2 x double> %157, %158
  %160 = extractelement <2 x double> %159, i64 0
  %161 = extractelement <2 x double> %159, i64 1
  %162 = fadd double %160, %161
  %163 = fptrunc double %162 to float
  %164 = insertelement <16 x float> poison, float %163, i64 0
  %165 = shufflevector <16 x float> %164, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop5

loop5:                                            ; preds = %loop5, %after4
  %166 = phi i64 [ 0, %after4 ], [ %184, %loop5 ]
  %167 = getelementptr float, ptr %1, i64 %166
  %168 = load <16 x float>, ptr %167, align 4
  %169 = or disjoint i64 %166, 16
  %170 = getelementptr float, ptr %1, i64 %169
  %171 = load <16 x float>, ptr %170, align 4
  %172 = or disjoint i64 %166, 32
  %173 = getelementptr float, ptr %1, i64 %172
  %174 = load <16 x float>, ptr %173, align 4
  %175 = or disjoint i64 %166, 48
  %176 = getelementptr float, ptr %1, i64 %175
  %177 = load <16 x float>, ptr %176, align 4
  %178 = fdiv <16 x float> %168, %165
  %179 = fdiv <16 x float> %171, %165
  %180 = fdiv <16 x float> %174, %165
  %181 = fdiv <16 x float> %177, %165
  %182 = add nsw i64 %10, %166
  %183 = getelementptr float, ptr %7, i64 %182
  store <16 x float> %178, ptr %183, align 4
  %gep40 = getelementptr float, ptr %invariant.gep39, i64 %182
  store <16 x float> %179, ptr %gep40, align 4
  %gep42 = getelementptr float, ptr %invariant.gep41, i64 %182
  store <16 x float> %180, ptr %gep42, align 4
  %gep44 = getelementptr float, ptr %invariant.gep43, i64 %182
  store <16 x float> %181, ptr %gep44, align 4
  %184 = add nuw nsw i64 %166, 64
  %185 = icmp ult i64 %166, 128
  br i1 %185, label %loop5, label %after6

after6:                                           ; preds = %loop5
  %186 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %8, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %187 = fdiv <16 x float> %186, %165
  %188 = getelementptr float, ptr %7, i64 %36
  call void @llvm.masked.store.v16f32.p0(<16 x float> %187, ptr %188, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %189 = add nsw i64 %9, 1
  %190 = icmp slt i64 %189, %4
  br i1 %190, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32 immarg) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #4

