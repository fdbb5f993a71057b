"""With `fullgraph=True` the compiler raises at what would break the graph, instead of breaking it."""

import torch
import torch._dynamo


def step(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y * 3


x = torch.ones(8, device="cuda")
torch.compile(step, backend="eager")(x)
torch._dynamo.reset()
try:
    torch.compile(step, backend="eager", fullgraph=True)(x)
except torch._dynamo.exc.Unsupported as error:
    assert "torch._dynamo.graph_break()" in str(error)
else:
    raise AssertionError("the break was not refused")
