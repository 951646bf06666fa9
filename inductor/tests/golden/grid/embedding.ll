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

loop:                                             ; preds = %after1, %entry
  %12 = phi i64 [ %3, %entry ], [ %24, %after1 ]
  %13 = getelementptr i64, ptr %5, i64 %12
  %14 = load i64, ptr %13, align 8
  %15 = icmp slt i64 %14, 0
  %16 = add i64 %14, 50
  %17 = select i1 %15, i64 %16, i64 %14
  %18 = icmp ugt i64 %17, 49
  %19 = call i64 @llvm.smax.i64(i64 %17, i64 0)
  %20 = call i64 @llvm.umin.i64(i64 %19, i64 49)
  br i1 %18, label %masked, label %after1

after:                                            ; preds = %after1
  ret void

masked:                                           ; preds = %loop
  store i8 1, ptr %7, align 1
  br label %after1

after1:                                           ; preds = %masked, %loop
  %.idx = shl nuw nsw i64 %20, 6
  %21 = getelementptr i8, ptr %9, i64 %.idx
  %22 = load <16 x float>, ptr %21, align 4
  %.idx2 = shl i64 %12, 6
  %23 = getelementptr i8, ptr %11, i64 %.idx2
  store <16 x float> %22, ptr %23, align 4
  %24 = add nsw i64 %12, 1
  %25 = icmp slt i64 %24, %4
  br i1 %25, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #1

