graph {
  %x : f32[5, 7]{7, 1} = placeholder[x]
  %rows : i64[4]{1} = placeholder[rows]
  %y = call_function[aten.index.Tensor](%x, [%rows])
  %output = output((%y,))
}
