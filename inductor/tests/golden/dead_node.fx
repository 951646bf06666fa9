graph {
  %x : f32[4, 8]{8, 1} = placeholder[x]
  %d = call_function[aten.exp.default](%x)
  %y = call_function[aten.relu.default](%x)
  %output = output((%y,))
}
