graph {
  %x : f32[6, 10]{10, 1} = placeholder[x]
  %labels : i64[6]{1} = placeholder[labels]
  %l = call_function[aten._log_softmax.default](%x, 1, False)
  %k = call_function[aten.abs.default](%labels)
  %f = call_function[aten.nll_loss_forward.default](%l, %k, None, 1, -100)
  %loss = call_function[operator.getitem](%f, 0)
  %output = output((%loss,))
}
