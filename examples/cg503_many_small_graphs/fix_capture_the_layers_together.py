"""All layers in one graph: one launch a step, and the same result."""

import torch

layers = [torch.nn.Linear(64, 64).cuda() for _ in range(8)]
x = torch.randn(32, 64, device="cuda")


@torch.no_grad()
def forward():
    y = x
    for layer in layers:
        y = layer(y).relu()
    return y


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    expected = forward()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = forward()
graph.replay()
torch.testing.assert_close(y, expected)
