graph {
  %x : f32[3, s0, 2*s0]{1, 3, 3*s0} = placeholder[x]
  %mean = call_function[aten.mean.dim](%x, [0], True)
  %mul = call_function[aten.mul.Tensor](%x, 16)
  %output = output((%mean, %mul))
}
