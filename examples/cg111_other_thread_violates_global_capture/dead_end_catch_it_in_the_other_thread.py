"""The capture is broken by the refused call, whether or not the other thread catches its exception."""

import contextlib
import threading

import torch


def prefetch():
    with contextlib.suppress(RuntimeError):
        torch.empty(64 << 20, device="cuda")


x = torch.ones(1024, device="cuda")
worker = threading.Thread(target=prefetch)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
    worker.start()
    worker.join()
