"""Random programs of tensors, compiled by our backend and run as they are."""
