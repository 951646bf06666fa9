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
  %invariant.gep = getelementptr i8, ptr %5, i64 64
  %invariant.gep53 = getelementptr i8, ptr %5, i64 128
  %invariant.gep55 = getelementptr i8, ptr %5, i64 384
  br label %loop

loop:                                             ; preds = %after2, %entry
  %10 = phi i64 [ %3, %entry ], [ %109, %after2 ]
  %11 = mul nsw i64 %10, 20000
  br label %loop1

after:                                            ; preds = %after2
  ret void

loop1:                                            ; preds = %after4, %loop
  %.038 = phi <16 x i64> [ <i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807>, %loop ], [ %191, %after4 ]
  %.036 = phi <16 x i64> [ <i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807>, %loop ], [ %152, %after4 ]
  %.034 = phi <16 x i64> [ <i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807, i64 9223372036854775807>, %loop ], [ %164, %after4 ]
  %.032 = phi <16 x float> [ <float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000>, %loop ], [ %190, %after4 ]
  %.030 = phi <16 x float> [ <float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000>, %loop ], [ %151, %after4 ]
  %.028 = phi <16 x float> [ <float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000, float 0x7FF0000000000000>, %loop ], [ %163, %after4 ]
  %.026 = phi <16 x i1> [ zeroinitializer, %loop ], [ %194, %after4 ]
  %.024 = phi <16 x i1> [ zeroinitializer, %loop ], [ %169, %after4 ]
  %.0 = phi <16 x i1> [ zeroinitializer, %loop ], [ %170, %after4 ]
  %12 = phi i64 [ 0, %loop ], [ %195, %after4 ]
  %13 = mul nuw nsw i64 %12, 100
  %14 = add nsw i64 %11, %13
  br label %loop3

after2:                                           ; preds = %after4
  %15 = icmp slt <16 x i64> %152, %191
  %16 = fcmp olt <16 x float> %151, %190
  %17 = fcmp oeq <16 x float> %151, %190
  %18 = and <16 x i1> %17, %15
  %19 = or <16 x i1> %16, %18
  %20 = fcmp ord <16 x float> %190, zeroinitializer
  %21 = fcmp uno <16 x float> %151, zeroinitializer
  %22 = or <16 x i1> %20, %15
  %23 = and <16 x i1> %21, %22
  %24 = or <16 x i1> %19, %23
  %25 = select <16 x i1> %24, <16 x float> %151, <16 x float> %190
  %26 = select <16 x i1> %24, <16 x i64> %152, <16 x i64> %191
  %27 = icmp slt <16 x i64> %164, %26
  %28 = fcmp olt <16 x float> %163, %25
  %29 = fcmp oeq <16 x float> %163, %25
  %30 = and <16 x i1> %29, %27
  %31 = or <16 x i1> %28, %30
  %32 = fcmp ord <16 x float> %25, zeroinitializer
  %33 = fcmp uno <16 x float> %163, zeroinitializer
  %34 = or <16 x i1> %32, %27
  %35 = and <16 x i1> %33, %34
  %36 = or <16 x i1> %31, %35
  %37 = select <16 x i1> %36, <16 x float> %163, <16 x float> %25
  %38 = select <16 x i1> %36, <16 x i64> %164, <16 x i64> %26
  %39 = shufflevector <16 x float> %37, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %40 = shufflevector <16 x i64> %38, <16 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %41 = shufflevector <16 x float> %37, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %42 = shufflevector <16 x i64> %38, <16 x i64> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %43 = icmp slt <8 x i64> %42, %40
  %44 = fcmp olt <8 x float> %41, %39
  %45 = fcmp oeq <8 x float> %41, %39
  %46 = and <8 x i1> %45, %43
  %47 = or <8 x i1> %44, %46
  %48 = fcmp ord <8 x float> %39, zeroinitializer
  %49 = fcmp uno <8 x float> %41, zeroinitializer
  %50 = or <8 x i1> %48, %43
  %51 = and <8 x i1> %49, %50
  %52 = or <8 x i1> %47, %51
  %53 = select <8 x i1> %52, <8 x float> %41, <8 x float> %39
  %54 = select <8 x i1> %52, <8 x i64> %42, <8 x i64> %40
  %55 = shufflevector <8 x float> %53, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %56 = shufflevector <8 x i64> %54, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %57 = shufflevector <8 x float> %53, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %58 = shufflevector <8 x i64> %54, <8 x i64> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %59 = icmp slt <4 x i64> %58, %56
  %60 = fcmp olt <4 x float> %57, %55
  %61 = fcmp oeq <4 x float> %57, %55
  %62 = and <4 x i1> %61, %59
  %63 = or <4 x i1> %60, %62
  %64 = fcmp ord <4 x float> %55, zeroinitializer
  %65 = fcmp uno <4 x float> %57, zeroinitializer
  %66 = or <4 x i1> %64, %59
  %67 = and <4 x i1> %65, %66
  %68 = or <4 x i1> %63, %67
  %69 = select <4 x i1> %68, <4 x float> %57, <4 x float> %55
  %70 = select <4 x i1> %68, <4 x i64> %58, <4 x i64> %56
  %71 = shufflevector <4 x float> %69, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %72 = shufflevector <4 x i64> %70, <4 x i64> poison, <2 x i32> <i32 0, i32 1>
  %73 = shufflevector <4 x float> %69, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %74 = shufflevector <4 x i64> %70, <4 x i64> poison, <2 x i32> <i32 2, i32 3>
  %75 = icmp slt <2 x i64> %74, %72
  %76 = fcmp olt <2 x float> %73, %71
  %77 = fcmp oeq <2 x float> %73, %71
  %78 = and <2 x i1> %77, %75
  %79 = or <2 x i1> %76, %78
  %80 = fcmp ord <2 x float> %71, zeroinitializer
  %81 = fcmp uno <2 x float> %73, zeroinitializer
  %82 = or <2 x i1> %80, %75
  %83 = and <2 x i1> %81, %82
  %84 = or <2 x i1> %79, %83
  %85 = select <2 x i1> %84, <2 x float> %73, <2 x float> %71
  %86 = select <2 x i1> %84, <2 x i64> %74, <2 x i64> %72
  %87 = extractelement <2 x float> %85, i64 0
  %88 = extractelement <2 x i64> %86, i64 0
  %89 = extractelement <2 x float> %85, i64 1
  %90 = extractelement <2 x i64> %86, i64 1
  %91 = icmp slt i64 %90, %88
  %92 = fcmp olt float %89, %87
  %93 = fcmp oeq float %89, %87
  %94 = and i1 %93, %91
  %95 = or i1 %92, %94
  %96 = fcmp ord float %87, 0.000000e+00
  %97 = fcmp uno float %89, 0.000000e+00
  %98 = or i1 %96, %91
  %99 = and i1 %97, %98
  %100 = or i1 %95, %99
  %101 = select i1 %100, i64 %90, i64 %88
  %102 = or <16 x i1> %194, %169
  %103 = or <16 x i1> %102, %170
  %104 = bitcast <16 x i1> %103 to i16
  %105 = icmp ne i16 %104, 0
  %106 = getelementptr i64, ptr %7, i64 %10
  store i64 %101, ptr %106, align 8
  %107 = zext i1 %105 to i8
  %108 = getelementptr i8, ptr %9, i64 %10
  store i8 %107, ptr %108, align 1
  %109 = add nsw i64 %10, 1
  %110 = icmp slt i64 %109, %4
  br i1 %110, label %loop, label %after

