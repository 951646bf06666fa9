; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  br label %loop

loop:                                             ; preds = %after7, %entry
  %8 = phi i64 [ %3, %entry ], [ %61, %after7 ]
  br label %loop1

after:                                            ; preds = %after7
  ret void

loop1:                                            ; preds = %after5, %loop
  %.031 = phi <16 x double> [ zeroinitializer, %loop ], [ %.132, %after5 ]
  %.028 = phi <16 x float> [ zeroinitializer, %loop ], [ %.230, %after5 ]
  %.025 = phi <16 x float> [ zeroinitializer, %loop ], [ %.227, %after5 ]
  %.022 = phi <16 x float> [ zeroinitializer, %loop ], [ %.224, %after5 ]
  %.0 = phi <16 x float> [ zeroinitializer, %loop ], [ %.2, %after5 ]
  %9 = phi i64 [ 0, %loop ], [ %10, %after5 ]
  %10 = add nuw nsw i64 %9, 2048
  %11 = icmp ult i64 %9, 17920
  %12 = select i1 %11, i64 %10, i64 19968
  br label %loop3

after2:                                           ; preds = %after5
  br label %loop6

loop3:                                            ; preds = %loop3, %loop1
  %.129 = phi <16 x float> [ %.028, %loop1 ], [ %25, %loop3 ]
  %.126 = phi <16 x float> [ %.025, %loop1 ], [ %26, %loop3 ]
  %.123 = phi <16 x float> [ %.022, %loop1 ], [ %27, %loop3 ]
  %.1 = phi <16 x float> [ %.0, %loop1 ], [ %28, %loop3 ]
  %13 = phi i64 [ %9, %loop1 ], [ %29, %loop3 ]
  %14 = getelementptr float, ptr %5, i64 %13
  %15 = load <16 x float>, ptr %14, align 4
  %16 = or disjoint i64 %13, 16
  %17 = getelementptr float, ptr %5, i64 %16
  %18 = load <16 x float>, ptr %17, align 4
  %19 = or disjoint i64 %13, 32
  %20 = getelementptr float, ptr %5, i64 %19
  %21 = load <16 x float>, ptr %20, align 4
  %22 = or disjoint i64 %13, 48
  %23 = getelementptr float, ptr %5, i64 %22
  %24 = load <16 x float>, ptr %23, align 4
  %25 = fadd <16 x float> %.129, %15
  %26 = fadd <16 x float> %.126, %18
  %27 = fadd <16 x float> %.123, %21
  %28 = fadd <16 x float> %.1, %24
  %29 = add nuw nsw i64 %13, 64
  %30 = icmp ult i64 %29, %12
  br i1 %30, label %loop3, label %after4

after4:                                           ; preds = %loop3
  br i1 %11, label %some, label %after5

some:                                             ; preds = %after4
  %31 = fadd <16 x float> %25, %26
  %32 = fadd <16 x float> %31, %27
  %33 = fadd <16 x float> %32, %28
  %34 = fpext <16 x float> %33 to <16 x double>
  %35 = fadd <16 x double> %.031, %34
  br label %after5

after5:                                           ; preds = %some, %after4
  %.132 = phi <16 x double> [ %35, %some ], [ %.031, %after4 ]
  %.230 = phi <16 x float> [ zeroinitializer, %some ], [ %25, %after4 ]
  %.227 = phi <16 x float> [ zeroinitializer, %some ], [ %26, %after4 ]
  %.224 = phi <16 x float> [ zeroinitializer, %some ], [ %27, %after4 ]
  %.2 = phi <16 x float> [ zeroinitializer, %some ], [ %28, %after4 ]
  br i1 %11, label %loop1, label %after2

loop6:                                            ; preds = %loop6, %after2
  %.3 = phi <16 x float> [ %.230, %after2 ], [ %39, %loop6 ]
  %36 = phi i64 [ 19968, %after2 ], [ %40, %loop6 ]
  %37 = getelementptr float, ptr %5, i64 %36
  %38 = load <16 x float>, ptr %37, align 4
  %39 = fadd <16 x float> %.3, %38
  %40 = add nuw nsw i64 %36, 16
  %41 = icmp ult i64 %36, 19984
  br i1 %41, label %loop6, label %after7

after7:                                           ; preds = %loop6
  %42 = fadd <16 x float> %39, %.227
  %43 = fadd <16 x float> %42, %.224
  %44 = fadd <16 x float> %43, %.2
  %45 = fpext <16 x float> %44 to <16 x double>
  %46 = fadd <16 x double> %.132, %45
  %47 = shufflevector <16 x double> %46, <16 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %48 = shufflevector <16 x double> %46, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %49 = fadd <8 x double> %47, %48
  %50 = shufflevector <8 x double> %49, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %51 = shufflevector <8 x double> %49, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %52 = fadd <4 x double> %50, %51
  %53 = shufflevector <4 x double> %52, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %54 = shufflevector <4 x double> %52, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %55 = fadd <2 x double> %53, %54
  %56 = extractelement <2 x double> %55, i64 0
  %57 = extractelement <2 x double> %55, i64 1
  %58 = fadd double %56, %57
  %59 = fptrunc double %58 to float
  %60 = fdiv float %59, 2.000000e+04
  store float %60, ptr %7, align 4
  %61 = add nsw i64 %8, 1
  %62 = icmp slt i64 %61, %4
  br i1 %62, label %loop, label %after
}

