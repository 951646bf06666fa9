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
  %10 = sub i64 %4, %3
  %11 = and i64 %10, -16
  %12 = add i64 %11, %3
  %13 = icmp sgt i64 %12, %3
  br i1 %13, label %some, label %after

some:                                             ; preds = %entry
  %invariant.gep47 = getelementptr i8, ptr %9, i64 576
  %invariant.gep = getelementptr i8, ptr %9, i64 672
  %invariant.gep50 = getelementptr i8, ptr %9, i64 768
  %invariant.gep52 = getelementptr i8, ptr %9, i64 864
  %invariant.gep54 = getelementptr i8, ptr %9, i64 960
  %invariant.gep56 = getelementptr i8, ptr %9, i64 1056
  %invariant.gep58 = getelementptr i8, ptr %9, i64 1152
  %invariant.gep60 = getelementptr i8, ptr %9, i64 1248
  %invariant.gep62 = getelementptr i8, ptr %9, i64 1344
  %invariant.gep64 = getelementptr i8, ptr %9, i64 1440
  br label %loop

after:                                            ; preds = %after5, %entry
  %14 = icmp slt i64 %12, %4
  br i1 %14, label %some6, label %after7

loop:                                             ; preds = %after5, %some
  %15 = phi i64 [ %3, %some ], [ %278, %after5 ]
  %16 = mul nsw i64 %15, 40
  %17 = getelementptr float, ptr %7, i64 %16
  %18 = getelementptr float, ptr %9, i64 %15
  %19 = getelementptr float, ptr %9, i64 %15
  %20 = getelementptr float, ptr %9, i64 %15
  %21 = getelementptr float, ptr %9, i64 %15
  %22 = getelementptr float, ptr %9, i64 %15
  %23 = getelementptr float, ptr %9, i64 %15
  %gep48 = getelementptr float, ptr %invariant.gep47, i64 %15
  %gep49 = getelementptr float, ptr %invariant.gep, i64 %15
  %gep51 = getelementptr float, ptr %invariant.gep50, i64 %15
  %gep53 = getelementptr float, ptr %invariant.gep52, i64 %15
  %gep55 = getelementptr float, ptr %invariant.gep54, i64 %15
  %gep57 = getelementptr float, ptr %invariant.gep56, i64 %15
  %gep59 = getelementptr float, ptr %invariant.gep58, i64 %15
  %gep61 = getelementptr float, ptr %invariant.gep60, i64 %15
  %gep63 = getelementptr float, ptr %invariant.gep62, i64 %15
  %gep65 = getelementptr float, ptr %invariant.gep64, i64 %15
  br label %loop2

