"""Capture in mode `thread_local`."""

import threading

import torch

event = torch.cuda.Event()
event.record()
x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()
worker = threading.Thread(target=event.query)

with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x + 1
    worker.start()
    worker.join()

graph.replay()
