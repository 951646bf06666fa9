graph {
  %x : f32[2, 3, 8, 8]{192, 64, 8, 1} = placeholder[x]
  %w : f32[16, 3, 3, 3]{27, 9, 3, 1} = placeholder[w]
  %v : f32[16, 16, 1, 1]{16, 1, 1, 1} = placeholder[v]
  %u : f32[2, 16, 1, 1]{16, 1, 1, 1} = placeholder[u]
  %a = call_function[aten.convolution.default](%x, %w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
  %b = call_function[aten.relu.default](%a)
  %p = call_function[aten.max_pool2d_with_indices.default](%b, [2, 2], [2, 2])
  %q = call_function[operator.getitem](%p, 0)
  %c = call_function[aten.convolution.default](%q, %v, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
  %d = call_function[aten.add.Tensor](%c, %q)
  %m = call_function[aten.mean.dim](%d, [2, 3])
  %e = call_function[aten.convolution.default](%d, %u, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
  %output = output((%e, %m))
}
