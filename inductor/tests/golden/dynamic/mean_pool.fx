graph {
  %x : f32[s0, 4, s1, s2]{4*s1*s2, s1*s2, s2, 1} = placeholder[x]
  %mean = call_function[aten.mean.dim](%x, [2, 3], True)
  %centred : f32[s0, 4, s1, s2]{4*s1*s2, s1*s2, s2, 1} = call_function[aten.sub.Tensor](%x, %mean)
  %square : f32[s0, 4, s1, s2]{4*s1*s2, s1*s2, s2, 1} = call_function[aten.mul.Tensor](%centred, %centred)
  %total = call_function[aten.sum.dim_IntList](%square, [0, 2, 3])
  %output = output((%mean, %total))
}
