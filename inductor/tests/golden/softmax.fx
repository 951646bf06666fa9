graph {
  %x : f32[16, 32]{32, 1} = placeholder[x]
  %y = call_function[aten._softmax.default](%x, -1, False)
  %output = output((%y,))
}
