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
  %invariant.gep = getelementptr i8, ptr %5, i64 128
  %invariant.gep3 = getelementptr i8, ptr %5, i64 160
  %invariant.gep5 = getelementptr i8, ptr %5, i64 -128
  %invariant.gep7 = getelementptr i8, ptr %5, i64 -96
  br label %loop

loop:                                             ; preds = %after2, %entry
  %10 = phi i64 [ %3, %entry ], [ %100, %after2 ]
  %11 = shl nsw i64 %10, 7
  %12 = shl i64 %10, 7
  %13 = and i64 %12, 8064
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %loop1, %loop
  %14 = phi i64 [ 0, %loop ], [ %98, %loop1 ]
  %15 = add nsw i64 %11, %14
  %16 = getelementptr i16, ptr %5, i64 %15
  %17 = load <16 x i16>, ptr %16, align 2
  %18 = or disjoint i64 %15, 16
  %19 = getelementptr i16, ptr %5, i64 %18
  %20 = load <16 x i16>, ptr %19, align 2
  %21 = zext <16 x i16> %17 to <16 x i32>
  %22 = shl nuw <16 x i32> %21, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %23 = bitcast <16 x i32> %22 to <16 x float>
  %24 = zext <16 x i16> %20 to <16 x i32>
  %25 = shl nuw <16 x i32> %24, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %26 = bitcast <16 x i32> %25 to <16 x float>
  %27 = add nuw nsw i64 %14, %13
  %28 = getelementptr i16, ptr %7, i64 %27
  %29 = load <16 x i16>, ptr %28, align 2
  %30 = or disjoint i64 %27, 16
  %31 = getelementptr i16, ptr %7, i64 %30
  %32 = load <16 x i16>, ptr %31, align 2
  %33 = zext <16 x i16> %29 to <16 x i32>
  %34 = shl nuw <16 x i32> %33, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %35 = bitcast <16 x i32> %34 to <16 x float>
  %36 = zext <16 x i16> %32 to <16 x i32>
  %37 = shl nuw <16 x i32> %36, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %38 = bitcast <16 x i32> %37 to <16 x float>
  %39 = fmul <16 x float> %23, %35
  %40 = fmul <16 x float> %26, %38
  %41 = insertelement <16 x i64> poison, i64 %14, i64 0
  %42 = or disjoint i64 %14, 16
  %43 = insertelement <16 x i64> poison, i64 %42, i64 0
  %44 = icmp ult <16 x i64> %41, <i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64>
  %45 = shufflevector <16 x i1> %44, <16 x i1> poison, <16 x i32> zeroinitializer
  %46 = icmp ult <16 x i64> %43, <i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64, i64 64>
  %47 = shufflevector <16 x i1> %46, <16 x i1> poison, <16 x i32> zeroinitializer
  %gep = getelementptr i16, ptr %invariant.gep, i64 %15
  %48 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %gep, i32 2, <16 x i1> %45, <16 x i16> zeroinitializer)
  %gep4 = getelementptr i16, ptr %invariant.gep3, i64 %15
  %49 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %gep4, i32 2, <16 x i1> %47, <16 x i16> zeroinitializer)
  %50 = zext <16 x i16> %48 to <16 x i32>
  %51 = shl nuw <16 x i32> %50, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %52 = bitcast <16 x i32> %51 to <16 x float>
  %53 = zext <16 x i16> %49 to <16 x i32>
  %54 = shl nuw <16 x i32> %53, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %55 = bitcast <16 x i32> %54 to <16 x float>
  %56 = fneg <16 x float> %52
  %57 = fneg <16 x float> %55
  %58 = add nsw i64 %14, -64
  %59 = insertelement <16 x i64> poison, i64 %58, i64 0
  %60 = add nsw i64 %14, -48
  %61 = insertelement <16 x i64> poison, i64 %60, i64 0
  %62 = icmp sgt <16 x i64> %59, <i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1>
  %63 = shufflevector <16 x i1> %62, <16 x i1> poison, <16 x i32> zeroinitializer
  %64 = icmp sgt <16 x i64> %61, <i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1>
  %65 = shufflevector <16 x i1> %64, <16 x i1> poison, <16 x i32> zeroinitializer
  %gep6 = getelementptr i16, ptr %invariant.gep5, i64 %15
  %66 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %gep6, i32 2, <16 x i1> %63, <16 x i16> zeroinitializer)
  %gep8 = getelementptr i16, ptr %invariant.gep7, i64 %15
  %67 = call <16 x i16> @llvm.masked.load.v16i16.p0(ptr %gep8, i32 2, <16 x i1> %65, <16 x i16> zeroinitializer)
  %68 = zext <16 x i16> %66 to <16 x i32>
  %69 = shl nuw <16 x i32> %68, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %70 = bitcast <16 x i32> %69 to <16 x float>
  %71 = zext <16 x i16> %67 to <16 x i32>
  %72 = shl nuw <16 x i32> %71, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %73 = bitcast <16 x i32> %72 to <16 x float>
  %74 = select <16 x i1> %63, <16 x float> %70, <16 x float> %56
  %75 = select <16 x i1> %65, <16 x float> %73, <16 x float> %57
  %76 = fadd <16 x float> %39, %74
  %77 = fadd <16 x float> %40, %75
  %78 = bitcast <16 x float> %76 to <16 x i32>
  %79 = lshr <16 x i32> %78, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %80 = and <16 x i32> %79, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %81 = add <16 x i32> %78, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %82 = add <16 x i32> %81, %80
  %83 = lshr <16 x i32> %82, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %84 = fcmp uno <16 x float> %76, zeroinitializer
  %85 = trunc nuw <16 x i32> %83 to <16 x i16>
  %86 = select <16 x i1> %84, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %85
  %87 = bitcast <16 x float> %77 to <16 x i32>
  %88 = lshr <16 x i32> %87, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %89 = and <16 x i32> %88, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %90 = add <16 x i32> %87, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %91 = add <16 x i32> %90, %89
  %92 = lshr <16 x i32> %91, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %93 = fcmp uno <16 x float> %77, zeroinitializer
  %94 = trunc nuw <16 x i32> %92 to <16 x i16>
  %95 = select <16 x i1> %93, <16 x i16> <i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704, i16 32704>, <16 x i16> %94
  %96 = getelementptr i16, ptr %9, i64 %15
  store <16 x i16> %86, ptr %96, align 2
  %97 = getelementptr i16, ptr %9, i64 %18
  store <16 x i16> %95, ptr %97, align 2
  %98 = add nuw nsw i64 %14, 32
  %99 = icmp ult i64 %14, 96
  br i1 %99, label %loop1, label %after2

after2:                                           ; preds = %loop1
  %100 = add nsw i64 %10, 1
  %101 = icmp slt i64 %100, %4
  br i1 %101, label %loop, label %after
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x i16> @llvm.masked.load.v16i16.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x i16>) #1

