graph {
  %x : f32[2, 4, 6, 8]{192, 48, 8, 1} = placeholder[x]
  %cos : f32[6, 8]{8, 1} = placeholder[cos]
  %sin : f32[6, 8]{8, 1} = placeholder[sin]
  %a = call_function[aten.slice.Tensor](%x, 3, 0, 4)
  %b = call_function[aten.slice.Tensor](%x, 3, 4, 9223372036854775807)
  %n = call_function[aten.neg.default](%b)
  %h = call_function[aten.cat.default]([%n, %a], -1)
  %c = call_function[aten.mul.Tensor](%x, %cos)
  %s = call_function[aten.mul.Tensor](%h, %sin)
  %y = call_function[aten.add.Tensor](%c, %s)
  %output = output((%y,))
}