loop2:                                            ; preds = %loop2, %loop
  %24 = phi i64 [ 0, %loop ], [ %265, %loop2 ]
  %25 = getelementptr float, ptr %17, i64 %24
  %26 = getelementptr i8, ptr %25, i64 160
  %27 = getelementptr i8, ptr %25, i64 320
  %28 = getelementptr i8, ptr %25, i64 480
  %29 = getelementptr i8, ptr %25, i64 640
  %30 = getelementptr i8, ptr %25, i64 800
  %31 = getelementptr i8, ptr %25, i64 960
  %32 = getelementptr i8, ptr %25, i64 1120
  %33 = getelementptr i8, ptr %25, i64 1280
  %34 = getelementptr i8, ptr %25, i64 1440
  %35 = getelementptr i8, ptr %25, i64 1600
  %36 = getelementptr i8, ptr %25, i64 1760
  %37 = getelementptr i8, ptr %25, i64 1920
  %38 = getelementptr i8, ptr %25, i64 2080
  %39 = getelementptr i8, ptr %25, i64 2240
  %40 = getelementptr i8, ptr %25, i64 2400
  %41 = getelementptr i8, ptr %25, i64 64
  call void @llvm.prefetch.p0(ptr %41, i32 0, i32 2, i32 1)
  %42 = getelementptr i8, ptr %25, i64 224
  call void @llvm.prefetch.p0(ptr %42, i32 0, i32 2, i32 1)
  %43 = getelementptr i8, ptr %25, i64 384
  call void @llvm.prefetch.p0(ptr %43, i32 0, i32 2, i32 1)
  %44 = getelementptr i8, ptr %25, i64 544
  call void @llvm.prefetch.p0(ptr %44, i32 0, i32 2, i32 1)
  %45 = getelementptr i8, ptr %25, i64 704
  call void @llvm.prefetch.p0(ptr %45, i32 0, i32 2, i32 1)
  %46 = getelementptr i8, ptr %25, i64 864
  call void @llvm.prefetch.p0(ptr %46, i32 0, i32 2, i32 1)
  %47 = getelementptr i8, ptr %25, i64 1024
  call void @llvm.prefetch.p0(ptr %47, i32 0, i32 2, i32 1)
  %48 = getelementptr i8, ptr %25, i64 1184
  call void @llvm.prefetch.p0(ptr %48, i32 0, i32 2, i32 1)
  %49 = getelementptr i8, ptr %25, i64 1344
  call void @llvm.prefetch.p0(ptr %49, i32 0, i32 2, i32 1)
  %50 = getelementptr i8, ptr %25, i64 1504
  call void @llvm.prefetch.p0(ptr %50, i32 0, i32 2, i32 1)
  %51 = getelementptr i8, ptr %25, i64 1664
  call void @llvm.prefetch.p0(ptr %51, i32 0, i32 2, i32 1)
  %52 = getelementptr i8, ptr %25, i64 1824
  call void @llvm.prefetch.p0(ptr %52, i32 0, i32 2, i32 1)
  %53 = getelementptr i8, ptr %25, i64 1984
  call void @llvm.prefetch.p0(ptr %53, i32 0, i32 2, i32 1)
  %54 = getelementptr i8, ptr %25, i64 2144
  call void @llvm.prefetch.p0(ptr %54, i32 0, i32 2, i32 1)
  %55 = getelementptr i8, ptr %25, i64 2304
  call void @llvm.prefetch.p0(ptr %55, i32 0, i32 2, i32 1)
  %56 = getelementptr i8, ptr %25, i64 2464
  call void @llvm.prefetch.p0(ptr %56, i32 0, i32 2, i32 1)
  %57 = load <4 x float>, ptr %25, align 4
  %58 = load <4 x float>, ptr %29, align 4
  %59 = load <4 x float>, ptr %33, align 4
  %60 = load <4 x float>, ptr %37, align 4
  %61 = shufflevector <4 x float> %57, <4 x float> %58, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %62 = shufflevector <4 x float> %59, <4 x float> %60, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %63 = shufflevector <8 x float> %61, <8 x float> %62, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %64 = load <4 x float>, ptr %26, align 4
  %65 = load <4 x float>, ptr %30, align 4
  %66 = load <4 x float>, ptr %34, align 4
  %67 = load <4 x float>, ptr %38, align 4
  %68 = shufflevector <4 x float> %64, <4 x float> %65, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %69 = shufflevector <4 x float> %66, <4 x float> %67, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %70 = shufflevector <8 x float> %68, <8 x float> %69, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %71 = load <4 x float>, ptr %27, align 4
  %72 = load <4 x float>, ptr %31, align 4
  %73 = load <4 x float>, ptr %35, align 4
  %74 = load <4 x float>, ptr %39, align 4
  %75 = shufflevector <4 x float> %71, <4 x float> %72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %76 = shufflevector <4 x float> %73, <4 x float> %74, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %77 = shufflevector <8 x float> %75, <8 x float> %76, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %78 = load <4 x float>, ptr %28, align 4
  %79 = load <4 x float>, ptr %32, align 4
  %80 = load <4 x float>, ptr %36, align 4
  %81 = load <4 x float>, ptr %40, align 4
  %82 = shufflevector <4 x float> %78, <4 x float> %79, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %83 = shufflevector <4 x float> %80, <4 x float> %81, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %84 = shufflevector <8 x float> %82, <8 x float> %83, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %85 = shufflevector <16 x float> %63, <16 x float> %77, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %86 = shufflevector <16 x float> %63, <16 x float> %77, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %87 = shufflevector <16 x float> %70, <16 x float> %84, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %88 = shufflevector <16 x float> %70, <16 x float> %84, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %89 = shufflevector <16 x float> %85, <16 x float> %87, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %90 = shufflevector <16 x float> %85, <16 x float> %87, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %91 = shufflevector <16 x float> %86, <16 x float> %88, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %92 = shufflevector <16 x float> %86, <16 x float> %88, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx = mul i64 %24, 96
  %93 = getelementptr i8, ptr %18, i64 %.idx
  store <16 x float> %89, ptr %93, align 4
  %94 = mul i64 %24, 24
  %95 = or disjoint i64 %94, 24
  %96 = getelementptr float, ptr %19, i64 %95
  store <16 x float> %90, ptr %96, align 4
  %97 = mul i64 %24, 24
  %98 = or disjoint i64 %97, 48
  %99 = getelementptr float, ptr %20, i64 %98
  store <16 x float> %91, ptr %99, align 4
  %100 = mul i64 %24, 24
  %101 = or disjoint i64 %100, 72
  %102 = getelementptr float, ptr %21, i64 %101
  store <16 x float> %92, ptr %102, align 4
  %103 = getelementptr i8, ptr %25, i64 16
  %104 = load <4 x float>, ptr %103, align 4
  %105 = getelementptr i8, ptr %25, i64 656
  %106 = load <4 x float>, ptr %105, align 4
  %107 = getelementptr i8, ptr %25, i64 1296
  %108 = load <4 x float>, ptr %107, align 4
  %109 = getelementptr i8, ptr %25, i64 1936
  %110 = load <4 x float>, ptr %109, align 4
  %111 = shufflevector <4 x float> %104, <4 x float> %106, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %112 = shufflevector <4 x float> %108, <4 x float> %110, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %113 = shufflevector <8 x float> %111, <8 x float> %112, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %114 = getelementptr i8, ptr %25, i64 176
  %115 = load <4 x float>, ptr %114, align 4
  %116 = getelementptr i8, ptr %25, i64 816
  %117 = load <4 x float>, ptr %116, align 4
  %118 = getelementptr i8, ptr %25, i64 1456
  %119 = load <4 x float>, ptr %118, align 4
  %120 = getelementptr i8, ptr %25, i64 2096
  %121 = load <4 x float>, ptr %120, align 4
  %122 = shufflevector <4 x float> %115, <4 x float> %117, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %123 = shufflevector <4 x float> %119, <4 x float> %121, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %124 = shufflevector <8 x float> %122, <8 x float> %123, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %125 = getelementptr i8, ptr %25, i64 336
  %126 = load <4 x float>, ptr %125, align 4
  %127 = getelementptr i8, ptr %25, i64 976
  %128 = load <4 x float>, ptr %127, align 4
  %129 = getelementptr i8, ptr %25, i64 1616
  %130 = load <4 x float>, ptr %129, align 4
  %131 = getelementptr i8, ptr %25, i64 2256
  %132 = load <4 x float>, ptr %131, align 4
  %133 = shufflevector <4 x float> %126, <4 x float> %128, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %134 = shufflevector <4 x float> %130, <4 x float> %132, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %135 = shufflevector <8 x float> %133, <8 x float> %134, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %136 = getelementptr i8, ptr %25, i64 496
  %137 = load <4 x float>, ptr %136, align 4
  %138 = getelementptr i8, ptr %25, i64 1136
  %139 = load <4 x float>, ptr %138, align 4
  %140 = getelementptr i8, ptr %25, i64 1776
  %141 = load <4 x float>, ptr %140, align 4
  %142 = getelementptr i8, ptr %25, i64 2416
  %143 = load <4 x float>, ptr %142, align 4
  %144 = shufflevector <4 x float> %137, <4 x float> %139, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %145 = shufflevector <4 x float> %141, <4 x float> %143, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %146 = shufflevector <8 x float> %144, <8 x float> %145, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %147 = shufflevector <16 x float> %113, <16 x float> %135, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %148 = shufflevector <16 x float> %113, <16 x float> %135, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %149 = shufflevector <16 x float> %124, <16 x float> %146, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %150 = shufflevector <16 x float> %124, <16 x float> %146, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %151 = shufflevector <16 x float> %147, <16 x float> %149, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %152 = shufflevector <16 x float> %147, <16 x float> %149, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %153 = shufflevector <16 x float> %148, <16 x float> %150, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %154 = shufflevector <16 x float> %148, <16 x float> %150, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %155 = mul i64 %24, 24
  %156 = or disjoint i64 %155, 96
  %157 = getelementptr float, ptr %22, i64 %156
  store <16 x float> %151, ptr %157, align 4
  %158 = mul i64 %24, 24
  %159 = or disjoint i64 %158, 120
  %160 = getelementptr float, ptr %23, i64 %159
  store <16 x float> %152, ptr %160, align 4
  %.idx14 = mul i64 %24, 96
  %gep = getelementptr i8, ptr %gep48, i64 %.idx14
  store <16 x float> %153, ptr %gep, align 4
  %.idx15 = mul i64 %24, 96
  %gep30 = getelementptr i8, ptr %gep49, i64 %.idx15
  store <16 x float> %154, ptr %gep30, align 4
  %161 = getelementptr i8, ptr %25, i64 32
  %162 = load <4 x float>, ptr %161, align 4
  %163 = getelementptr i8, ptr %25, i64 672
  %164 = load <4 x float>, ptr %163, align 4
  %165 = getelementptr i8, ptr %25, i64 1312
  %166 = load <4 x float>, ptr %165, align 4
  %167 = getelementptr i8, ptr %25, i64 1952
  %168 = load <4 x float>, ptr %167, align 4
  %169 = shufflevector <4 x float> %162, <4 x float> %164, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %170 = shufflevector <4 x float> %166, <4 x float> %168, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %171 = shufflevector <8 x float> %169, <8 x float> %170, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %172 = getelementptr i8, ptr %25, i64 192
  %173 = load <4 x float>, ptr %172, align 4
  %174 = getelementptr i8, ptr %25, i64 832
  %175 = load <4 x float>, ptr %174, align 4
  %176 = getelementptr i8, ptr %25, i64 1472
  %177 = load <4 x float>, ptr %176, align 4
  %178 = getelementptr i8, ptr %25, i64 2112
  %179 = load <4 x float>, ptr %178, align 4
  %180 = shufflevector <4 x float> %173, <4 x float> %175, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %181 = shufflevector <4 x float> %177, <4 x float> %179, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %182 = shufflevector <8 x float> %180, <8 x float> %181, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %183 = getelementptr i8, ptr %25, i64 352
  %184 = load <4 x float>, ptr %183, align 4
  %185 = getelementptr i8, ptr %25, i64 992
  %186 = load <4 x float>, ptr %185, align 4
  %187 = getelementptr i8, ptr %25, i64 1632
  %188 = load <4 x float>, ptr %187, align 4
  %189 = getelementptr i8, ptr %25, i64 2272
  %190 = load <4 x float>, ptr %189, align 4
  %191 = shufflevector <4 x float> %184, <4 x float> %186, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %192 = shufflevector <4 x float> %188, <4 x float> %190, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %193 = shufflevector <8 x float> %191, <8 x float> %192, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %194 = getelementptr i8, ptr %25, i64 512
  %195 = load <4 x float>, ptr %194, align 4
  %196 = getelementptr i8, ptr %25, i64 1152
  %197 = load <4 x float>, ptr %196, align 4
  %198 = getelementptr i8, ptr %25, i64 1792
  %199 = load <4 x float>, ptr %198, align 4
  %200 = getelementptr i8, ptr %25, i64 2432
  %201 = load <4 x float>, ptr %200, align 4
  %202 = shufflevector <4 x float> %195, <4 x float> %197, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %203 = shufflevector <4 x float> %199, <4 x float> %201, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %204 = shufflevector <8 x float> %202, <8 x float> %203, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %205 = shufflevector <16 x float> %171, <16 x float> %193, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %206 = shufflevector <16 x float> %171, <16 x float> %193, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %207 = shufflevector <16 x float> %182, <16 x float> %204, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %208 = shufflevector <16 x float> %182, <16 x float> %204, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %209 = shufflevector <16 x float> %205, <16 x float> %207, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %210 = shufflevector <16 x float> %205, <16 x float> %207, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %211 = shufflevector <16 x float> %206, <16 x float> %208, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %212 = shufflevector <16 x float> %206, <16 x float> %208, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx16 = mul i64 %24, 96
  %gep32 = getelementptr i8, ptr %gep51, i64 %.idx16
  store <16 x float> %209, ptr %gep32, align 4
  %.idx17 = mul i64 %24, 96
  %gep34 = getelementptr i8, ptr %gep53, i64 %.idx17
  store <16 x float> %210, ptr %gep34, align 4
  %.idx18 = mul i64 %24, 96
  %gep36 = getelementptr i8, ptr %gep55, i64 %.idx18
  store <16 x float> %211, ptr %gep36, align 4
  %.idx19 = mul i64 %24, 96
  %gep38 = getelementptr i8, ptr %gep57, i64 %.idx19
  store <16 x float> %212, ptr %gep38, align 4
  %213 = getelementptr i8, ptr %25, i64 48
  %214 = load <4 x float>, ptr %213, align 4
  %215 = getelementptr i8, ptr %25, i64 688
  %216 = load <4 x float>, ptr %215, align 4
  %217 = getelementptr i8, ptr %25, i64 1328
  %218 = load <4 x float>, ptr %217, align 4
  %219 = getelementptr i8, ptr %25, i64 1968
  %220 = load <4 x float>, ptr %219, align 4
  %221 = shufflevector <4 x float> %214, <4 x float> %216, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %222 = shufflevector <4 x float> %218, <4 x float> %220, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %223 = shufflevector <8 x float> %221, <8 x float> %222, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %224 = getelementptr i8, ptr %25, i64 208
  %225 = load <4 x float>, ptr %224, align 4
  %226 = getelementptr i8, ptr %25, i64 848
  %227 = load <4 x float>, ptr %226, align 4
  %228 = getelementptr i8, ptr %25, i64 1488
  %229 = load <4 x float>, ptr %228, align 4
  %230 = getelementptr i8, ptr %25, i64 2128
  %231 = load <4 x float>, ptr %230, align 4
  %232 = shufflevector <4 x float> %225, <4 x float> %227, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %233 = shufflevector <4 x float> %229, <4 x float> %231, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %234 = shufflevector <8 x float> %232, <8 x float> %233, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %235 = getelementptr i8, ptr %25, i64 368
  %236 = load <4 x float>, ptr %235, align 4
  %237 = getelementptr i8, ptr %25, i64 1008
  %238 = load <4 x float>, ptr %237, align 4
  %239 = getelementptr i8, ptr %25, i64 1648
  %240 = load <4 x float>, ptr %239, align 4
  %241 = getelementptr i8, ptr %25, i64 2288
  %242 = load <4 x float>, ptr %241, align 4
  %243 = shufflevector <4 x float> %236, <4 x float> %238, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %244 = shufflevector <4 x float> %240, <4 x float> %242, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %245 = shufflevector <8 x float> %243, <8 x float> %244, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %246 = getelementptr i8, ptr %25, i64 528
  %247 = load <4 x float>, ptr %246, align 4
  %248 = getelementptr i8, ptr %25, i64 1168
  %249 = load <4 x float>, ptr %248, align 4
  %250 = getelementptr i8, ptr %25, i64 1808
  %251 = load <4 x float>, ptr %250, align 4
  %252 = getelementptr i8, ptr %25, i64 2448
  %253 = load <4 x float>, ptr %252, align 4
  %254 = shufflevector <4 x float> %247, <4 x float> %249, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %255 = shufflevector <4 x float> %251, <4 x float> %253, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %256 = shufflevector <8 x float> %254, <8 x float> %255, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %257 = shufflevector <16 x float> %223, <16 x float> %245, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %258 = shufflevector <16 x float> %223, <16 x float> %245, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %259 = shufflevector <16 x float> %234, <16 x float> %256, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %260 = shufflevector <16 x float> %234, <16 x float> %256, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %261 = shufflevector <16 x float> %257, <16 x float> %259, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %262 = shufflevector <16 x float> %257, <16 x float> %259, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %263 = shufflevector <16 x float> %258, <16 x float> %260, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %264 = shufflevector <16 x float> %258, <16 x float> %260, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx20 = mul i64 %24, 96
  %gep40 = getelementptr i8, ptr %gep59, i64 %.idx20
  store <16 x float> %261, ptr %gep40, align 4
  %.idx21 = mul i64 %24, 96
  %gep42 = getelementptr i8, ptr %gep61, i64 %.idx21
  store <16 x float> %262, ptr %gep42, align 4
  %.idx22 = mul i64 %24, 96
  %gep44 = getelementptr i8, ptr %gep63, i64 %.idx22
  store <16 x float> %263, ptr %gep44, align 4
  %.idx23 = mul i64 %24, 96
  %gep46 = getelementptr i8, ptr %gep65, i64 %.idx23
  store <16 x float> %264, ptr %gep46, align 4
  %265 = add nuw nsw i64 %24, 16
  %266 = icmp eq i64 %24, 0
  br i1 %266, label %loop2, label %after3

