"""A worker thread captures a graph, and the main thread replays it."""

import threading

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()


def capture():
    with torch.cuda.graph(graph):
        x.add_(1)


worker = threading.Thread(target=capture)
worker.start()
worker.join()
graph.replay()
torch.cuda.synchronize()
print("done")
