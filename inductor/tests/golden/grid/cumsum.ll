; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  br label %loop

loop:                                             ; preds = %after2, %entry
  %8 = phi i64 [ %3, %entry ], [ %23, %after2 ]
  %9 = mul nsw i64 %8, 9
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %loop1, %loop
  %10 = phi i64 [ 0, %loop ], [ %21, %loop1 ]
  %11 = add nsw i64 %9, %10
  %12 = getelementptr float, ptr %5, i64 %11
  %13 = load float, ptr %12, align 4
  %.not = icmp eq i64 %10, 0
  %14 = add nsw i64 %11, -1
  %15 = select i1 %.not, i64 0, i64 %14
  %16 = getelementptr float, ptr %7, i64 %15
  %17 = load float, ptr %16, align 4
  %18 = select i1 %.not, float 0.000000e+00, float %17
  %19 = fadd float %18, %13
  %20 = getelementptr float, ptr %7, i64 %11
  store float %19, ptr %20, align 4
  %21 = add nuw nsw i64 %10, 1
  %22 = icmp ult i64 %10, 8
  br i1 %22, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %23 = add nsw i64 %8, 1
  %24 = icmp slt i64 %23, %4
  br i1 %24, label %loop, label %after
}

