graph {
  %x : f32[2048, 1040]{1040, 1} = placeholder[x]
  %rows = call_function[aten.sum.dim_IntList](%x, [0])
  %columns = call_function[aten.sum.dim_IntList](%x, [1])
  %all = call_function[aten.sum.default](%x)
  %output = output((%rows, %columns, %all))
}
