; ModuleID = 'kernel'
source_filename = "kernel"

; Function Attrs: nounwind
define void @kernel(ptr %0, ptr %1, ptr %2, i64 %3, i64 %4) #0 {
entry:
  %5 = alloca <16 x i64>, align 128
  %6 = alloca [16 x <16 x float>], align 64
  %7 = load ptr, ptr %0, align 8
  %8 = getelementptr i8, ptr %0, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = sub i64 %4, %3
  %13 = and i64 %12, -16
  %14 = add i64 %13, %3
  %15 = icmp sgt i64 %14, %3
  br i1 %15, label %some, label %after

some:                                             ; preds = %entry
  %invariant.gep62 = getelementptr i8, ptr %11, i64 1200
  %invariant.gep = getelementptr i8, ptr %11, i64 2400
  %invariant.gep65 = getelementptr i8, ptr %11, i64 3600
  %invariant.gep67 = getelementptr i8, ptr %11, i64 4800
  %invariant.gep69 = getelementptr i8, ptr %11, i64 6000
  %invariant.gep71 = getelementptr i8, ptr %11, i64 7200
  %invariant.gep73 = getelementptr i8, ptr %11, i64 8400
  %invariant.gep75 = getelementptr i8, ptr %11, i64 9600
  %invariant.gep77 = getelementptr i8, ptr %11, i64 10800
  %invariant.gep79 = getelementptr i8, ptr %11, i64 12000
  %invariant.gep81 = getelementptr i8, ptr %11, i64 13200
  %invariant.gep83 = getelementptr i8, ptr %11, i64 14400
  %invariant.gep85 = getelementptr i8, ptr %11, i64 15600
  %invariant.gep87 = getelementptr i8, ptr %11, i64 16800
  %invariant.gep89 = getelementptr i8, ptr %11, i64 18000
  br label %loop

after:                                            ; preds = %after5, %entry
  %16 = icmp slt i64 %14, %4
  br i1 %16, label %some6, label %after7

loop:                                             ; preds = %after5, %some
  %17 = phi i64 [ %3, %some ], [ %279, %after5 ]
  %18 = getelementptr float, ptr %9, i64 %17
  %19 = load <16 x float>, ptr %18, align 4
  %20 = mul nsw i64 %17, 260
  %21 = getelementptr float, ptr %7, i64 %20
  %22 = getelementptr float, ptr %11, i64 %17
  %gep63 = getelementptr float, ptr %invariant.gep62, i64 %17
  %gep64 = getelementptr float, ptr %invariant.gep, i64 %17
  %gep66 = getelementptr float, ptr %invariant.gep65, i64 %17
  %gep68 = getelementptr float, ptr %invariant.gep67, i64 %17
  %gep70 = getelementptr float, ptr %invariant.gep69, i64 %17
  %gep72 = getelementptr float, ptr %invariant.gep71, i64 %17
  %gep74 = getelementptr float, ptr %invariant.gep73, i64 %17
  %gep76 = getelementptr float, ptr %invariant.gep75, i64 %17
  %gep78 = getelementptr float, ptr %invariant.gep77, i64 %17
  %gep80 = getelementptr float, ptr %invariant.gep79, i64 %17
  %gep82 = getelementptr float, ptr %invariant.gep81, i64 %17
  %gep84 = getelementptr float, ptr %invariant.gep83, i64 %17
  %gep86 = getelementptr float, ptr %invariant.gep85, i64 %17
  %gep88 = getelementptr float, ptr %invariant.gep87, i64 %17
  %gep90 = getelementptr float, ptr %invariant.gep89, i64 %17
  br label %loop2

