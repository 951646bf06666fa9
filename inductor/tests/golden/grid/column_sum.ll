; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = load ptr, ptr %0, align 8
  %6 = getelementptr i8, ptr %0, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = sub i64 %4, %3
  %9 = and i64 %8, -32
  %10 = add i64 %9, %3
  %11 = icmp sgt i64 %10, %3
  br i1 %11, label %some, label %after

some:                                             ; preds = %entry
  %invariant.gep = getelementptr i8, ptr %5, i64 64
  %invariant.gep46 = getelementptr i8, ptr %7, i64 64
  br label %loop

after:                                            ; preds = %after3, %entry
  %12 = sub i64 %4, %10
  %13 = and i64 %12, -16
  %14 = add i64 %10, %13
  %15 = icmp slt i64 %10, %14
  br i1 %15, label %loop10, label %after9

loop:                                             ; preds = %after3, %some
  %16 = phi i64 [ %3, %some ], [ %28, %after3 ]
  br label %loop2

loop2:                                            ; preds = %after7, %loop
  %.042 = phi <16 x double> [ zeroinitializer, %loop ], [ %.143, %after7 ]
  %.040 = phi <16 x double> [ zeroinitializer, %loop ], [ %.141, %after7 ]
  %.037 = phi <16 x float> [ zeroinitializer, %loop ], [ %.239, %after7 ]
  %.034 = phi <16 x float> [ zeroinitializer, %loop ], [ %.236, %after7 ]
  %17 = phi i64 [ 0, %loop ], [ %18, %after7 ]
  %18 = add nuw nsw i64 %17, 32
  %19 = icmp eq i64 %17, 0
  %20 = select i1 %19, i64 32, i64 64
  br label %loop4

after3:                                           ; preds = %after7
  %21 = fpext <16 x float> %.239 to <16 x double>
  %22 = fadd <16 x double> %.143, %21
  %23 = fpext <16 x float> %.236 to <16 x double>
  %24 = fadd <16 x double> %.141, %23
  %25 = fptrunc <16 x double> %22 to <16 x float>
  %26 = fptrunc <16 x double> %24 to <16 x float>
  %27 = getelementptr float, ptr %7, i64 %16
  store <16 x float> %25, ptr %27, align 4
  %gep47 = getelementptr float, ptr %invariant.gep46, i64 %16
  store <16 x float> %26, ptr %gep47, align 4
  %28 = add nsw i64 %16, 32
  %29 = icmp slt i64 %28, %10
  br i1 %29, label %loop, label %after

loop4:                                            ; preds = %loop4, %loop2
  %.138 = phi <16 x float> [ %.037, %loop2 ], [ %36, %loop4 ]
  %.135 = phi <16 x float> [ %.034, %loop2 ], [ %37, %loop4 ]
  %30 = phi i64 [ %17, %loop2 ], [ %38, %loop4 ]
  %31 = shl nsw i64 %30, 5
  %32 = add nsw i64 %16, %31
  %33 = getelementptr float, ptr %5, i64 %32
  %34 = load <16 x float>, ptr %33, align 4
  %gep = getelementptr float, ptr %invariant.gep, i64 %32
  %35 = load <16 x float>, ptr %gep, align 4
  %36 = fadd <16 x float> %.138, %34
  %37 = fadd <16 x float> %.135, %35
  %38 = add nuw nsw i64 %30, 1
  %39 = icmp ult i64 %38, %20
  br i1 %39, label %loop4, label %after5

after5:                                           ; preds = %loop4
  br i1 %19, label %some6, label %after7

some6:                                            ; preds = %after5
  %40 = fpext <16 x float> %36 to <16 x double>
  %41 = fadd <16 x double> %.042, %40
  %42 = fpext <16 x float> %37 to <16 x double>
  %43 = fadd <16 x double> %.040, %42
  br label %after7

after7:                                           ; preds = %some6, %after5
  %.143 = phi <16 x double> [ %41, %some6 ], [ %.042, %after5 ]
  %.141 = phi <16 x double> [ %43, %some6 ], [ %.040, %after5 ]
  %.239 = phi <16 x float> [ zeroinitializer, %some6 ], [ %36, %after5 ]
  %.236 = phi <16 x float> [ zeroinitializer, %some6 ], [ %37, %after5 ]
  br i1 %19, label %loop2, label %after3

after9:                                           ; preds = %after13, %after
  ret void

loop10:                                           ; preds = %after, %after13
  %44 = phi i64 [ %54, %after13 ], [ %10, %after ]
  %45 = getelementptr float, ptr %5, i64 %44
  br label %loop12

loop12:                                           ; preds = %after15, %loop10
  %.032 = phi <16 x double> [ zeroinitializer, %loop10 ], [ %.133, %after15 ]
  %.0 = phi <16 x float> [ zeroinitializer, %loop10 ], [ %.2, %after15 ]
  %46 = phi i64 [ 0, %loop10 ], [ %47, %after15 ]
  %47 = add nuw nsw i64 %46, 32
  %48 = icmp eq i64 %46, 0
  %49 = select i1 %48, i64 32, i64 64
  br label %loop14

after13:                                          ; preds = %after15
  %50 = fpext <16 x float> %.2 to <16 x double>
  %51 = fadd <16 x double> %.133, %50
  %52 = fptrunc <16 x double> %51 to <16 x float>
  %53 = getelementptr float, ptr %7, i64 %44
  store <16 x float> %52, ptr %53, align 4
  %54 = add nsw i64 %44, 16
  %55 = icmp slt i64 %54, %14
  br i1 %55, label %loop10, label %after9

loop14:                                           ; preds = %loop14, %loop12
  %.1 = phi <16 x float> [ %.0, %loop12 ], [ %59, %loop14 ]
  %56 = phi i64 [ %46, %loop12 ], [ %60, %loop14 ]
  %.idx = shl i64 %56, 7
  %57 = getelementptr i8, ptr %45, i64 %.idx
  %58 = load <16 x float>, ptr %57, align 4
  %59 = fadd <16 x float> %.1, %58
  %60 = add nuw nsw i64 %56, 1
  %61 = icmp ult i64 %60, %49
  br i1 %61, label %loop14, label %after15

after15:                                          ; preds = %loop14
  %62 = fpext <16 x float> %59 to <16 x double>
  %63 = fadd <16 x double> %.032, %62
  %.133 = select i1 %48, <16 x double> %63, <16 x double> %.032
  %.2 = select i1 %48, <16 x float> zeroinitializer, <16 x float> %59
  br i1 %48, label %loop12, label %after13
}

