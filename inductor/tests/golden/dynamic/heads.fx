graph {
  %x : f32[s0*s1, 24]{24, 1} = placeholder[x]
  %y : f32[s0, s1]{s1, 1} = placeholder[y]
  %bias : f32[24]{1} = placeholder[bias]
  %add = call_function[aten.add.Tensor](%x, %bias)
  %split = call_function[aten.view.default](%add, [sym(s0), sym(s1), 3, 8])
  %heads = call_function[aten.permute.default](%split, [0, 2, 1, 3])
  %copy = call_function[aten.clone.default](%heads, memory_format=memory_format("contiguous_format"))
  %scaled = call_function[aten.mul.Tensor](%heads, 0.5)
  %back = call_function[aten.permute.default](%scaled, [0, 2, 1, 3])
  %merged = call_function[aten.reshape.default](%back, [sym(s0*s1), 24])
  %output = output((%copy, %merged))
}
