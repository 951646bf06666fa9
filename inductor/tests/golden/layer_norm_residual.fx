graph {
  %x : f32[8, 64]{64, 1} = placeholder[x]
  %r : f32[8, 64]{64, 1} = placeholder[r]
  %w : f32[64]{1} = placeholder[w]
  %b : f32[64]{1} = placeholder[b]
  %s = call_function[aten.add.Tensor](%x, %r)
  %n = call_function[aten.native_layer_norm.default](%s, [64], %w, %b, 1e-05)
  %y = call_function[operator.getitem](%n, 0)
  %output = output((%y, %s))
}
