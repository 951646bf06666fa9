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
  %12 = sub i64 %4, %3
  %13 = and i64 %12, -64
  %14 = add i64 %13, %3
  %15 = icmp sgt i64 %14, %3
  br i1 %15, label %loop, label %after

after:                                            ; preds = %loop, %entry
  %16 = sub i64 %4, %14
  %17 = and i64 %16, -16
  %18 = add i64 %14, %17
  %19 = icmp slt i64 %14, %18
  br i1 %19, label %loop4, label %after3

loop:                                             ; preds = %entry, %loop
  %20 = phi i64 [ %116, %loop ], [ %3, %entry ]
  %21 = getelementptr float, ptr %5, i64 %20
  %22 = load <16 x float>, ptr %21, align 4
  %23 = add nsw i64 %20, 16
  %24 = getelementptr float, ptr %5, i64 %23
  %25 = load <16 x float>, ptr %24, align 4
  %26 = add nsw i64 %20, 32
  %27 = getelementptr float, ptr %5, i64 %26
  %28 = load <16 x float>, ptr %27, align 4
  %29 = add nsw i64 %20, 48
  %30 = getelementptr float, ptr %5, i64 %29
  %31 = load <16 x float>, ptr %30, align 4
  %32 = udiv i64 %20, 20
  %33 = urem i64 %20, 20
  %34 = insertelement <16 x i64> poison, i64 %33, i64 0
  %35 = shufflevector <16 x i64> %34, <16 x i64> poison, <16 x i32> zeroinitializer
  %36 = add nuw nsw <16 x i64> %35, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %37 = icmp ugt <16 x i64> %36, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %38 = add nuw nsw i64 %32, 1
  %39 = insertelement <16 x i64> poison, i64 %38, i64 0
  %40 = shufflevector <16 x i64> %39, <16 x i64> poison, <16 x i32> zeroinitializer
  %41 = insertelement <16 x i64> poison, i64 %32, i64 0
  %42 = shufflevector <16 x i64> %41, <16 x i64> poison, <16 x i32> zeroinitializer
  %43 = add nsw <16 x i64> %35, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 -12, i64 -11, i64 -10, i64 -9, i64 -8, i64 -7, i64 -6, i64 -5>
  %44 = select <16 x i1> %37, <16 x i64> %43, <16 x i64> %36
  %45 = getelementptr float, ptr %7, <16 x i64> %44
  %46 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %45, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %47 = udiv i64 %23, 20
  %48 = urem i64 %23, 20
  %49 = insertelement <16 x i64> poison, i64 %48, i64 0
  %50 = shufflevector <16 x i64> %49, <16 x i64> poison, <16 x i32> zeroinitializer
  %51 = add nuw nsw <16 x i64> %50, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %52 = icmp ugt <16 x i64> %51, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %53 = add nuw nsw i64 %47, 1
  %54 = insertelement <16 x i64> poison, i64 %53, i64 0
  %55 = shufflevector <16 x i64> %54, <16 x i64> poison, <16 x i32> zeroinitializer
  %56 = insertelement <16 x i64> poison, i64 %47, i64 0
  %57 = shufflevector <16 x i64> %56, <16 x i64> poison, <16 x i32> zeroinitializer
  %58 = add nsw <16 x i64> %50, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 -12, i64 -11, i64 -10, i64 -9, i64 -8, i64 -7, i64 -6, i64 -5>
  %59 = select <16 x i1> %52, <16 x i64> %58, <16 x i64> %51
  %60 = getelementptr float, ptr %7, <16 x i64> %59
  %61 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %60, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %62 = udiv i64 %26, 20
  %63 = urem i64 %26, 20
  %64 = insertelement <16 x i64> poison, i64 %63, i64 0
  %65 = shufflevector <16 x i64> %64, <16 x i64> poison, <16 x i32> zeroinitializer
  %66 = add nuw nsw <16 x i64> %65, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %67 = icmp ugt <16 x i64> %66, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %68 = add nuw nsw i64 %62, 1
  %69 = insertelement <16 x i64> poison, i64 %68, i64 0
  %70 = shufflevector <16 x i64> %69, <16 x i64> poison, <16 x i32> zeroinitializer
  %71 = insertelement <16 x i64> poison, i64 %62, i64 0
  %72 = shufflevector <16 x i64> %71, <16 x i64> poison, <16 x i32> zeroinitializer
  %73 = add nsw <16 x i64> %65, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 -12, i64 -11, i64 -10, i64 -9, i64 -8, i64 -7, i64 -6, i64 -5>
  %74 = select <16 x i1> %67, <16 x i64> %73, <16 x i64> %66
  %75 = getelementptr float, ptr %7, <16 x i64> %74
  %76 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %75, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %77 = udiv i64 %29, 20
  %78 = urem i64 %29, 20
  %79 = insertelement <16 x i64> poison, i64 %78, i64 0
  %80 = shufflevector <16 x i64> %79, <16 x i64> poison, <16 x i32> zeroinitializer
  %81 = add nuw nsw <16 x i64> %80, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %82 = icmp ugt <16 x i64> %81, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %83 = add nuw nsw i64 %77, 1
  %84 = insertelement <16 x i64> poison, i64 %83, i64 0
  %85 = shufflevector <16 x i64> %84, <16 x i64> poison, <16 x i32> zeroinitializer
  %86 = insertelement <16 x i64> poison, i64 %77, i64 0
  %87 = shufflevector <16 x i64> %86, <16 x i64> poison, <16 x i32> zeroinitializer
  %88 = add nsw <16 x i64> %80, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 -12, i64 -11, i64 -10, i64 -9, i64 -8, i64 -7, i64 -6, i64 -5>
  %89 = select <16 x i1> %82, <16 x i64> %88, <16 x i64> %81
  %90 = getelementptr float, ptr %7, <16 x i64> %89
  %91 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %90, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %92 = select <16 x i1> %37, <16 x i64> %40, <16 x i64> %42
  %93 = getelementptr float, ptr %9, <16 x i64> %92
  %94 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %93, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %95 = select <16 x i1> %52, <16 x i64> %55, <16 x i64> %57
  %96 = getelementptr float, ptr %9, <16 x i64> %95
  %97 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %96, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %98 = select <16 x i1> %67, <16 x i64> %70, <16 x i64> %72
  %99 = getelementptr float, ptr %9, <16 x i64> %98
  %100 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %99, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %101 = select <16 x i1> %82, <16 x i64> %85, <16 x i64> %87
  %102 = getelementptr float, ptr %9, <16 x i64> %101
  %103 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %102, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %104 = fadd <16 x float> %22, %46
  %105 = fadd <16 x float> %25, %61
  %106 = fadd <16 x float> %28, %76
  %107 = fadd <16 x float> %31, %91
  %108 = fmul <16 x float> %104, %94
  %109 = fmul <16 x float> %105, %97
  %110 = fmul <16 x float> %106, %100
  %111 = fmul <16 x float> %107, %103
  %112 = getelementptr float, ptr %11, i64 %20
  store <16 x float> %108, ptr %112, align 4
  %113 = getelementptr float, ptr %11, i64 %23
  store <16 x float> %109, ptr %113, align 4
  %114 = getelementptr float, ptr %11, i64 %26
  store <16 x float> %110, ptr %114, align 4
  %115 = getelementptr float, ptr %11, i64 %29
  store <16 x float> %111, ptr %115, align 4
  %116 = add nsw i64 %20, 64
  %117 = icmp slt i64 %116, %14
  br i1 %117, label %loop, label %after

