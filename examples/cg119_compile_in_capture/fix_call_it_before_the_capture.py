"""The compiled function is called before the capture, exactly as in it."""

import torch


@torch.compile
def f(x):
    return x**2 + 3 * x + 5


x = torch.randn(8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    f(x)
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = f(x)
x.fill_(2)
graph.replay()
torch.testing.assert_close(y, torch.full_like(y, 15))
