graph {
  %x : f32[s0, 3, s1, s1]{3*s1*s1, s1*s1, s1, 1} = placeholder[x]
  %i = call_function[aten.arange.default](sym(s1))
  %row = call_function[aten.unsqueeze.default](%i, 1)
  %col = call_function[aten.unsqueeze.default](%i, 0)
  %le = call_function[aten.le.Tensor](%col, %row)
  %low = call_function[aten.full.default]([], -1e30)
  %masked : f32[s0, 3, s1, s1]{3*s1*s1, s1*s1, s1, 1} = call_function[aten.where.self](%le, %x, %low)
  %softmax = call_function[aten._softmax.default](%masked, -1, False)
  %output = output((%softmax,))
}
