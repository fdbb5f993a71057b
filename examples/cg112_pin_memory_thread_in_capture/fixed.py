"""The capture minds its own thread's calls only."""

import threading

import torch

batch = torch.ones(1 << 20)


def pin():
    batch.pin_memory()


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=pin, name="pin-memory")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