loop2:                                            ; preds = %loop2, %loop
  %23 = phi i64 [ 0, %loop ], [ %265, %loop2 ]
  %24 = getelementptr float, ptr %21, i64 %23
  %25 = getelementptr i8, ptr %24, i64 1040
  %26 = getelementptr i8, ptr %24, i64 2080
  %27 = getelementptr i8, ptr %24, i64 3120
  %28 = getelementptr i8, ptr %24, i64 4160
  %29 = getelementptr i8, ptr %24, i64 5200
  %30 = getelementptr i8, ptr %24, i64 6240
  %31 = getelementptr i8, ptr %24, i64 7280
  %32 = getelementptr i8, ptr %24, i64 8320
  %33 = getelementptr i8, ptr %24, i64 9360
  %34 = getelementptr i8, ptr %24, i64 10400
  %35 = getelementptr i8, ptr %24, i64 11440
  %36 = getelementptr i8, ptr %24, i64 12480
  %37 = getelementptr i8, ptr %24, i64 13520
  %38 = getelementptr i8, ptr %24, i64 14560
  %39 = getelementptr i8, ptr %24, i64 15600
  %40 = getelementptr i8, ptr %24, i64 64
  call void @llvm.prefetch.p0(ptr %40, i32 0, i32 2, i32 1)
  %41 = getelementptr i8, ptr %24, i64 1104
  call void @llvm.prefetch.p0(ptr %41, i32 0, i32 2, i32 1)
  %42 = getelementptr i8, ptr %24, i64 2144
  call void @llvm.prefetch.p0(ptr %42, i32 0, i32 2, i32 1)
  %43 = getelementptr i8, ptr %24, i64 3184
  call void @llvm.prefetch.p0(ptr %43, i32 0, i32 2, i32 1)
  %44 = getelementptr i8, ptr %24, i64 4224
  call void @llvm.prefetch.p0(ptr %44, i32 0, i32 2, i32 1)
  %45 = getelementptr i8, ptr %24, i64 5264
  call void @llvm.prefetch.p0(ptr %45, i32 0, i32 2, i32 1)
  %46 = getelementptr i8, ptr %24, i64 6304
  call void @llvm.prefetch.p0(ptr %46, i32 0, i32 2, i32 1)
  %47 = getelementptr i8, ptr %24, i64 7344
  call void @llvm.prefetch.p0(ptr %47, i32 0, i32 2, i32 1)
  %48 = getelementptr i8, ptr %24, i64 8384
  call void @llvm.prefetch.p0(ptr %48, i32 0, i32 2, i32 1)
  %49 = getelementptr i8, ptr %24, i64 9424
  call void @llvm.prefetch.p0(ptr %49, i32 0, i32 2, i32 1)
  %50 = getelementptr i8, ptr %24, i64 10464
  call void @llvm.prefetch.p0(ptr %50, i32 0, i32 2, i32 1)
  %51 = getelementptr i8, ptr %24, i64 11504
  call void @llvm.prefetch.p0(ptr %51, i32 0, i32 2, i32 1)
  %52 = getelementptr i8, ptr %24, i64 12544
  call void @llvm.prefetch.p0(ptr %52, i32 0, i32 2, i32 1)
  %53 = getelementptr i8, ptr %24, i64 13584
  call void @llvm.prefetch.p0(ptr %53, i32 0, i32 2, i32 1)
  %54 = getelementptr i8, ptr %24, i64 14624
  call void @llvm.prefetch.p0(ptr %54, i32 0, i32 2, i32 1)
  %55 = getelementptr i8, ptr %24, i64 15664
  call void @llvm.prefetch.p0(ptr %55, i32 0, i32 2, i32 1)
  %56 = load <4 x float>, ptr %24, align 4
  %57 = load <4 x float>, ptr %28, align 4
  %58 = load <4 x float>, ptr %32, align 4
  %59 = load <4 x float>, ptr %36, align 4
  %60 = shufflevector <4 x float> %56, <4 x float> %57, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %61 = shufflevector <4 x float> %58, <4 x float> %59, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %62 = shufflevector <8 x float> %60, <8 x float> %61, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %63 = load <4 x float>, ptr %25, align 4
  %64 = load <4 x float>, ptr %29, align 4
  %65 = load <4 x float>, ptr %33, align 4
  %66 = load <4 x float>, ptr %37, align 4
  %67 = shufflevector <4 x float> %63, <4 x float> %64, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %68 = shufflevector <4 x float> %65, <4 x float> %66, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %69 = shufflevector <8 x float> %67, <8 x float> %68, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %70 = load <4 x float>, ptr %26, align 4
  %71 = load <4 x float>, ptr %30, align 4
  %72 = load <4 x float>, ptr %34, align 4
  %73 = load <4 x float>, ptr %38, align 4
  %74 = shufflevector <4 x float> %70, <4 x float> %71, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %75 = shufflevector <4 x float> %72, <4 x float> %73, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %76 = shufflevector <8 x float> %74, <8 x float> %75, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %77 = load <4 x float>, ptr %27, align 4
  %78 = load <4 x float>, ptr %31, align 4
  %79 = load <4 x float>, ptr %35, align 4
  %80 = load <4 x float>, ptr %39, align 4
  %81 = shufflevector <4 x float> %77, <4 x float> %78, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %82 = shufflevector <4 x float> %79, <4 x float> %80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %83 = shufflevector <8 x float> %81, <8 x float> %82, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %84 = shufflevector <16 x float> %62, <16 x float> %76, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %85 = shufflevector <16 x float> %62, <16 x float> %76, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %86 = shufflevector <16 x float> %69, <16 x float> %83, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %87 = shufflevector <16 x float> %69, <16 x float> %83, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %88 = shufflevector <16 x float> %84, <16 x float> %86, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %89 = shufflevector <16 x float> %84, <16 x float> %86, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %90 = shufflevector <16 x float> %85, <16 x float> %87, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %91 = shufflevector <16 x float> %85, <16 x float> %87, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %92 = fadd <16 x float> %19, %88
  %.idx = mul i64 %23, 1200
  %93 = getelementptr i8, ptr %22, i64 %.idx
  store <16 x float> %92, ptr %93, align 4
  %94 = fadd <16 x float> %19, %89
  %.idx14 = mul i64 %23, 1200
  %gep = getelementptr i8, ptr %gep63, i64 %.idx14
  store <16 x float> %94, ptr %gep, align 4
  %95 = fadd <16 x float> %19, %90
  %.idx15 = mul i64 %23, 1200
  %gep35 = getelementptr i8, ptr %gep64, i64 %.idx15
  store <16 x float> %95, ptr %gep35, align 4
  %96 = fadd <16 x float> %19, %91
  %.idx16 = mul i64 %23, 1200
  %gep37 = getelementptr i8, ptr %gep66, i64 %.idx16
  store <16 x float> %96, ptr %gep37, align 4
  %97 = getelementptr i8, ptr %24, i64 16
  %98 = load <4 x float>, ptr %97, align 4
  %99 = getelementptr i8, ptr %24, i64 4176
  %100 = load <4 x float>, ptr %99, align 4
  %101 = getelementptr i8, ptr %24, i64 8336
  %102 = load <4 x float>, ptr %101, align 4
  %103 = getelementptr i8, ptr %24, i64 12496
  %104 = load <4 x float>, ptr %103, align 4
  %105 = shufflevector <4 x float> %98, <4 x float> %100, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %106 = shufflevector <4 x float> %102, <4 x float> %104, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %107 = shufflevector <8 x float> %105, <8 x float> %106, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %108 = getelementptr i8, ptr %24, i64 1056
  %109 = load <4 x float>, ptr %108, align 4
  %110 = getelementptr i8, ptr %24, i64 5216
  %111 = load <4 x float>, ptr %110, align 4
  %112 = getelementptr i8, ptr %24, i64 9376
  %113 = load <4 x float>, ptr %112, align 4
  %114 = getelementptr i8, ptr %24, i64 13536
  %115 = load <4 x float>, ptr %114, align 4
  %116 = shufflevector <4 x float> %109, <4 x float> %111, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %117 = shufflevector <4 x float> %113, <4 x float> %115, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %118 = shufflevector <8 x float> %116, <8 x float> %117, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %119 = getelementptr i8, ptr %24, i64 2096
  %120 = load <4 x float>, ptr %119, align 4
  %121 = getelementptr i8, ptr %24, i64 6256
  %122 = load <4 x float>, ptr %121, align 4
  %123 = getelementptr i8, ptr %24, i64 10416
  %124 = load <4 x float>, ptr %123, align 4
  %125 = getelementptr i8, ptr %24, i64 14576
  %126 = load <4 x float>, ptr %125, align 4
  %127 = shufflevector <4 x float> %120, <4 x float> %122, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %128 = shufflevector <4 x float> %124, <4 x float> %126, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %129 = shufflevector <8 x float> %127, <8 x float> %128, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %130 = getelementptr i8, ptr %24, i64 3136
  %131 = load <4 x float>, ptr %130, align 4
  %132 = getelementptr i8, ptr %24, i64 7296
  %133 = load <4 x float>, ptr %132, align 4
  %134 = getelementptr i8, ptr %24, i64 11456
  %135 = load <4 x float>, ptr %134, align 4
  %136 = getelementptr i8, ptr %24, i64 15616
  %137 = load <4 x float>, ptr %136, align 4
  %138 = shufflevector <4 x float> %131, <4 x float> %133, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %139 = shufflevector <4 x float> %135, <4 x float> %137, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %140 = shufflevector <8 x float> %138, <8 x float> %139, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %141 = shufflevector <16 x float> %107, <16 x float> %129, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %142 = shufflevector <16 x float> %107, <16 x float> %129, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %143 = shufflevector <16 x float> %118, <16 x float> %140, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %144 = shufflevector <16 x float> %118, <16 x float> %140, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %145 = shufflevector <16 x float> %141, <16 x float> %143, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %146 = shufflevector <16 x float> %141, <16 x float> %143, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %147 = shufflevector <16 x float> %142, <16 x float> %144, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %148 = shufflevector <16 x float> %142, <16 x float> %144, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %149 = fadd <16 x float> %19, %145
  %.idx17 = mul i64 %23, 1200
  %gep39 = getelementptr i8, ptr %gep68, i64 %.idx17
  store <16 x float> %149, ptr %gep39, align 4
  %150 = fadd <16 x float> %19, %146
  %.idx18 = mul i64 %23, 1200
  %gep41 = getelementptr i8, ptr %gep70, i64 %.idx18
  store <16 x float> %150, ptr %gep41, align 4
  %151 = fadd <16 x float> %19, %147
  %.idx19 = mul i64 %23, 1200
  %gep43 = getelementptr i8, ptr %gep72, i64 %.idx19
  store <16 x float> %151, ptr %gep43, align 4
  %152 = fadd <16 x float> %19, %148
  %.idx20 = mul i64 %23, 1200
  %gep45 = getelementptr i8, ptr %gep74, i64 %.idx20
  store <16 x float> %152, ptr %gep45, align 4
  %153 = getelementptr i8, ptr %24, i64 32
  %154 = load <4 x float>, ptr %153, align 4
  %155 = getelementptr i8, ptr %24, i64 4192
  %156 = load <4 x float>, ptr %155, align 4
  %157 = getelementptr i8, ptr %24, i64 8352
  %158 = load <4 x float>, ptr %157, align 4
  %159 = getelementptr i8, ptr %24, i64 12512
  %160 = load <4 x float>, ptr %159, align 4
  %161 = shufflevector <4 x float> %154, <4 x float> %156, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %162 = shufflevector <4 x float> %158, <4 x float> %160, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %163 = shufflevector <8 x float> %161, <8 x float> %162, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %164 = getelementptr i8, ptr %24, i64 1072
  %165 = load <4 x float>, ptr %164, align 4
  %166 = getelementptr i8, ptr %24, i64 5232
  %167 = load <4 x float>, ptr %166, align 4
  %168 = getelementptr i8, ptr %24, i64 9392
  %169 = load <4 x float>, ptr %168, align 4
  %170 = getelementptr i8, ptr %24, i64 13552
  %171 = load <4 x float>, ptr %170, align 4
  %172 = shufflevector <4 x float> %165, <4 x float> %167, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %173 = shufflevector <4 x float> %169, <4 x float> %171, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %174 = shufflevector <8 x float> %172, <8 x float> %173, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %175 = getelementptr i8, ptr %24, i64 2112
  %176 = load <4 x float>, ptr %175, align 4
  %177 = getelementptr i8, ptr %24, i64 6272
  %178 = load <4 x float>, ptr %177, align 4
  %179 = getelementptr i8, ptr %24, i64 10432
  %180 = load <4 x float>, ptr %179, align 4
  %181 = getelementptr i8, ptr %24, i64 14592
  %182 = load <4 x float>, ptr %181, align 4
  %183 = shufflevector <4 x float> %176, <4 x float> %178, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %184 = shufflevector <4 x float> %180, <4 x float> %182, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %185 = shufflevector <8 x float> %183, <8 x float> %184, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %186 = getelementptr i8, ptr %24, i64 3152
  %187 = load <4 x float>, ptr %186, align 4
  %188 = getelementptr i8, ptr %24, i64 7312
  %189 = load <4 x float>, ptr %188, align 4
  %190 = getelementptr i8, ptr %24, i64 11472
  %191 = load <4 x float>, ptr %190, align 4
  %192 = getelementptr i8, ptr %24, i64 15632
  %193 = load <4 x float>, ptr %192, align 4
  %194 = shufflevector <4 x float> %187, <4 x float> %189, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %195 = shufflevector <4 x float> %191, <4 x float> %193, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %196 = shufflevector <8 x float> %194, <8 x float> %195, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %197 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %198 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %199 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %200 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %201 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %202 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %203 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %204 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %205 = fadd <16 x float> %19, %201
  %.idx21 = mul i64 %23, 1200
  %gep47 = getelementptr i8, ptr %gep76, i64 %.idx21
  store <16 x float> %205, ptr %gep47, align 4
  %206 = fadd <16 x float> %19, %202
  %.idx22 = mul i64 %23, 1200
  %gep49 = getelementptr i8, ptr %gep78, i64 %.idx22
  store <16 x float> %206, ptr %gep49, align 4
  %207 = fadd <16 x float> %19, %203
  %.idx23 = mul i64 %23, 1200
  %gep51 = getelementptr i8, ptr %gep80, i64 %.idx23
  store <16 x float> %207, ptr %gep51, align 4
  %208 = fadd <16 x float> %19, %204
  %.idx24 = mul i64 %23, 1200
  %gep53 = getelementptr i8, ptr %gep82, i64 %.idx24
  store <16 x float> %208, ptr %gep53, align 4
  %209 = getelementptr i8, ptr %24, i64 48
  %210 = load <4 x float>, ptr %209, align 4
  %211 = getelementptr i8, ptr %24, i64 4208
  %212 = load <4 x float>, ptr %211, align 4
  %213 = getelementptr i8, ptr %24, i64 8368
  %214 = load <4 x float>, ptr %213, align 4
  %215 = getelementptr i8, ptr %24, i64 12528
  %216 = load <4 x float>, ptr %215, align 4
  %217 = shufflevector <4 x float> %210, <4 x float> %212, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %218 = shufflevector <4 x float> %214, <4 x float> %216, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %219 = shufflevector <8 x float> %217, <8 x float> %218, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %220 = getelementptr i8, ptr %24, i64 1088
  %221 = load <4 x float>, ptr %220, align 4
  %222 = getelementptr i8, ptr %24, i64 5248
  %223 = load <4 x float>, ptr %222, align 4
  %224 = getelementptr i8, ptr %24, i64 9408
  %225 = load <4 x float>, ptr %224, align 4
  %226 = getelementptr i8, ptr %24, i64 13568
  %227 = load <4 x float>, ptr %226, align 4
  %228 = shufflevector <4 x float> %221, <4 x float> %223, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %229 = shufflevector <4 x float> %225, <4 x float> %227, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %230 = shufflevector <8 x float> %228, <8 x float> %229, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %231 = getelementptr i8, ptr %24, i64 2128
  %232 = load <4 x float>, ptr %231, align 4
  %233 = getelementptr i8, ptr %24, i64 6288
  %234 = load <4 x float>, ptr %233, align 4
  %235 = getelementptr i8, ptr %24, i64 10448
  %236 = load <4 x float>, ptr %235, align 4
  %237 = getelementptr i8, ptr %24, i64 14608
  %238 = load <4 x float>, ptr %237, align 4
  %239 = shufflevector <4 x float> %232, <4 x float> %234, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %240 = shufflevector <4 x float> %236, <4 x float> %238, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %241 = shufflevector <8 x float> %239, <8 x float> %240, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %242 = getelementptr i8, ptr %24, i64 3168
  %243 = load <4 x float>, ptr %242, align 4
  %244 = getelementptr i8, ptr %24, i64 7328
  %245 = load <4 x float>, ptr %244, align 4
  %246 = getelementptr i8, ptr %24, i64 11488
  %247 = load <4 x float>, ptr %246, align 4
  %248 = getelementptr i8, ptr %24, i64 15648
  %249 = load <4 x float>, ptr %248, align 4
  %250 = shufflevector <4 x float> %243, <4 x float> %245, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %251 = shufflevector <4 x float> %247, <4 x float> %249, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %252 = shufflevector <8 x float> %250, <8 x float> %251, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %253 = shufflevector <16 x float> %219, <16 x float> %241, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %254 = shufflevector <16 x float> %219, <16 x float> %241, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %255 = shufflevector <16 x float> %230, <16 x float> %252, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %256 = shufflevector <16 x float> %230, <16 x float> %252, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %257 = shufflevector <16 x float> %253, <16 x float> %255, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %258 = shufflevector <16 x float> %253, <16 x float> %255, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %259 = shufflevector <16 x float> %254, <16 x float> %256, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %260 = shufflevector <16 x float> %254, <16 x float> %256, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %261 = fadd <16 x float> %19, %257
  %.idx25 = mul i64 %23, 1200
  %gep55 = getelementptr i8, ptr %gep84, i64 %.idx25
  store <16 x float> %261, ptr %gep55, align 4
  %262 = fadd <16 x float> %19, %258
  %.idx26 = mul i64 %23, 1200
  %gep57 = getelementptr i8, ptr %gep86, i64 %.idx26
  store <16 x float> %262, ptr %gep57, align 4
  %263 = fadd <16 x float> %19, %259
  %.idx27 = mul i64 %23, 1200
  %gep59 = getelementptr i8, ptr %gep88, i64 %.idx27
  store <16 x float> %263, ptr %gep59, align 4
  %264 = fadd <16 x float> %19, %260
  %.idx28 = mul i64 %23, 1200
  %gep61 = getelementptr i8, ptr %gep90, i64 %.idx28
  store <16 x float> %264, ptr %gep61, align 4
  %265 = add nuw nsw i64 %23, 16
  %266 = icmp ult i64 %23, 240
  br i1 %266, label %loop2, label %after3