after3:                                           ; preds = %loop4, %after
  %118 = icmp slt i64 %18, %4
  br i1 %118, label %some6, label %after7

loop4:                                            ; preds = %after, %loop4
  %119 = phi i64 [ %143, %loop4 ], [ %14, %after ]
  %120 = getelementptr float, ptr %5, i64 %119
  %121 = load <16 x float>, ptr %120, align 4
  %122 = udiv i64 %119, 20
  %123 = urem i64 %119, 20
  %124 = insertelement <16 x i64> poison, i64 %123, i64 0
  %125 = shufflevector <16 x i64> %124, <16 x i64> poison, <16 x i32> zeroinitializer
  %126 = add nuw nsw <16 x i64> %125, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %127 = icmp ugt <16 x i64> %126, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %128 = add nuw nsw i64 %122, 1
  %129 = insertelement <16 x i64> poison, i64 %128, i64 0
  %130 = shufflevector <16 x i64> %129, <16 x i64> poison, <16 x i32> zeroinitializer
  %131 = insertelement <16 x i64> poison, i64 %122, i64 0
  %132 = shufflevector <16 x i64> %131, <16 x i64> poison, <16 x i32> zeroinitializer
  %133 = add nsw <16 x i64> %125, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 -12, i64 -11, i64 -10, i64 -9, i64 -8, i64 -7, i64 -6, i64 -5>
  %134 = select <16 x i1> %127, <16 x i64> %133, <16 x i64> %126
  %135 = getelementptr float, ptr %7, <16 x i64> %134
  %136 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %135, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %137 = select <16 x i1> %127, <16 x i64> %130, <16 x i64> %132
  %138 = getelementptr float, ptr %9, <16 x i64> %137
  %139 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %138, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %140 = fadd <16 x float> %121, %136
  %141 = fmul <16 x float> %140, %139
  %142 = getelementptr float, ptr %11, i64 %119
  store <16 x float> %141, ptr %142, align 4
  %143 = add nsw i64 %119, 16
  %144 = icmp slt i64 %143, %18
  br i1 %144, label %loop4, label %after3

some6:                                            ; preds = %after3
  %145 = getelementptr float, ptr %5, i64 %18
  %146 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %145, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %147 = udiv i64 %18, 20
  %148 = urem i64 %18, 20
  %149 = insertelement <16 x i64> poison, i64 %148, i64 0
  %150 = shufflevector <16 x i64> %149, <16 x i64> poison, <16 x i32> zeroinitializer
  %151 = add nuw nsw <16 x i64> %150, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %152 = icmp ugt <16 x i64> %151, <i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19, i64 19>
  %153 = add nuw nsw i64 %147, 1
  %154 = insertelement <16 x i64> poison, i64 %153, i64 0
  %155 = shufflevector <16 x i64> %154, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %156 = insertelement <16 x i64> poison, i64 %147, i64 0
  %157 = shufflevector <16 x i64> %156, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %158 = add nsw <16 x i64> %150, <i64 -20, i64 -19, i64 -18, i64 -17, i64 -16, i64 -15, i64 -14, i64 -13, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison>
  %159 = select <16 x i1> %152, <16 x i64> %158, <16 x i64> %151
  %160 = getelementptr float, ptr %7, <16 x i64> %159
  %161 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %160, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %162 = select <16 x i1> %152, <16 x i64> %155, <16 x i64> %157
  %163 = getelementptr float, ptr %9, <16 x i64> %162
  %164 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %163, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %165 = fadd <16 x float> %146, %161
  %166 = fmul <16 x float> %165, %164
  %167 = getelementptr float, ptr %11, i64 %18
  call void @llvm.masked.store.v16f32.p0(<16 x float> %166, ptr %167, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  br label %after7

after7:                                           ; preds = %some6, %after3
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #3

