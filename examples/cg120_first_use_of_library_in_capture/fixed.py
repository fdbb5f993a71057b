"""The step runs once on a side stream before it is captured."""

import torch

layer = torch.nn.Linear(64, 64, device="cuda")
x = torch.ones(8, 64, device="cuda")
warmup = torch.cuda.Stream()
warmup.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(warmup), torch.no_grad():
    layer(x)
torch.cuda.current_stream().wait_stream(warmup)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.no_grad():
    y = layer(x)
graph.replay()
