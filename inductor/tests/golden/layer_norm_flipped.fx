graph {
  %x : f32[5, 8]{8, 1} = placeholder[x]
  %grad = call_function[aten.gelu_backward.default](%x, %x)
  %row = call_function[aten.reshape.default](%grad, [40])
  %norm = call_function[aten.native_layer_norm.default](%row, [40], None, None, 0.1)
  %y = call_function[operator.getitem](%norm, 0)
  %flip = call_function[aten.flip.default](%y, [0])
  %back = call_function[aten.tanh_backward.default](%flip, %flip)
  %output = output((%back,))
}
