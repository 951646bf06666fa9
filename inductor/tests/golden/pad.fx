graph {
  %x : f32[3, 5]{5, 1} = placeholder[x]
  %y = call_function[aten.constant_pad_nd.default](%x, [1, 2, -1, 1], 1.5)
  %output = output((%y,))
}
