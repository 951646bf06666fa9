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
  %15 = phi i64 [ %3, %some ], [ %262, %after5 ]
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
  %24 = phi i64 [ 0, %loop ], [ %249, %loop2 ]
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
  %41 = load <4 x float>, ptr %25, align 4
  %42 = load <4 x float>, ptr %29, align 4
  %43 = load <4 x float>, ptr %33, align 4
  %44 = load <4 x float>, ptr %37, align 4
  %45 = shufflevector <4 x float> %41, <4 x float> %42, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %46 = shufflevector <4 x float> %43, <4 x float> %44, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %47 = shufflevector <8 x float> %45, <8 x float> %46, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %48 = load <4 x float>, ptr %26, align 4
  %49 = load <4 x float>, ptr %30, align 4
  %50 = load <4 x float>, ptr %34, align 4
  %51 = load <4 x float>, ptr %38, align 4
  %52 = shufflevector <4 x float> %48, <4 x float> %49, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %53 = shufflevector <4 x float> %50, <4 x float> %51, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %54 = shufflevector <8 x float> %52, <8 x float> %53, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %55 = load <4 x float>, ptr %27, align 4
  %56 = load <4 x float>, ptr %31, align 4
  %57 = load <4 x float>, ptr %35, align 4
  %58 = load <4 x float>, ptr %39, align 4
  %59 = shufflevector <4 x float> %55, <4 x float> %56, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %60 = shufflevector <4 x float> %57, <4 x float> %58, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %61 = shufflevector <8 x float> %59, <8 x float> %60, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %62 = load <4 x float>, ptr %28, align 4
  %63 = load <4 x float>, ptr %32, align 4
  %64 = load <4 x float>, ptr %36, align 4
  %65 = load <4 x float>, ptr %40, align 4
  %66 = shufflevector <4 x float> %62, <4 x float> %63, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %67 = shufflevector <4 x float> %64, <4 x float> %65, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %68 = shufflevector <8 x float> %66, <8 x float> %67, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %69 = shufflevector <16 x float> %47, <16 x float> %61, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %70 = shufflevector <16 x float> %47, <16 x float> %61, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %71 = shufflevector <16 x float> %54, <16 x float> %68, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %72 = shufflevector <16 x float> %54, <16 x float> %68, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %73 = shufflevector <16 x float> %69, <16 x float> %71, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %74 = shufflevector <16 x float> %69, <16 x float> %71, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %75 = shufflevector <16 x float> %70, <16 x float> %72, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %76 = shufflevector <16 x float> %70, <16 x float> %72, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx = mul i64 %24, 96
  %77 = getelementptr i8, ptr %18, i64 %.idx
  store <16 x float> %73, ptr %77, align 4
  %78 = mul i64 %24, 24
  %79 = or disjoint i64 %78, 24
  %80 = getelementptr float, ptr %19, i64 %79
  store <16 x float> %74, ptr %80, align 4
  %81 = mul i64 %24, 24
  %82 = or disjoint i64 %81, 48
  %83 = getelementptr float, ptr %20, i64 %82
  store <16 x float> %75, ptr %83, align 4
  %84 = mul i64 %24, 24
  %85 = or disjoint i64 %84, 72
  %86 = getelementptr float, ptr %21, i64 %85
  store <16 x float> %76, ptr %86, align 4
  %87 = getelementptr i8, ptr %25, i64 16
  %88 = load <4 x float>, ptr %87, align 4
  %89 = getelementptr i8, ptr %25, i64 656
  %90 = load <4 x float>, ptr %89, align 4
  %91 = getelementptr i8, ptr %25, i64 1296
  %92 = load <4 x float>, ptr %91, align 4
  %93 = getelementptr i8, ptr %25, i64 1936
  %94 = load <4 x float>, ptr %93, align 4
  %95 = shufflevector <4 x float> %88, <4 x float> %90, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %96 = shufflevector <4 x float> %92, <4 x float> %94, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %97 = shufflevector <8 x float> %95, <8 x float> %96, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %98 = getelementptr i8, ptr %25, i64 176
  %99 = load <4 x float>, ptr %98, align 4
  %100 = getelementptr i8, ptr %25, i64 816
  %101 = load <4 x float>, ptr %100, align 4
  %102 = getelementptr i8, ptr %25, i64 1456
  %103 = load <4 x float>, ptr %102, align 4
  %104 = getelementptr i8, ptr %25, i64 2096
  %105 = load <4 x float>, ptr %104, align 4
  %106 = shufflevector <4 x float> %99, <4 x float> %101, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %107 = shufflevector <4 x float> %103, <4 x float> %105, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %108 = shufflevector <8 x float> %106, <8 x float> %107, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %109 = getelementptr i8, ptr %25, i64 336
  %110 = load <4 x float>, ptr %109, align 4
  %111 = getelementptr i8, ptr %25, i64 976
  %112 = load <4 x float>, ptr %111, align 4
  %113 = getelementptr i8, ptr %25, i64 1616
  %114 = load <4 x float>, ptr %113, align 4
  %115 = getelementptr i8, ptr %25, i64 2256
  %116 = load <4 x float>, ptr %115, align 4
  %117 = shufflevector <4 x float> %110, <4 x float> %112, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %118 = shufflevector <4 x float> %114, <4 x float> %116, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %119 = shufflevector <8 x float> %117, <8 x float> %118, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %120 = getelementptr i8, ptr %25, i64 496
  %121 = load <4 x float>, ptr %120, align 4
  %122 = getelementptr i8, ptr %25, i64 1136
  %123 = load <4 x float>, ptr %122, align 4
  %124 = getelementptr i8, ptr %25, i64 1776
  %125 = load <4 x float>, ptr %124, align 4
  %126 = getelementptr i8, ptr %25, i64 2416
  %127 = load <4 x float>, ptr %126, align 4
  %128 = shufflevector <4 x float> %121, <4 x float> %123, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %129 = shufflevector <4 x float> %125, <4 x float> %127, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %130 = shufflevector <8 x float> %128, <8 x float> %129, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %131 = shufflevector <16 x float> %97, <16 x float> %119, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %132 = shufflevector <16 x float> %97, <16 x float> %119, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %133 = shufflevector <16 x float> %108, <16 x float> %130, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %134 = shufflevector <16 x float> %108, <16 x float> %130, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %135 = shufflevector <16 x float> %131, <16 x float> %133, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %136 = shufflevector <16 x float> %131, <16 x float> %133, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %137 = shufflevector <16 x float> %132, <16 x float> %134, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %138 = shufflevector <16 x float> %132, <16 x float> %134, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %139 = mul i64 %24, 24
  %140 = or disjoint i64 %139, 96
  %141 = getelementptr float, ptr %22, i64 %140
  store <16 x float> %135, ptr %141, align 4
  %142 = mul i64 %24, 24
  %143 = or disjoint i64 %142, 120
  %144 = getelementptr float, ptr %23, i64 %143
  store <16 x float> %136, ptr %144, align 4
  %.idx14 = mul i64 %24, 96
  %gep = getelementptr i8, ptr %gep48, i64 %.idx14
  store <16 x float> %137, ptr %gep, align 4
  %.idx15 = mul i64 %24, 96
  %gep30 = getelementptr i8, ptr %gep49, i64 %.idx15
  store <16 x float> %138, ptr %gep30, align 4
  %145 = getelementptr i8, ptr %25, i64 32
  %146 = load <4 x float>, ptr %145, align 4
  %147 = getelementptr i8, ptr %25, i64 672
  %148 = load <4 x float>, ptr %147, align 4
  %149 = getelementptr i8, ptr %25, i64 1312
  %150 = load <4 x float>, ptr %149, align 4
  %151 = getelementptr i8, ptr %25, i64 1952
  %152 = load <4 x float>, ptr %151, align 4
  %153 = shufflevector <4 x float> %146, <4 x float> %148, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %154 = shufflevector <4 x float> %150, <4 x float> %152, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %155 = shufflevector <8 x float> %153, <8 x float> %154, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %156 = getelementptr i8, ptr %25, i64 192
  %157 = load <4 x float>, ptr %156, align 4
  %158 = getelementptr i8, ptr %25, i64 832
  %159 = load <4 x float>, ptr %158, align 4
  %160 = getelementptr i8, ptr %25, i64 1472
  %161 = load <4 x float>, ptr %160, align 4
  %162 = getelementptr i8, ptr %25, i64 2112
  %163 = load <4 x float>, ptr %162, align 4
  %164 = shufflevector <4 x float> %157, <4 x float> %159, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %165 = shufflevector <4 x float> %161, <4 x float> %163, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %166 = shufflevector <8 x float> %164, <8 x float> %165, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %167 = getelementptr i8, ptr %25, i64 352
  %168 = load <4 x float>, ptr %167, align 4
  %169 = getelementptr i8, ptr %25, i64 992
  %170 = load <4 x float>, ptr %169, align 4
  %171 = getelementptr i8, ptr %25, i64 1632
  %172 = load <4 x float>, ptr %171, align 4
  %173 = getelementptr i8, ptr %25, i64 2272
  %174 = load <4 x float>, ptr %173, align 4
  %175 = shufflevector <4 x float> %168, <4 x float> %170, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %176 = shufflevector <4 x float> %172, <4 x float> %174, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %177 = shufflevector <8 x float> %175, <8 x float> %176, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %178 = getelementptr i8, ptr %25, i64 512
  %179 = load <4 x float>, ptr %178, align 4
  %180 = getelementptr i8, ptr %25, i64 1152
  %181 = load <4 x float>, ptr %180, align 4
  %182 = getelementptr i8, ptr %25, i64 1792
  %183 = load <4 x float>, ptr %182, align 4
  %184 = getelementptr i8, ptr %25, i64 2432
  %185 = load <4 x float>, ptr %184, align 4
  %186 = shufflevector <4 x float> %179, <4 x float> %181, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %187 = shufflevector <4 x float> %183, <4 x float> %185, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %188 = shufflevector <8 x float> %186, <8 x float> %187, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %189 = shufflevector <16 x float> %155, <16 x float> %177, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %190 = shufflevector <16 x float> %155, <16 x float> %177, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %191 = shufflevector <16 x float> %166, <16 x float> %188, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %192 = shufflevector <16 x float> %166, <16 x float> %188, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %193 = shufflevector <16 x float> %189, <16 x float> %191, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %194 = shufflevector <16 x float> %189, <16 x float> %191, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %195 = shufflevector <16 x float> %190, <16 x float> %192, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %196 = shufflevector <16 x float> %190, <16 x float> %192, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx16 = mul i64 %24, 96
  %gep32 = getelementptr i8, ptr %gep51, i64 %.idx16
  store <16 x float> %193, ptr %gep32, align 4
  %.idx17 = mul i64 %24, 96
  %gep34 = getelementptr i8, ptr %gep53, i64 %.idx17
  store <16 x float> %194, ptr %gep34, align 4
  %.idx18 = mul i64 %24, 96
  %gep36 = getelementptr i8, ptr %gep55, i64 %.idx18
  store <16 x float> %195, ptr %gep36, align 4
  %.idx19 = mul i64 %24, 96
  %gep38 = getelementptr i8, ptr %gep57, i64 %.idx19
  store <16 x float> %196, ptr %gep38, align 4
  %197 = getelementptr i8, ptr %25, i64 48
  %198 = load <4 x float>, ptr %197, align 4
  %199 = getelementptr i8, ptr %25, i64 688
  %200 = load <4 x float>, ptr %199, align 4
  %201 = getelementptr i8, ptr %25, i64 1328
  %202 = load <4 x float>, ptr %201, align 4
  %203 = getelementptr i8, ptr %25, i64 1968
  %204 = load <4 x float>, ptr %203, align 4
  %205 = shufflevector <4 x float> %198, <4 x float> %200, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %206 = shufflevector <4 x float> %202, <4 x float> %204, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %207 = shufflevector <8 x float> %205, <8 x float> %206, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %208 = getelementptr i8, ptr %25, i64 208
  %209 = load <4 x float>, ptr %208, align 4
  %210 = getelementptr i8, ptr %25, i64 848
  %211 = load <4 x float>, ptr %210, align 4
  %212 = getelementptr i8, ptr %25, i64 1488
  %213 = load <4 x float>, ptr %212, align 4
  %214 = getelementptr i8, ptr %25, i64 2128
  %215 = load <4 x float>, ptr %214, align 4
  %216 = shufflevector <4 x float> %209, <4 x float> %211, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %217 = shufflevector <4 x float> %213, <4 x float> %215, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %218 = shufflevector <8 x float> %216, <8 x float> %217, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %219 = getelementptr i8, ptr %25, i64 368
  %220 = load <4 x float>, ptr %219, align 4
  %221 = getelementptr i8, ptr %25, i64 1008
  %222 = load <4 x float>, ptr %221, align 4
  %223 = getelementptr i8, ptr %25, i64 1648
  %224 = load <4 x float>, ptr %223, align 4
  %225 = getelementptr i8, ptr %25, i64 2288
  %226 = load <4 x float>, ptr %225, align 4
  %227 = shufflevector <4 x float> %220, <4 x float> %222, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %228 = shufflevector <4 x float> %224, <4 x float> %226, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %229 = shufflevector <8 x float> %227, <8 x float> %228, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %230 = getelementptr i8, ptr %25, i64 528
  %231 = load <4 x float>, ptr %230, align 4
  %232 = getelementptr i8, ptr %25, i64 1168
  %233 = load <4 x float>, ptr %232, align 4
  %234 = getelementptr i8, ptr %25, i64 1808
  %235 = load <4 x float>, ptr %234, align 4
  %236 = getelementptr i8, ptr %25, i64 2448
  %237 = load <4 x float>, ptr %236, align 4
  %238 = shufflevector <4 x float> %231, <4 x float> %233, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %239 = shufflevector <4 x float> %235, <4 x float> %237, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %240 = shufflevector <8 x float> %238, <8 x float> %239, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %241 = shufflevector <16 x float> %207, <16 x float> %229, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %242 = shufflevector <16 x float> %207, <16 x float> %229, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %243 = shufflevector <16 x float> %218, <16 x float> %240, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 20, i32 21, i32 8, i32 9, i32 24, i32 25, i32 12, i32 13, i32 28, i32 29>
  %244 = shufflevector <16 x float> %218, <16 x float> %240, <16 x i32> <i32 2, i32 3, i32 18, i32 19, i32 6, i32 7, i32 22, i32 23, i32 10, i32 11, i32 26, i32 27, i32 14, i32 15, i32 30, i32 31>
  %245 = shufflevector <16 x float> %241, <16 x float> %243, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %246 = shufflevector <16 x float> %241, <16 x float> %243, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %247 = shufflevector <16 x float> %242, <16 x float> %244, <16 x i32> <i32 0, i32 16, i32 2, i32 18, i32 4, i32 20, i32 6, i32 22, i32 8, i32 24, i32 10, i32 26, i32 12, i32 28, i32 14, i32 30>
  %248 = shufflevector <16 x float> %242, <16 x float> %244, <16 x i32> <i32 1, i32 17, i32 3, i32 19, i32 5, i32 21, i32 7, i32 23, i32 9, i32 25, i32 11, i32 27, i32 13, i32 29, i32 15, i32 31>
  %.idx20 = mul i64 %24, 96
  %gep40 = getelementptr i8, ptr %gep59, i64 %.idx20
  store <16 x float> %245, ptr %gep40, align 4
  %.idx21 = mul i64 %24, 96
  %gep42 = getelementptr i8, ptr %gep61, i64 %.idx21
  store <16 x float> %246, ptr %gep42, align 4
  %.idx22 = mul i64 %24, 96
  %gep44 = getelementptr i8, ptr %gep63, i64 %.idx22
  store <16 x float> %247, ptr %gep44, align 4
  %.idx23 = mul i64 %24, 96
  %gep46 = getelementptr i8, ptr %gep65, i64 %.idx23
  store <16 x float> %248, ptr %gep46, align 4
  %249 = add nuw nsw i64 %24, 16
  %250 = icmp eq i64 %24, 0
  br i1 %250, label %loop2, label %after3

