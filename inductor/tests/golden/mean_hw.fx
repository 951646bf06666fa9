graph {
  %x : f32[2, 8, 7, 7]{392, 49, 7, 1} = placeholder[x]
  %y = call_function[aten.mean.dim](%x, [2, 3])
  %output = output((%y,))
}
