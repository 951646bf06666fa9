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
  br label %loop

loop:                                             ; preds = %after2, %entry
  %10 = phi i64 [ %3, %entry ], [ %21, %after2 ]
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %loop1, %loop
  %11 = phi i64 [ 0, %loop ], [ %19, %loop1 ]
  %12 = getelementptr i64, ptr %5, i64 %11
  %13 = load i64, ptr %12, align 8
  %14 = getelementptr float, ptr %7, i64 %11
  %15 = load float, ptr %14, align 4
  %16 = getelementptr float, ptr %9, i64 %13
  %17 = load float, ptr %16, align 4
  %18 = fadd float %17, %15
  store float %18, ptr %16, align 4
  %19 = add nuw nsw i64 %11, 1
  %20 = icmp ult i64 %11, 299
  br i1 %20, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %21 = add nsw i64 %10, 1
  %22 = icmp slt i64 %21, %4
  br i1 %22, label %loop, label %after
}

