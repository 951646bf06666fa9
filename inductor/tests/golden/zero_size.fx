graph {
  %x : f32[0, 6]{6, 1} = placeholder[x]
  %y : f32[3, 6]{6, 1} = placeholder[y]
  %m = call_function[aten.mul.Tensor](%x, 2.0)
  %c = call_function[aten.cat.default]([%m, %y], 0)
  %s = call_function[aten.sum.dim_IntList](%x, [0])
  %z = call_function[aten.add.Tensor](%c, %s)
  %output = output((%m, %z))
}
