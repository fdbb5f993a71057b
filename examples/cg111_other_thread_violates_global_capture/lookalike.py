"""The other thread launches work on memory it has already, which no capture minds."""

import threading

import torch

buffer = torch.ones(1024, device="cuda")


def prefetch():
    buffer.add_(1)


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=prefetch, name="prefetch")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
