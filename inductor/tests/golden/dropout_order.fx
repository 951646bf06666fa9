graph {
  %x : f32[4, 8]{8, 1} = placeholder[x]
  %y : f32[4, 8]{8, 1} = placeholder[y]
  %a = call_function[aten.native_dropout.default](%y, 0.5, True)
  %b = call_function[aten.native_dropout.default](%x, 0.5, True)
  %u = call_function[operator.getitem](%b, 0)
  %v = call_function[operator.getitem](%a, 0)
  %s = call_function[aten.add.Tensor](%u, %v)
  %output = output((%s,))
}
