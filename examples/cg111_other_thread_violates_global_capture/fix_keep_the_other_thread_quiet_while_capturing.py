"""Keep the other thread quiet while capturing."""

import threading

import torch

gpu = threading.Lock()
event = torch.cuda.Event()
event.record()
x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()


def poll():
    with gpu:
        event.query()


worker = threading.Thread(target=poll)
with gpu, torch.cuda.graph(graph):
    worker.start()
    y = x + 1

worker.join()
graph.replay()
