"""`suppress_errors` is about errors of the compiler; a graph break is none."""

import torch
import torch._dynamo

torch._dynamo.config.suppress_errors = True


def step(x):
    y = x * 2
    if y.sum().item() > 0:
        y = y + 1
    return y * 3


explained = torch._dynamo.explain(step)(torch.ones(8, device="cuda"))
assert explained.graph_break_count == 0, explained.break_reasons[0].reason
