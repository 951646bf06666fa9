graph {
  %x : f32[s0, s1, 48]{48*s1, 48, 1} = placeholder[x]
  %r : f32[s0, s1, 48]{48*s1, 48, 1} = placeholder[r]
  %w : f32[48]{1} = placeholder[w]
  %b : f32[48]{1} = placeholder[b]
  %add = call_function[aten.add.Tensor](%x, %r)
  %ln = call_function[aten.native_layer_norm.default](%add, [48], %w, %b, 1e-05)
  %y = call_function[operator.getitem](%ln, 0)
  %flat = call_function[aten.view.default](%y, [sym(s0*s1), 48])
  %relu = call_function[aten.relu.default](%flat)
  %output = output((%y, %relu))
}
