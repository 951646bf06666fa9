graph {
  %x : f32[s0, s1]{s1, 1} = placeholder[x]
  %w : f32[s1]{1} = placeholder[w]
  %b : f32[s1]{1} = placeholder[b]
  %mul = call_function[aten.mul.Tensor](%x, %w)
  %add = call_function[aten.add.Tensor](%mul, %b)
  %gelu = call_function[aten.gelu.default](%add)
  %output = output((%gelu,))
}
