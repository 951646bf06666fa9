graph {
  %p : f32[100]{1} = placeholder[p]
  %g : f32[100]{1} = placeholder[g]
  %m : f32[100]{1} = placeholder[m]
  %v : f32[100]{1} = placeholder[v]
  %lerp = call_function[aten.lerp.Scalar](%m, %g, 0.1)
  %decayed = call_function[aten.mul.Tensor](%v, 0.999)
  %square = call_function[aten.mul.Tensor](%g, %g)
  %added = call_function[aten.add.Tensor](%decayed, %square)
  %root = call_function[aten.sqrt.default](%added)
  %below = call_function[aten.add.Tensor](%root, 1.0)
  %step = call_function[aten.div.Tensor](%lerp, %below)
  %new = call_function[aten.sub.Tensor](%p, %step)
  %a : f32[100]{1} = call_function[aten.copy_.default](%m, %lerp)
  %b : f32[100]{1} = call_function[aten.copy_.default](%v, %added)
  %c : f32[100]{1} = call_function[aten.copy_.default](%p, %new)
  %output = output((%a, %b, %c))
}
