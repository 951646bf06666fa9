graph {
  %x : f32[128, 1024]{1024, 1} = placeholder[x]
  %w : f32[1024]{1} = placeholder[w]
  %b : f32[1024]{1} = placeholder[b]
  %m = call_function[aten.mul.Tensor](%x, %w)
  %a = call_function[aten.add.Tensor](%m, %b)
  %y = call_function[aten.gelu.default](%a)
  %output = output((%y,))
}
