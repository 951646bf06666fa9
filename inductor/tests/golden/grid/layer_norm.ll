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
  br label %loop

loop:                                             ; preds = %after6, %entry
  %12 = phi i64 [ %3, %entry ], [ %161, %after6 ]
  %13 = mul nsw i64 %12, 768
  br label %loop1

after:                                            ; preds = %after6
  ret void

loop1:                                            ; preds = %loop1, %loop
  %.028 = phi <16 x float> [ zeroinitializer, %loop ], [ %27, %loop1 ]
  %.027 = phi <16 x float> [ zeroinitializer, %loop ], [ %28, %loop1 ]
  %.026 = phi <16 x float> [ zeroinitializer, %loop ], [ %29, %loop1 ]
  %.025 = phi <16 x float> [ zeroinitializer, %loop ], [ %30, %loop1 ]
  %14 = phi i64 [ 0, %loop ], [ %31, %loop1 ]
  %15 = add nsw i64 %13, %14
  %16 = getelementptr float, ptr %5, i64 %15
  %17 = load <16 x float>, ptr %16, align 4
  %18 = or disjoint i64 %15, 16
  %19 = getelementptr float, ptr %5, i64 %18
  %20 = load <16 x float>, ptr %19, align 4
  %21 = or disjoint i64 %15, 32
  %22 = getelementptr float, ptr %5, i64 %21
  %23 = load <16 x float>, ptr %22, align 4
  %24 = or disjoint i64 %15, 48
  %25 = getelementptr float, ptr %5, i64 %24
  %26 = load <16 x float>, ptr %25, align 4
  %27 = fadd <16 x float> %.028, %17
  %28 = fadd <16 x float> %.027, %20
  %29 = fadd <16 x float> %.026, %23
  %30 = fadd <16 x float> %.025, %26
  %31 = add nuw nsw i64 %14, 64
  %32 = icmp ult i64 %14, 704
  br i1 %32, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %33 = fpext <16 x float> %27 to <16 x double>
  %34 = fpext <16 x float> %28 to <16 x double>
  %35 = fpext <16 x float> %29 to <16 x double>
  %36 = fpext <16 x float> %30 to <16 x double>
  %37 = fadd <16 x double> %33, %34
  %38 = fadd <16 x double> %37, %35
  %39 = fadd <16 x double> %38, %36
  %40 = shufflevector <16 x double> %39, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %41 = shufflevector <16 x double> %39, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %42 = fadd <8 x double> %40, %41
  %43 = shufflevector <8 x double> %42, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %44 = shufflevector <8 x double> %42, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %45 = fadd <4 x double> %43, %44
  %46 = shufflevector <4 x double> %45, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %47 = shufflevector <4 x double> %45, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %48 = fadd <2 x double> %46, %47
  %49 = extractelement <2 x double> %48, i64 0
  %50 = extractelement <2 x double> %48, i64 1
  %51 = fadd double %49, %50
  %52 = fptrunc double %51 to float
  %53 = fdiv float %52, 7.680000e+02
  %54 = insertelement <16 x float> poison, float %53, i64 0
  %55 = shufflevector <16 x float> %54, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop3

loop3:                                            ; preds = %loop3, %after2
  %.024 = phi <16 x float> [ zeroinitializer, %after2 ], [ %77, %loop3 ]
  %.023 = phi <16 x float> [ zeroinitializer, %after2 ], [ %78, %loop3 ]
  %.022 = phi <16 x float> [ zeroinitializer, %after2 ], [ %79, %loop3 ]
  %.0 = phi <16 x float> [ zeroinitializer, %after2 ], [ %80, %loop3 ]
  %56 = phi i64 [ 0, %after2 ], [ %81, %loop3 ]
  %57 = add nsw i64 %13, %56
  %58 = getelementptr float, ptr %5, i64 %57
  %59 = load <16 x float>, ptr %58, align 4
  %60 = or disjoint i64 %57, 16
  %61 = getelementptr float, ptr %5, i64 %60
  %62 = load <16 x float>, ptr %61, align 4
  %63 = or disjoint i64 %57, 32
  %64 = getelementptr float, ptr %5, i64 %63
  %65 = load <16 x float>, ptr %64, align 4
  %66 = or disjoint i64 %57, 48
  %67 = getelementptr float, ptr %5, i64 %66
  %68 = load <16 x float>, ptr %67, align 4
  %69 = fsub <16 x float> %59, %55
  %70 = fsub <16 x float> %62, %55
  %71 = fsub <16 x float> %65, %55
  %72 = fsub <16 x float> %68, %55
  %73 = fmul <16 x float> %69, %69
  %74 = fmul <16 x float> %70, %70
  %75 = fmul <16 x float> %71, %71
  %76 = fmul <16 x float> %72, %72
  %77 = fadd <16 x float> %.024, %73
  %78 = fadd <16 x float> %.023, %74
  %79 = fadd <16 x float> %.022, %75
  %80 = fadd <16 x float> %.0, %76
  %81 = add nuw nsw i64 %56, 64
  %82 = icmp ult i64 %56, 704
  br i1 %82, label %loop3, label %after4

