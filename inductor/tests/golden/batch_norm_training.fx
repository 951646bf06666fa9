graph {
  %x : f32[2, 3, 4, 4]{48, 16, 4, 1} = placeholder[x]
  %w : f32[3]{1} = placeholder[w]
  %b : f32[3]{1} = placeholder[b]
  %m : f32[3]{1} = placeholder[m]
  %v : f32[3]{1} = placeholder[v]
  %n = call_function[aten._native_batch_norm_legit_functional.default](%x, %w, %b, %m, %v, True, 0.1, 1e-05)
  %y = call_function[operator.getitem](%n, 0)
  %mean = call_function[operator.getitem](%n, 1)
  %rstd = call_function[operator.getitem](%n, 2)
  %rm = call_function[operator.getitem](%n, 3)
  %rv = call_function[operator.getitem](%n, 4)
  %output = output((%y, %mean, %rstd, %rm, %rv))
}
