graph {
  %x : f32[64, 32]{32, 1} = placeholder[x]
  %y = call_function[aten.sum.dim_IntList](%x, [0])
  %output = output((%y,))
}
