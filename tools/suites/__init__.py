"""PyTorch's own tests of its Dynamo, run on ours: `./x suites`."""
