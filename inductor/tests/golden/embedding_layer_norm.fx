graph {
  %tokens : i64[2, 6]{6, 1} = placeholder[tokens]
  %table : f32[50, 16]{16, 1} = placeholder[table]
  %pos : f32[6, 16]{16, 1} = placeholder[pos]
  %w : f32[16]{1} = placeholder[w]
  %b : f32[16]{1} = placeholder[b]
  %p = call_function[aten.abs.default](%tokens)
  %e = call_function[aten.embedding.default](%table, %p)
  %s = call_function[aten.add.Tensor](%e, %pos)
  %n = call_function[aten.native_layer_norm.default](%s, [16], %w, %b, 1e-12)
  %y = call_function[operator.getitem](%n, 0)
  %output = output((%y,))
}