after3:                                           ; preds = %loop2
  %267 = getelementptr float, ptr %11, i64 %17
  br label %loop4

loop4:                                            ; preds = %loop4, %after3
  %268 = phi i64 [ 256, %after3 ], [ %277, %loop4 ]
  %269 = add nsw i64 %20, %268
  %270 = insertelement <16 x i64> poison, i64 %269, i64 0
  %271 = shufflevector <16 x i64> %270, <16 x i64> poison, <16 x i32> zeroinitializer
  %272 = add <16 x i64> %271, <i64 0, i64 260, i64 520, i64 780, i64 1040, i64 1300, i64 1560, i64 1820, i64 2080, i64 2340, i64 2600, i64 2860, i64 3120, i64 3380, i64 3640, i64 3900>
  %273 = getelementptr float, ptr %7, <16 x i64> %272
  %274 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %273, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %275 = fadd <16 x float> %19, %274
  %.idx29 = mul i64 %268, 1200
  %276 = getelementptr i8, ptr %267, i64 %.idx29
  store <16 x float> %275, ptr %276, align 4
  %277 = add nuw nsw i64 %268, 1
  %278 = icmp ult i64 %268, 259
  br i1 %278, label %loop4, label %after5

after5:                                           ; preds = %loop4
  %279 = add nsw i64 %17, 16
  %280 = icmp slt i64 %279, %14
  br i1 %280, label %loop, label %after

