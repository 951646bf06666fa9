graph {
  %x : f32[6, 10]{10, 1} = placeholder[x]
  %labels : i64[6]{1} = placeholder[labels]
  %grad : f32[]{} = placeholder[grad]
  %l = call_function[aten._log_softmax.default](%x, 1, False)
  %k = call_function[aten.abs.default](%labels)
  %f = call_function[aten.nll_loss_forward.default](%l, %k, None, 1, -100)
  %loss = call_function[operator.getitem](%f, 0)
  %total = call_function[operator.getitem](%f, 1)
  %gl = call_function[aten.nll_loss_backward.default](%grad, %l, %k, None, 1, -100, %total)
  %gx = call_function[aten._log_softmax_backward_data.default](%gl, %l, 1, torch.float32)
  %output = output((%loss, %gx))
}