after3:                                           ; preds = %loop2
  %251 = getelementptr float, ptr %9, i64 %15
  br label %loop4

loop4:                                            ; preds = %loop4, %after3
  %252 = phi i64 [ 32, %after3 ], [ %260, %loop4 ]
  %253 = add nsw i64 %16, %252
  %254 = insertelement <16 x i64> poison, i64 %253, i64 0
  %255 = shufflevector <16 x i64> %254, <16 x i64> poison, <16 x i32> zeroinitializer
  %256 = add <16 x i64> %255, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 320, i64 360, i64 400, i64 440, i64 480, i64 520, i64 560, i64 600>
  %257 = getelementptr float, ptr %7, <16 x i64> %256
  %258 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %257, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> poison)
  %.idx24 = mul i64 %252, 96
  %259 = getelementptr i8, ptr %251, i64 %.idx24
  store <16 x float> %258, ptr %259, align 4
  %260 = add nuw nsw i64 %252, 1
  %261 = icmp ult i64 %252, 39
  br i1 %261, label %loop4, label %after5

after5:                                           ; preds = %loop4
  %262 = add nsw i64 %15, 16
  %263 = icmp slt i64 %262, %12
  br i1 %263, label %loop, label %after

some6:                                            ; preds = %after
  %264 = mul nsw i64 %12, 40
  %265 = getelementptr float, ptr %9, i64 %12
  br label %loop8

