graph {
  %ids : i64[s0, s1]{s1, 1} = placeholder[ids]
  %table : f32[3, 16]{16, 1} = placeholder[table]
  %pos : f32[100, 16]{16, 1} = placeholder[pos]
  %e = call_function[aten.embedding.default](%table, %ids)
  %p : f32[s1, 16]{16, 1} = call_function[aten.slice.Tensor](%pos, 0, 0, sym(s1))
  %sum : f32[s0, s1, 16]{16*s1, 16, 1} = call_function[aten.add.Tensor](%e, %p)
  %output = output((%sum,))
}
