"""The other thread's event has nothing to do with the capture, and its query breaks it all the same."""

import threading

import torch


def poll():
    with torch.cuda.stream(torch.cuda.Stream()):
        own = torch.cuda.Event()
        own.record()
        own.query()


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=poll)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
