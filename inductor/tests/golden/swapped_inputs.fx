graph {
  %x : f32[4, 8]{8, 1} = placeholder[x]
  %y : f32[8, 4]{4, 1} = placeholder[y]
  %old = call_function[aten.clone.default](%x)
  %turned = call_function[aten.t.default](%y)
  %back = call_function[aten.t.default](%old)
  %a : f32[4, 8]{8, 1} = call_function[aten.copy_.default](%x, %turned)
  %b : f32[8, 4]{4, 1} = call_function[aten.copy_.default](%y, %back)
  %output = output((%a, %b))
}
