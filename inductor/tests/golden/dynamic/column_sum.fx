graph {
  %x : f32[s0, s1]{s1, 1} = placeholder[x]
  %y : f32[s0, s1]{s1, 1} = placeholder[y]
  %mul = call_function[aten.mul.Tensor](%x, %y)
  %sum = call_function[aten.sum.dim_IntList](%mul, [0])
  %output = output((%sum,))
}
