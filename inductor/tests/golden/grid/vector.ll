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
  %10 = phi i64 [ %3, %entry ], [ %94, %after2 ]
  %11 = shl nsw i64 %10, 8
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %loop1, %loop
  %12 = phi i64 [ 0, %loop ], [ %92, %loop1 ]
  %13 = add nsw i64 %11, %12
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
  %25 = getelementptr i16, ptr %7, i64 %12
  %26 = load <16 x i16>, ptr %25, align 2
  %27 = or disjoint i64 %12, 16
  %28 = getelementptr i16, ptr %7, i64 %27
  %29 = load <16 x i16>, ptr %28, align 2
  %30 = or disjoint i64 %12, 32
  %31 = getelementptr i16, ptr %7, i64 %30
  %32 = load <16 x i16>, ptr %31, align 2
  %33 = or disjoint i64 %12, 48
  %34 = getelementptr i16, ptr %7, i64 %33
  %35 = load <16 x i16>, ptr %34, align 2
  %36 = zext <16 x i16> %26 to <16 x i32>
  %37 = shl nuw <16 x i32> %36, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %38 = bitcast <16 x i32> %37 to <16 x float>
  %39 = zext <16 x i16> %29 to <16 x i32>
  %40 = shl nuw <16 x i32> %39, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %41 = bitcast <16 x i32> %40 to <16 x float>
  %42 = zext <16 x i16> %32 to <16 x i32>
  %43 = shl nuw <16 x i32> %42, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %44 = bitcast <16 x i32> %43 to <16 x float>
  %45 = zext <16 x i16> %35 to <16 x i32>
  %46 = shl nuw <16 x i32> %45, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %47 = bitcast <16 x i32> %46 to <16 x float>
  %48 = fadd <16 x float> %15, %38
  %49 = fadd <16 x float> %18, %41
  %50 = fadd <16 x float> %21, %44
  %51 = fadd <16 x float> %24, %47
  %52 = bitcast <16 x float> %48 to <16 x i32>
  %53 = lshr <16 x i32> %52, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %54 = and <16 x i32> %53, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %55 = add <16 x i32> %52, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %56 = add <16 x i32> %55, %54
  %57 = lshr <16 x i32> %56, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %58 = fcmp uno <16 x float> %48, zeroinitializer
  %59 = trunc nuw <16 x i32> %57 to <16 x i16>
  %60 = select <16 x i1> %58, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %59
  %61 = bitcast <16 x float> %49 to <16 x i32>
  %62 = lshr <16 x i32> %61, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %63 = and <16 x i32> %62, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %64 = add <16 x i32> %61, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %65 = add <16 x i32> %64, %63
  %66 = lshr <16 x i32> %65, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %67 = fcmp uno <16 x float> %49, zeroinitializer
  %68 = trunc nuw <16 x i32> %66 to <16 x i16>
  %69 = select <16 x i1> %67, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %68
  %70 = bitcast <16 x float> %50 to <16 x i32>
  %71 = lshr <16 x i32> %70, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %72 = and <16 x i32> %71, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %73 = add <16 x i32> %70, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %74 = add <16 x i32> %73, %72
  %75 = lshr <16 x i32> %74, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %76 = fcmp uno <16 x float> %50, zeroinitializer
  %77 = trunc nuw <16 x i32> %75 to <16 x i16>
  %78 = select <16 x i1> %76, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %77
  %79 = bitcast <16 x float> %51 to <16 x i32>
  %80 = lshr <16 x i32> %79, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %81 = and <16 x i32> %80, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %82 = add <16 x i32> %79, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %83 = add <16 x i32> %82, %81
  %84 = lshr <16 x i32> %83, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %85 = fcmp uno <16 x float> %51, zeroinitializer
  %86 = trunc nuw <16 x i32> %84 to <16 x i16>
  %87 = select <16 x i1> %85, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %86
  %88 = getelementptr i16, ptr %9, i64 %13
  store <16 x i16> %60, ptr %88, align 2
  %89 = getelementptr i16, ptr %9, i64 %16
  store <16 x i16> %69, ptr %89, align 2
  %90 = getelementptr i16, ptr %9, i64 %19
  store <16 x i16> %78, ptr %90, align 2
  %91 = getelementptr i16, ptr %9, i64 %22
  store <16 x i16> %87, ptr %91, align 2
  %92 = add nuw nsw i64 %12, 64
  %93 = icmp ult i64 %12, 192
  br i1 %93, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %94 = add nsw i64 %10, 1
  %95 = icmp slt i64 %94, %4
  br i1 %95, label %loop, label %after
}

