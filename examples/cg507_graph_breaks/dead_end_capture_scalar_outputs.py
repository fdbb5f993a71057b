"""`capture_scalar_outputs` traces `.item()`; the branch on its value breaks the graph all the same."""

import torch
import torch._dynamo
from torch._dynamo.testing import CompileCounter

torch._dynamo.config.capture_scalar_outputs = True
parts = CompileCounter()


@torch.compile(backend=parts)
def step(x):
    y = x * 2
    if y.sum().item() > 0:
        y = y + 1
    return y * 3


step(torch.ones(8, device="cuda"))
assert parts.frame_count == 1, f"{parts.frame_count} parts"
