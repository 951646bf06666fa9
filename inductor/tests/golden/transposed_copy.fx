graph {
  %x : f32[24, 40]{40, 1} = placeholder[x]
  %t = call_function[aten.t.default](%x)
  %y = call_function[aten.clone.default](%t, memory_format=memory_format("contiguous_format"))
  %output = output((%y,))
}
