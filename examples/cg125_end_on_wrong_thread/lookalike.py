"""One thread captures a graph and another replays it."""

import threading

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
worker = threading.Thread(target=graph.replay, name="replay")
worker.start()
worker.join()
torch.cuda.synchronize()
