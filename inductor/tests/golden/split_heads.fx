graph {
  %x : f32[2, 16, 3, 32]{1536, 96, 32, 1} = placeholder[x]
  %r = call_function[aten.mul.Tensor](%x, 0.5)
  %v = call_function[aten.view.default](%r, [2, 16, 3, 4, 8])
  %t = call_function[aten.permute.default](%v, [2, 0, 3, 1, 4])
  %q = call_function[aten.select.int](%t, 0, 0)
  %k = call_function[aten.select.int](%t, 0, 1)
  %kt = call_function[aten.transpose.int](%k, -2, -1)
  %ke = call_function[aten.expand.default](%kt, [2, 4, 8, 16])
  %kc = call_function[aten.clone.default](%ke, memory_format=memory_format("contiguous_format"))
  %kr = call_function[aten.view.default](%kc, [8, 8, 16])
  %output = output((%q, %kr))
}
