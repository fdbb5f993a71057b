"""The only thread waits for an event that a timer sets after a while."""

import threading

import torch

x = torch.zeros(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
go_on = threading.Event()
threading.Timer(7, go_on.set).start()
go_on.wait()
graph.replay()
torch.cuda.synchronize()