loop3:                                            ; preds = %loop3, %loop1
  %.139 = phi <16 x i64> [ %.038, %loop1 ], [ %140, %loop3 ]
  %.137 = phi <16 x i64> [ %.036, %loop1 ], [ %152, %loop3 ]
  %.135 = phi <16 x i64> [ %.034, %loop1 ], [ %164, %loop3 ]
  %.133 = phi <16 x float> [ %.032, %loop1 ], [ %139, %loop3 ]
  %.131 = phi <16 x float> [ %.030, %loop1 ], [ %151, %loop3 ]
  %.129 = phi <16 x float> [ %.028, %loop1 ], [ %163, %loop3 ]
  %.127 = phi <16 x i1> [ %.026, %loop1 ], [ %168, %loop3 ]
  %.125 = phi <16 x i1> [ %.024, %loop1 ], [ %169, %loop3 ]
  %.1 = phi <16 x i1> [ %.0, %loop1 ], [ %170, %loop3 ]
  %111 = phi i64 [ 0, %loop1 ], [ %171, %loop3 ]
  %112 = add nsw i64 %14, %111
  %113 = getelementptr float, ptr %5, i64 %112
  %114 = load <16 x float>, ptr %113, align 4
  %gep = getelementptr float, ptr %invariant.gep, i64 %112
  %115 = load <16 x float>, ptr %gep, align 4
  %gep54 = getelementptr float, ptr %invariant.gep53, i64 %112
  %116 = load <16 x float>, ptr %gep54, align 4
  %117 = add nuw nsw i64 %13, %111
  %118 = insertelement <16 x i64> poison, i64 %117, i64 0
  %119 = shufflevector <16 x i64> %118, <16 x i64> poison, <16 x i32> zeroinitializer
  %120 = add nuw <16 x i64> %119, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %121 = add nuw nsw i64 %117, 16
  %122 = insertelement <16 x i64> poison, i64 %121, i64 0
  %123 = shufflevector <16 x i64> %122, <16 x i64> poison, <16 x i32> zeroinitializer
  %124 = add nuw <16 x i64> %123, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %125 = add nuw nsw i64 %117, 32
  %126 = insertelement <16 x i64> poison, i64 %125, i64 0
  %127 = shufflevector <16 x i64> %126, <16 x i64> poison, <16 x i32> zeroinitializer
  %128 = add nuw <16 x i64> %127, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %129 = icmp slt <16 x i64> %120, %.139
  %130 = fcmp olt <16 x float> %114, %.133
  %131 = fcmp oeq <16 x float> %114, %.133
  %132 = and <16 x i1> %131, %129
  %133 = or <16 x i1> %130, %132
  %134 = fcmp ord <16 x float> %.133, zeroinitializer
  %135 = fcmp uno <16 x float> %114, zeroinitializer
  %136 = or <16 x i1> %134, %129
  %137 = and <16 x i1> %135, %136
  %138 = or <16 x i1> %133, %137
  %139 = select <16 x i1> %138, <16 x float> %114, <16 x float> %.133
  %140 = select <16 x i1> %138, <16 x i64> %120, <16 x i64> %.139
  %141 = icmp slt <16 x i64> %124, %.137
  %142 = fcmp olt <16 x float> %115, %.131
  %143 = fcmp oeq <16 x float> %115, %.131
  %144 = and <16 x i1> %143, %141
  %145 = or <16 x i1> %142, %144
  %146 = fcmp ord <16 x float> %.131, zeroinitializer
  %147 = fcmp uno <16 x float> %115, zeroinitializer
  %148 = or <16 x i1> %146, %141
  %149 = and <16 x i1> %147, %148
  %150 = or <16 x i1> %145, %149
  %151 = select <16 x i1> %150, <16 x float> %115, <16 x float> %.131
  %152 = select <16 x i1> %150, <16 x i64> %124, <16 x i64> %.137
  %153 = icmp slt <16 x i64> %128, %.135
  %154 = fcmp olt <16 x float> %116, %.129
  %155 = fcmp oeq <16 x float> %116, %.129
  %156 = and <16 x i1> %155, %153
  %157 = or <16 x i1> %154, %156
  %158 = fcmp ord <16 x float> %.129, zeroinitializer
  %159 = fcmp uno <16 x float> %116, zeroinitializer
  %160 = or <16 x i1> %158, %153
  %161 = and <16 x i1> %159, %160
  %162 = or <16 x i1> %157, %161
  %163 = select <16 x i1> %162, <16 x float> %116, <16 x float> %.129
  %164 = select <16 x i1> %162, <16 x i64> %128, <16 x i64> %.135
  %165 = fcmp olt <16 x float> %114, <float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000>
  %166 = fcmp olt <16 x float> %115, <float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000>
  %167 = fcmp olt <16 x float> %116, <float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000>
  %168 = or <16 x i1> %.127, %165
  %169 = or <16 x i1> %.125, %166
  %170 = or <16 x i1> %.1, %167
  %171 = add nuw nsw i64 %111, 48
  %172 = icmp ult i64 %111, 48
  br i1 %172, label %loop3, label %after4