some6:                                            ; preds = %after
  %281 = getelementptr float, ptr %9, i64 %14
  %282 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %281, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %283 = mul nsw i64 %14, 260
  %284 = getelementptr float, ptr %11, i64 %14
  br label %loop8

after7:                                           ; preds = %loop12, %after
  ret void

loop8:                                            ; preds = %after11, %some6
  %285 = phi i64 [ 0, %some6 ], [ %299, %after11 ]
  %286 = add nsw i64 %283, %285
  %287 = insertelement <16 x i64> poison, i64 %286, i64 0
  %288 = shufflevector <16 x i64> %287, <16 x i64> poison, <16 x i32> zeroinitializer
  %289 = add <16 x i64> %288, <i64 0, i64 260, i64 520, i64 780, i64 1040, i64 1300, i64 1560, i64 1820, i64 2080, i64 2340, i64 2600, i64 2860, i64 0, i64 0, i64 0, i64 0>
  store <16 x i64> %289, ptr %5, align 128
  call void @transpose_32(ptr %7, ptr nonnull %5, ptr nonnull %6)
  br label %loop10

after9:                                           ; preds = %after11
  %290 = getelementptr float, ptr %11, i64 %14
  br label %loop12

loop10:                                           ; preds = %loop10, %loop8
  %291 = phi i64 [ 0, %loop8 ], [ %297, %loop10 ]
  %292 = add nuw nsw i64 %285, %291
  %.idx30 = shl i64 %291, 6
  %293 = getelementptr i8, ptr %6, i64 %.idx30
  %294 = load <16 x float>, ptr %293, align 4
  %295 = fadd <16 x float> %282, %294
  %.idx31 = mul i64 %292, 1200
  %296 = getelementptr i8, ptr %284, i64 %.idx31
  call void @llvm.masked.store.v16f32.p0(<16 x float> %295, ptr %296, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>)
  %297 = add nuw nsw i64 %291, 1
  %298 = icmp ult i64 %291, 15
  br i1 %298, label %loop10, label %after11

