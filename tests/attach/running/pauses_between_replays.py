"""Replays now and then: most of the time the program sleeps."""

import time

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.add_(1)
while True:
    graph.replay()
    torch.cuda.synchronize()
    time.sleep(2)
