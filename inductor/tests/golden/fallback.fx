graph {
  %x : f32[4, 8]{8, 1} = placeholder[x]
  %m = call_function[aten.mul.Tensor](%x, 2.0)
  %c = call_function[aten.cumsum.default](%m, 1)
  %y = call_function[aten.add.Tensor](%c, %x)
  %output = output((%y,))
}
