"""The capture minds its own thread's calls only."""

import threading

import torch


def prefetch():
    torch.empty(64 << 20, device="cuda")


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=prefetch, name="prefetch")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x.cos()
    worker.start()
    worker.join()
    z = y.sin()
graph.replay()
