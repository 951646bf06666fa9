graph {
  %x : f32[16, 32]{32, 1} = placeholder[x]
  %w : f32[64, 32]{32, 1} = placeholder[w]
  %b : f32[64]{1} = placeholder[b]
  %t = call_function[aten.t.default](%w)
  %m = call_function[aten.addmm.default](%b, %x, %t)
  %y = call_function[aten.gelu.default](%m)
  %output = output((%y,))
}
