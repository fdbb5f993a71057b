"""While one thread captures, another pins a batch, as a DataLoader's pin-memory thread does."""

import threading

import torch

batch = torch.ones(1 << 20)


def pin():
    batch.pin_memory()  # cgsan: CG112


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=pin, name="pin-memory")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
