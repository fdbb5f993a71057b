"""A verification in which CUDA is set up, of a function without work for the GPU; then of one with some."""

import cgsan
import torch

try:
    cgsan.verify(lambda: 3)
except ValueError as error:
    assert "does no work on the GPU" in str(error), error
else:
    raise AssertionError("there is nothing to verify")

x = torch.ones(4, device="cuda")
assert cgsan.verify(lambda: x + 1).ok
