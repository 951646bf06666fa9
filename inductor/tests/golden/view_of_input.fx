graph {
  %x : f32[4, 6]{6, 1} = placeholder[x]
  %t = call_function[aten.t.default](%x)
  %y = call_function[aten.slice.Tensor](%t, 0, 1, 5, 2)
  %output = output((%y,))
}
