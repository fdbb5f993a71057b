"""The other thread copies its batch into memory that was pinned before."""

import threading

import torch

batch = torch.ones(1 << 20)
pinned = torch.empty(1 << 20, pin_memory=True)


def pin():
    pinned.copy_(batch)


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=pin, name="pin-memory")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