after4:                                           ; preds = %loop3
  %gep56 = getelementptr float, ptr %invariant.gep55, i64 %14
  %173 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %gep56, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> <float poison, float poison, float poison, float poison, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00>)
  %174 = add nuw nsw i64 %13, 96
  %175 = insertelement <16 x i64> poison, i64 %174, i64 0
  %176 = shufflevector <16 x i64> %175, <16 x i64> poison, <16 x i32> zeroinitializer
  %177 = add nuw <16 x i64> %176, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %178 = icmp slt <16 x i64> %177, %140
  %179 = fcmp olt <16 x float> %173, %139
  %180 = fcmp oeq <16 x float> %173, %139
  %181 = and <16 x i1> %180, %178
  %182 = or <16 x i1> %179, %181
  %183 = fcmp ord <16 x float> %139, zeroinitializer
  %184 = fcmp uno <16 x float> %173, zeroinitializer
  %185 = or <16 x i1> %183, %178
  %186 = and <16 x i1> %184, %185
  %187 = or <16 x i1> %182, %186
  %188 = select <16 x i1> %187, <16 x float> %173, <16 x float> %139
  %189 = select <16 x i1> %187, <16 x i64> %177, <16 x i64> %140
  %190 = shufflevector <16 x float> %188, <16 x float> %139, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %191 = shufflevector <16 x i64> %189, <16 x i64> %140, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %192 = fcmp olt <16 x float> %173, <float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000, float 0xC00FFDF3C0000000>
  %193 = or <16 x i1> %168, %192
  %194 = shufflevector <16 x i1> %193, <16 x i1> %168, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %195 = add nuw nsw i64 %12, 1
  %196 = icmp ult i64 %12, 199
  br i1 %196, label %loop1, label %after2
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr nocapture, i32 immarg, <16 x i1>, <16 x float>) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i1 @llvm.vector.reduce.or.v16i1(<16 x i1>) #2