after3:                                           ; preds = %loop2
  %267 = getelementptr float, ptr %9, i64 %15
  br label %loop4

loop4:                                            ; preds = %loop4, %after3
  %268 = phi i64 [ 32, %after3 ], [ %276, %loop4 ]
  %269 = add nsw i64 %16, %268
  %270 = insertelement <16 x i64> poison, i64 %269, i64 0
  %271 = shufflevector <16 x i64> %270, <16 x i64> poison, <16 x i32> zeroinitializer
  %272 = add <16 x i64> %271, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 320, i64 360, i64 400, i64 440, i64 480, i64 520, i64 560, i64 600>
  %273 = getelementptr float, ptr %7, <16 x i64> %272
  %274 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %273, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %.idx24 = mul i64 %268, 96
  %275 = getelementptr i8, ptr %267, i64 %.idx24
  store <16 x float> %274, ptr %275, align 4
  %276 = add nuw nsw i64 %268, 1
  %277 = icmp ult i64 %268, 39
  br i1 %277, label %loop4, label %after5

after5:                                           ; preds = %loop4
  %278 = add nsw i64 %15, 16
  %279 = icmp slt i64 %278, %12
  br i1 %279, label %loop, label %after

some6:                                            ; preds = %after
  %280 = mul nsw i64 %12, 40
  %281 = getelementptr float, ptr %9, i64 %12
  br label %loop8

