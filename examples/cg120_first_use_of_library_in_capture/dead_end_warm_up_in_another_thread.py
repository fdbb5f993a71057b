"""The handle that a living thread made for itself does not serve the thread that captures."""

import threading

import torch

a = torch.randn(64, 64, device="cuda")
warm, captured = threading.Event(), threading.Event()


def warm_up():
    a @ a
    torch.cuda.synchronize()
    warm.set()
    captured.wait()


worker = threading.Thread(target=warm_up)
worker.start()
warm.wait()
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):
        b = a @ a
finally:
    captured.set()
    worker.join()
graph.replay()
