"""Each replay's output is kept in a list: memory grows, and the program goes on."""

# attach says: `graph` of module __main__

import time

import torch

x = torch.ones(1 << 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
history = []
while True:
    graph.replay()
    history.append(y.clone())
    torch.cuda.synchronize()
    time.sleep(0.01)
