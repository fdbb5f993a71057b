"""`torch.where` instead of a branch on a value: the step stays one graph."""

import torch
import torch._dynamo


def step(x):
    y = x * 2
    y = torch.where(y.sum() > 0, y + 1, y)
    return y * 3


explained = torch._dynamo.explain(step)(torch.ones(8, device="cuda"))
assert explained.graph_count == 1, explained
assert explained.graph_break_count == 0, explained