after4:                                           ; preds = %loop3
  %83 = fpext <16 x float> %77 to <16 x double>
  %84 = fpext <16 x float> %78 to <16 x double>
  %85 = fpext <16 x float> %79 to <16 x double>
  %86 = fpext <16 x float> %80 to <16 x double>
  %87 = fadd <16 x double> %83, %84
  %88 = fadd <16 x double> %87, %85
  %89 = fadd <16 x double> %88, %86
  %90 = shufflevector <16 x double> %89, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %91 = shufflevector <16 x double> %89, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %92 = fadd <8 x double> %90, %91
  %93 = shufflevector <8 x double> %92, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %94 = shufflevector <8 x double> %92, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %95 = fadd <4 x double> %93, %94
  %96 = shufflevector <4 x double> %95, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %97 = shufflevector <4 x double> %95, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %98 = fadd <2 x double> %96, %97
  %99 = extractelement <2 x double> %98, i64 0
  %100 = extractelement <2 x double> %98, i64 1
  %101 = fadd double %99, %100
  %102 = fptrunc double %101 to float
  %103 = fpext float %102 to double
  %104 = fdiv double %103, 7.680000e+02
  %105 = fadd double %104, 1.000000e-05
  %106 = call double @llvm.sqrt.f64(double %105)
  %107 = fdiv double 1.000000e+00, %106
  %108 = fptrunc double %107 to float
  %109 = insertelement <16 x float> poison, float %108, i64 0
  %110 = shufflevector <16 x float> %109, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop5

loop5:                                            ; preds = %loop5, %after4
  %111 = phi i64 [ 0, %after4 ], [ %159, %loop5 ]
  %112 = add nsw i64 %13, %111
  %113 = getelementptr float, ptr %5, i64 %112
  %114 = load <16 x float>, ptr %113, align 4
  %115 = or disjoint i64 %112, 16
  %116 = getelementptr float, ptr %5, i64 %115
  %117 = load <16 x float>, ptr %116, align 4
  %118 = or disjoint i64 %112, 32
  %119 = getelementptr float, ptr %5, i64 %118
  %120 = load <16 x float>, ptr %119, align 4
  %121 = or disjoint i64 %112, 48
  %122 = getelementptr float, ptr %5, i64 %121
  %123 = load <16 x float>, ptr %122, align 4
  %124 = fsub <16 x float> %114, %55
  %125 = fsub <16 x float> %117, %55
  %126 = fsub <16 x float> %120, %55
  %127 = fsub <16 x float> %123, %55
  %128 = fmul <16 x float> %124, %110
  %129 = fmul <16 x float> %125, %110
  %130 = fmul <16 x float> %126, %110
  %131 = fmul <16 x float> %127, %110
  %132 = getelementptr float, ptr %7, i64 %111
  %133 = load <16 x float>, ptr %132, align 4
  %134 = or disjoint i64 %111, 16
  %135 = getelementptr float, ptr %7, i64 %134
  %136 = load <16 x float>, ptr %135, align 4
  %137 = or disjoint i64 %111, 32
  %138 = getelementptr float, ptr %7, i64 %137
  %139 = load <16 x float>, ptr %138, align 4
  %140 = or disjoint i64 %111, 48
  %141 = getelementptr float, ptr %7, i64 %140
  %142 = load <16 x float>, ptr %141, align 4
  %143 = getelementptr float, ptr %9, i64 %111
  %144 = load <16 x float>, ptr %143, align 4
  %145 = getelementptr float, ptr %9, i64 %134
  %146 = load <16 x float>, ptr %145, align 4
  %147 = getelementptr float, ptr %9, i64 %137
  %148 = load <16 x float>, ptr %147, align 4
  %149 = getelementptr float, ptr %9, i64 %140
  %150 = load <16 x float>, ptr %149, align 4
  %151 = call <16 x float> @llvm.fma.v16f32(<16 x float> %128, <16 x float> %133, <16 x float> %144)
  %152 = call <16 x float> @llvm.fma.v16f32(<16 x float> %129, <16 x float> %136, <16 x float> %146)
  %153 = call <16 x float> @llvm.fma.v16f32(<16 x float> %130, <16 x float> %139, <16 x float> %148)
  %154 = call <16 x float> @llvm.fma.v16f32(<16 x float> %131, <16 x float> %142, <16 x float> %150)
  %155 = getelementptr float, ptr %11, i64 %112
  store <16 x float> %151, ptr %155, align 4
  %156 = getelementptr float, ptr %11, i64 %115
  store <16 x float> %152, ptr %156, align 4
  %157 = getelementptr float, ptr %11, i64 %118
  store <16 x float> %153, ptr %157, align 4
  %158 = getelementptr float, ptr %11, i64 %121
  store <16 x float> %154, ptr %158, align 4
  %159 = add nuw nsw i64 %111, 64
  %160 = icmp ult i64 %111, 704
  br i1 %160, label %loop5, label %after6

after6:                                           ; preds = %loop5
  %161 = add nsw i64 %12, 1
  %162 = icmp slt i64 %161, %4
  br i1 %162, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #1

