graph {
  %x : f32[s0, s1]{s1, 1} = placeholder[x]
  %y : f32[s0, s2]{s2, 1} = placeholder[y]
  %cat = call_function[aten.cat.default]([%x, %y, %x], 1)
  %neg = call_function[aten.neg.default](%cat)
  %pad = call_function[aten.constant_pad_nd.default](%x, [1, 2, 0, sym(s2)], 3.0)
  %last = call_function[aten.slice.Tensor](%x, 1, -1, 9223372036854775807)
  %output = output((%neg, %pad, %last))
}
