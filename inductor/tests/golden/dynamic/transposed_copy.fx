graph {
  %x : f32[s0, s1]{s1, 1} = placeholder[x]
  %t = call_function[aten.permute.default](%x, [1, 0])
  %copy = call_function[aten.clone.default](%t, memory_format=memory_format("contiguous_format"))
  %flat = call_function[aten.view.default](%copy, [sym(s0*s1)])
  %output = output((%flat,))
}
