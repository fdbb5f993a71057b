"""The main thread waits for the device while a worker thread captures."""

import threading

import torch

x = torch.ones(4, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
capturing = threading.Event()
waited = threading.Event()


def capture():
    with torch.cuda.graph(graph):
        x.add_(1)
        capturing.set()
        waited.wait()


worker = threading.Thread(target=capture)
worker.start()
capturing.wait()
try:
    torch.cuda.synchronize()
finally:
    waited.set()
    worker.join()