after7:                                           ; preds = %loop12, %after
  ret void

loop8:                                            ; preds = %after11, %some6
  %282 = phi i64 [ 0, %some6 ], [ %295, %after11 ]
  %283 = add nsw i64 %280, %282
  %284 = insertelement <16 x i64> poison, i64 %283, i64 0
  %285 = shufflevector <16 x i64> %284, <16 x i64> poison, <16 x i32> zeroinitializer
  %286 = add <16 x i64> %285, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0>
  store <16 x i64> %286, ptr %5, align 128
  call void @transpose_32(ptr %7, ptr nonnull %5, ptr nonnull %6)
  br label %loop10

after9:                                           ; preds = %after11
  %287 = getelementptr float, ptr %9, i64 %12
  br label %loop12

loop10:                                           ; preds = %loop10, %loop8
  %288 = phi i64 [ 0, %loop8 ], [ %293, %loop10 ]
  %289 = add nuw nsw i64 %282, %288
  %.idx25 = shl i64 %288, 6
  %290 = getelementptr i8, ptr %6, i64 %.idx25
  %291 = load <16 x float>, ptr %290, align 4
  %.idx26 = mul i64 %289, 96
  %292 = getelementptr i8, ptr %281, i64 %.idx26
  call void @llvm.masked.store.v16f32.p0(<16 x float> %291, ptr %292, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %293 = add nuw nsw i64 %288, 1
  %294 = icmp ult i64 %288, 15
  br i1 %294, label %loop10, label %after11

after11:                                          ; preds = %loop10
  %295 = add nuw nsw i64 %282, 16
  %296 = icmp eq i64 %282, 0
  br i1 %296, label %loop8, label %after9

loop12:                                           ; preds = %loop12, %after9
  %297 = phi i64 [ 32, %after9 ], [ %305, %loop12 ]
  %298 = add nsw i64 %280, %297
  %299 = insertelement <16 x i64> poison, i64 %298, i64 0
  %300 = shufflevector <16 x i64> %299, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %301 = add <16 x i64> %300, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison>
  %302 = getelementptr float, ptr %7, <16 x i64> %301
  %303 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %302, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %.idx27 = mul i64 %297, 96
  %304 = getelementptr i8, ptr %287, i64 %.idx27
  call void @llvm.masked.store.v16f32.p0(<16 x float> %303, ptr %304, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %305 = add nuw nsw i64 %297, 1
  %306 = icmp ult i64 %297, 39
  br i1 %306, label %loop12, label %after7
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @llvm.prefetch.p0(ptr nocapture readonly, i32 immarg, i32 immarg, i32 immarg) #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>) #2

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
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #3