after7:                                           ; preds = %loop12, %after
  ret void

loop8:                                            ; preds = %after11, %some6
  %266 = phi i64 [ 0, %some6 ], [ %279, %after11 ]
  %267 = add nsw i64 %264, %266
  %268 = insertelement <16 x i64> poison, i64 %267, i64 0
  %269 = shufflevector <16 x i64> %268, <16 x i64> poison, <16 x i32> zeroinitializer
  %270 = add <16 x i64> %269, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0>
  store <16 x i64> %270, ptr %5, align 128
  call void @transpose_32(ptr %7, ptr nonnull %5, ptr nonnull %6)
  br label %loop10

after9:                                           ; preds = %after11
  %271 = getelementptr float, ptr %9, i64 %12
  br label %loop12

loop10:                                           ; preds = %loop10, %loop8
  %272 = phi i64 [ 0, %loop8 ], [ %277, %loop10 ]
  %273 = add nuw nsw i64 %266, %272
  %.idx25 = shl i64 %272, 6
  %274 = getelementptr i8, ptr %6, i64 %.idx25
  %275 = load <16 x float>, ptr %274, align 4
  %.idx26 = mul i64 %273, 96
  %276 = getelementptr i8, ptr %265, i64 %.idx26
  call void @llvm.masked.store.v16f32.p0(<16 x float> %275, ptr %276, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %277 = add nuw nsw i64 %272, 1
  %278 = icmp ult i64 %272, 15
  br i1 %278, label %loop10, label %after11

after11:                                          ; preds = %loop10
  %279 = add nuw nsw i64 %266, 16
  %280 = icmp eq i64 %266, 0
  br i1 %280, label %loop8, label %after9

loop12:                                           ; preds = %loop12, %after9
  %281 = phi i64 [ 32, %after9 ], [ %289, %loop12 ]
  %282 = add nsw i64 %264, %281
  %283 = insertelement <16 x i64> poison, i64 %282, i64 0
  %284 = shufflevector <16 x i64> %283, <16 x i64> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %285 = add <16 x i64> %284, <i64 0, i64 40, i64 80, i64 120, i64 160, i64 200, i64 240, i64 280, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison, i64 poison>
  %286 = getelementptr float, ptr %7, <16 x i64> %285
  %287 = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %286, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> poison)
  %.idx27 = mul i64 %281, 96
  %288 = getelementptr i8, ptr %271, i64 %.idx27
  call void @llvm.masked.store.v16f32.p0(<16 x float> %287, ptr %288, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %289 = add nuw nsw i64 %281, 1
  %290 = icmp ult i64 %281, 39
  br i1 %290, label %loop12, label %after7
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32 immarg, <16 x i1>, <16 x float>) #1

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
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr nocapture, i32 immarg, <16 x i1>) #2

