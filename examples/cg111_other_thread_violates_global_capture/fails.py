"""While one thread captures, another allocates device memory, and the capture is what suffers."""

import threading

import torch


def prefetch():
    torch.empty(64 << 20, device="cuda")  # cgsan: CG111


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=prefetch, name="prefetch")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