after11:                                          ; preds = %loop10
  %299 = add nuw nsw i64 %285, 16
  %300 = icmp ult i64 %285, 240
  br i1 %300, label %loop8, label %after9

loop12:                                           ; preds = %loop12, %after9
  %301 = phi i64 [ 256, %after9 ], [ %310, %loop12 ]
  %302 = add nsw i64 %283, %301
  %303 = insertelement <16 x i64> poison, i64 %302, i64 0
  %304 = shufflevector <16 x i64> %303, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison>
  %305 = add <16 x i64> %304, <i64 0, i64 260, i64 520, i64 780, i64 1040, i64 1300, i64 1560, i64 1820, i64 2080, i64 2340, i64 2600, i64 2860, i64 poison, i64 poison, i64 poison, i64 poison>
  %306 = getelementptr float, ptr %7, <16 x i64> %305
  %307 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %306, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %308 = fadd <16 x float> %282, %307
  %.idx32 = mul i64 %301, 1200
  %309 = getelementptr i8, ptr %290, i64 %.idx32
  call void @llvm.masked.store.v16f32.p0(<16 x float> %308, ptr %309, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>)
  %310 = add nuw nsw i64 %301, 1
  %311 = icmp ult i64 %301, 259
  br i1 %311, label %loop12, label %after7
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @llvm.prefetch.p0(ptr nocapture readonly, i32 immarg, i32 immarg, i32 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #3

; Function Attrs: nounwind
define internal void @transpose_32(ptr %0, ptr %1, ptr %2) #0 {
entry:
  %3 = load i64, ptr %1, align 4
  %4 = getelementptr float, ptr %0, i64 %3
  %5 = getelementptr i8, ptr %1, i64 8
  %6 = load i64, ptr %5, align 4
  %7 = getelementptr float, ptr %0, i64 %6
  %8 = getelementptr i8, ptr %1, i64 16
  %9 = load i64, ptr %8, align 4
  %10 = getelementptr float, ptr %0, i64 %9
  %11 = getelementptr i8, ptr %1, i64 24
  %12 = load i64, ptr %11, align 4
  %13 = getelementptr float, ptr %0, i64 %12
  %14 = getelementptr i8, ptr %1, i64 32
  %15 = load i64, ptr %14, align 4
  %16 = getelementptr float, ptr %0, i64 %15
  %17 = getelementptr i8, ptr %1, i64 40
  %18 = load i64, ptr %17, align 4
  %19 = getelementptr float, ptr %0, i64 %18
  %20 = getelementptr i8, ptr %1, i64 48
  %21 = load i64, ptr %20, align 4
  %22 = getelementptr float, ptr %0, i64 %21
  %23 = getelementptr i8, ptr %1, i64 56
  %24 = load i64, ptr %23, align 4
  %25 = getelementptr float, ptr %0, i64 %24
  %26 = getelementptr i8, ptr %1, i64 64
  %27 = load i64, ptr %26, align 4
  %28 = getelementptr float, ptr %0, i64 %27
  %29 = getelementptr i8, ptr %1, i64 72
  %30 = load i64, ptr %29, align 4
  %31 = getelementptr float, ptr %0, i64 %30
  %32 = getelementptr i8, ptr %1, i64 80
  %33 = load i64, ptr %32, align 4
  %34 = getelementptr float, ptr %0, i64 %33
  %35 = getelementptr i8, ptr %1, i64 88
  %36 = load i64, ptr %35, align 4
  %37 = getelementptr float, ptr %0, i64 %36
  %38 = getelementptr i8, ptr %1, i64 96
  %39 = load i64, ptr %38, align 4
  %40 = getelementptr float, ptr %0, i64 %39
  %41 = getelementptr i8, ptr %1, i64 104
  %42 = load i64, ptr %41, align 4
  %43 = getelementptr float, ptr %0, i64 %42
  %44 = getelementptr i8, ptr %1, i64 112
  %45 = load i64, ptr %44, align 4
  %46 = getelementptr float, ptr %0, i64 %45
  %47 = getelementptr i8, ptr %1, i64 120
  %48 = load i64, ptr %47, align 4
  %49 = getelementptr float, ptr %0, i64 %48
  %50 = getelementptr i8, ptr %2, i64 64
  %51 = getelementptr i8, ptr %2, i64 128
  %52 = getelementptr i8, ptr %2, i64 192
  %53 = getelementptr i8, ptr %2, i64 256
  %54 = getelementptr i8, ptr %2, i64 320
  %55 = getelementptr i8, ptr %2, i64 384
  %56 = getelementptr i8, ptr %2, i64 448
  %57 = getelementptr i8, ptr %2, i64 512
  %58 = getelementptr i8, ptr %2, i64 576
  %59 = getelementptr i8, ptr %2, i64 640
  %60 = getelementptr i8, ptr %2, i64 704
  %61 = getelementptr i8, ptr %2, i64 768
  %62 = getelementptr i8, ptr %2, i64 832
  %63 = getelementptr i8, ptr %2, i64 896
  %64 = getelementptr i8, ptr %2, i64 960
  %65 = load <4 x float>, ptr %4, align 4
  %66 = load <4 x float>, ptr %16, align 4
  %67 = load <4 x float>, ptr %28, align 4
  %68 = load <4 x float>, ptr %40, align 4
  %69 = shufflevector <4 x float> %65, <4 x float> %66, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %70 = shufflevector <4 x float> %67, <4 x float> %68, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %71 = shufflevector <8 x float> %69, <8 x float> %70, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %72 = load <4 x float>, ptr %7, align 4
  %73 = load <4 x float>, ptr %19, align 4
  %74 = load <4 x float>, ptr %31, align 4
  %75 = load <4 x float>, ptr %43, align 4
  %76 = shufflevector <4 x float> %72, <4 x float> %73, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %77 = shufflevector <4 x float> %74, <4 x float> %75, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %78 = shufflevector <8 x float> %76, <8 x float> %77, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %79 = load <4 x float>, ptr %10, align 4
  %80 = load <4 x float>, ptr %22, align 4
  %81 = load <4 x float>, ptr %34, align 4
  %82 = load <4 x float>, ptr %46, align 4
  %83 = shufflevector <4 x float> %79, <4 x float> %80, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %84 = shufflevector <4 x float> %81, <4 x float> %82, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %85 = shufflevector <8 x float> %83, <8 x float> %84, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %86 = load <4 x float>, ptr %13, align 4
  %87 = load <4 x float>, ptr %25, align 4
  %88 = load <4 x float>, ptr %37, align 4
  %89 = load <4 x float>, ptr %49, align 4
  %90 = shufflevector <4 x float> %86, <4 x float> %87, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %91 = shufflevector <4 x float> %88, <4 x float> %89, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %92 = shufflevector <8 x float> %90, <8 x float> %91, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %93 = shufflevector <16 x float> %71, <16 x float> %85, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %94 = shufflevector <16 x float> %71, <16 x float> %85, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %95 = shufflevector <16 x float> %78, <16 x float> %92, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %96 = shufflevector <16 x float> %78, <16 x float> %92, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %97 = shufflevector <16 x float> %93, <16 x float> %95, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %98 = shufflevector <16 x float> %93, <16 x float> %95, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %99 = shufflevector <16 x float> %94, <16 x float> %96, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %100 = shufflevector <16 x float> %94, <16 x float> %96, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %97, ptr %2, align 4
  store <16 x float> %98, ptr %50, align 4
  store <16 x float> %99, ptr %51, align 4
  store <16 x float> %100, ptr %52, align 4
  %101 = getelementptr i8, ptr %4, i64 16
  %102 = load <4 x float>, ptr %101, align 4
  %103 = getelementptr i8, ptr %16, i64 16
  %104 = load <4 x float>, ptr %103, align 4
  %105 = getelementptr i8, ptr %28, i64 16
  %106 = load <4 x float>, ptr %105, align 4
  %107 = getelementptr i8, ptr %40, i64 16
  %108 = load <4 x float>, ptr %107, align 4
  %109 = shufflevector <4 x float> %102, <4 x float> %104, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %110 = shufflevector <4 x float> %106, <4 x float> %108, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %111 = shufflevector <8 x float> %109, <8 x float> %110, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %112 = getelementptr i8, ptr %7, i64 16
  %113 = load <4 x float>, ptr %112, align 4
  %114 = getelementptr i8, ptr %19, i64 16
  %115 = load <4 x float>, ptr %114, align 4
  %116 = getelementptr i8, ptr %31, i64 16
  %117 = load <4 x float>, ptr %116, align 4
  %118 = getelementptr i8, ptr %43, i64 16
  %119 = load <4 x float>, ptr %118, align 4
  %120 = shufflevector <4 x float> %113, <4 x float> %115, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %121 = shufflevector <4 x float> %117, <4 x float> %119, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %122 = shufflevector <8 x float> %120, <8 x float> %121, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %123 = getelementptr i8, ptr %10, i64 16
  %124 = load <4 x float>, ptr %123, align 4
  %125 = getelementptr i8, ptr %22, i64 16
  %126 = load <4 x float>, ptr %125, align 4
  %127 = getelementptr i8, ptr %34, i64 16
  %128 = load <4 x float>, ptr %127, align 4
  %129 = getelementptr i8, ptr %46, i64 16
  %130 = load <4 x float>, ptr %129, align 4
  %131 = shufflevector <4 x float> %124, <4 x float> %126, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %132 = shufflevector <4 x float> %128, <4 x float> %130, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %133 = shufflevector <8 x float> %131, <8 x float> %132, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %134 = getelementptr i8, ptr %13, i64 16
  %135 = load <4 x float>, ptr %134, align 4
  %136 = getelementptr i8, ptr %25, i64 16
  %137 = load <4 x float>, ptr %136, align 4
  %138 = getelementptr i8, ptr %37, i64 16
  %139 = load <4 x float>, ptr %138, align 4
  %140 = getelementptr i8, ptr %49, i64 16
  %141 = load <4 x float>, ptr %140, align 4
  %142 = shufflevector <4 x float> %135, <4 x float> %137, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %143 = shufflevector <4 x float> %139, <4 x float> %141, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %144 = shufflevector <8 x float> %142, <8 x float> %143, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %145 = shufflevector <16 x float> %111, <16 x float> %133, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %146 = shufflevector <16 x float> %111, <16 x float> %133, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %147 = shufflevector <16 x float> %122, <16 x float> %144, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %148 = shufflevector <16 x float> %122, <16 x float> %144, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %149 = shufflevector <16 x float> %145, <16 x float> %147, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %150 = shufflevector <16 x float> %145, <16 x float> %147, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %151 = shufflevector <16 x float> %146, <16 x float> %148, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %152 = shufflevector <16 x float> %146, <16 x float> %148, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %149, ptr %53, align 4
  store <16 x float> %150, ptr %54, align 4
  store <16 x float> %151, ptr %55, align 4
  store <16 x float> %152, ptr %56, align 4
  %153 = getelementptr i8, ptr %4, i64 32
  %154 = load <4 x float>, ptr %153, align 4
  %155 = getelementptr i8, ptr %16, i64 32
  %156 = load <4 x float>, ptr %155, align 4
  %157 = getelementptr i8, ptr %28, i64 32
  %158 = load <4 x float>, ptr %157, align 4
  %159 = getelementptr i8, ptr %40, i64 32
  %160 = load <4 x float>, ptr %159, align 4
  %161 = shufflevector <4 x float> %154, <4 x float> %156, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %162 = shufflevector <4 x float> %158, <4 x float> %160, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %163 = shufflevector <8 x float> %161, <8 x float> %162, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %164 = getelementptr i8, ptr %7, i64 32
  %165 = load <4 x float>, ptr %164, align 4
  %166 = getelementptr i8, ptr %19, i64 32
  %167 = load <4 x float>, ptr %166, align 4
  %168 = getelementptr i8, ptr %31, i64 32
  %169 = load <4 x float>, ptr %168, align 4
  %170 = getelementptr i8, ptr %43, i64 32
  %171 = load <4 x float>, ptr %170, align 4
  %172 = shufflevector <4 x float> %165, <4 x float> %167, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %173 = shufflevector <4 x float> %169, <4 x float> %171, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %174 = shufflevector <8 x float> %172, <8 x float> %173, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %175 = getelementptr i8, ptr %10, i64 32
  %176 = load <4 x float>, ptr %175, align 4
  %177 = getelementptr i8, ptr %22, i64 32
  %178 = load <4 x float>, ptr %177, align 4
  %179 = getelementptr i8, ptr %34, i64 32
  %180 = load <4 x float>, ptr %179, align 4
  %181 = getelementptr i8, ptr %46, i64 32
  %182 = load <4 x float>, ptr %181, align 4
  %183 = shufflevector <4 x float> %176, <4 x float> %178, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %184 = shufflevector <4 x float> %180, <4 x float> %182, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %185 = shufflevector <8 x float> %183, <8 x float> %184, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %186 = getelementptr i8, ptr %13, i64 32
  %187 = load <4 x float>, ptr %186, align 4
  %188 = getelementptr i8, ptr %25, i64 32
  %189 = load <4 x float>, ptr %188, align 4
  %190 = getelementptr i8, ptr %37, i64 32
  %191 = load <4 x float>, ptr %190, align 4
  %192 = getelementptr i8, ptr %49, i64 32
  %193 = load <4 x float>, ptr %192, align 4
  %194 = shufflevector <4 x float> %187, <4 x float> %189, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %195 = shufflevector <4 x float> %191, <4 x float> %193, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %196 = shufflevector <8 x float> %194, <8 x float> %195, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %197 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %198 = shufflevector <16 x float> %163, <16 x float> %185, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %199 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %200 = shufflevector <16 x float> %174, <16 x float> %196, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %201 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %202 = shufflevector <16 x float> %197, <16 x float> %199, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %203 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %204 = shufflevector <16 x float> %198, <16 x float> %200, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %201, ptr %57, align 4
  store <16 x float> %202, ptr %58, align 4
  store <16 x float> %203, ptr %59, align 4
  store <16 x float> %204, ptr %60, align 4
  %205 = getelementptr i8, ptr %4, i64 48
  %206 = load <4 x float>, ptr %205, align 4
  %207 = getelementptr i8, ptr %16, i64 48
  %208 = load <4 x float>, ptr %207, align 4
  %209 = getelementptr i8, ptr %28, i64 48
  %210 = load <4 x float>, ptr %209, align 4
  %211 = getelementptr i8, ptr %40, i64 48
  %212 = load <4 x float>, ptr %211, align 4
  %213 = shufflevector <4 x float> %206, <4 x float> %208, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %214 = shufflevector <4 x float> %210, <4 x float> %212, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %215 = shufflevector <8 x float> %213, <8 x float> %214, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %216 = getelementptr i8, ptr %7, i64 48
  %217 = load <4 x float>, ptr %216, align 4
  %218 = getelementptr i8, ptr %19, i64 48
  %219 = load <4 x float>, ptr %218, align 4
  %220 = getelementptr i8, ptr %31, i64 48
  %221 = load <4 x float>, ptr %220, align 4
  %222 = getelementptr i8, ptr %43, i64 48
  %223 = load <4 x float>, ptr %222, align 4
  %224 = shufflevector <4 x float> %217, <4 x float> %219, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %225 = shufflevector <4 x float> %221, <4 x float> %223, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %226 = shufflevector <8 x float> %224, <8 x float> %225, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %227 = getelementptr i8, ptr %10, i64 48
  %228 = load <4 x float>, ptr %227, align 4
  %229 = getelementptr i8, ptr %22, i64 48
  %230 = load <4 x float>, ptr %229, align 4
  %231 = getelementptr i8, ptr %34, i64 48
  %232 = load <4 x float>, ptr %231, align 4
  %233 = getelementptr i8, ptr %46, i64 48
  %234 = load <4 x float>, ptr %233, align 4
  %235 = shufflevector <4 x float> %228, <4 x float> %230, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %236 = shufflevector <4 x float> %232, <4 x float> %234, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %237 = shufflevector <8 x float> %235, <8 x float> %236, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %238 = getelementptr i8, ptr %13, i64 48
  %239 = load <4 x float>, ptr %238, align 4
  %240 = getelementptr i8, ptr %25, i64 48
  %241 = load <4 x float>, ptr %240, align 4
  %242 = getelementptr i8, ptr %37, i64 48
  %243 = load <4 x float>, ptr %242, align 4
  %244 = getelementptr i8, ptr %49, i64 48
  %245 = load <4 x float>, ptr %244, align 4
  %246 = shufflevector <4 x float> %239, <4 x float> %241, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %247 = shufflevector <4 x float> %243, <4 x float> %245, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %248 = shufflevector <8 x float> %246, <8 x float> %247, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %249 = shufflevector <16 x float> %215, <16 x float> %237, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %250 = shufflevector <16 x float> %215, <16 x float> %237, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %251 = shufflevector <16 x float> %226, <16 x float> %248, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %252 = shufflevector <16 x float> %226, <16 x float> %248, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %253 = shufflevector <16 x float> %249, <16 x float> %251, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %254 = shufflevector <16 x float> %249, <16 x float> %251, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %255 = shufflevector <16 x float> %250, <16 x float> %252, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %256 = shufflevector <16 x float> %250, <16 x float> %252, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  store <16 x float> %253, ptr %61, align 4
  store <16 x float> %254, ptr %62, align 4
  store <16 x float> %255, ptr %63, align 4
  store <16 x float> %256, ptr %64, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #4

