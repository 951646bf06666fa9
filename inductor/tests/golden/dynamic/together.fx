graph {
  %x : f32[s0, 5]{5, 1} = placeholder[x]
  %y : f32[4, s1]{s1, 1} = placeholder[y]
  %z : f32[s0, s1, 8]{8*s1, 8, 1} = placeholder[z]
  %a = call_function[aten.relu.default](%x)
  %rows = call_function[aten._softmax.default](%y, 1, False)
  %both = call_function[aten._softmax.default](%rows, 0, False)
  %c = call_function[aten.sum.dim_IntList](%z, [2])
  %output = output((%a, %both, %c))
}
