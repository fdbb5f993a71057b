"""Keep the garbage collector out of the capture."""

import contextlib
import gc

import torch


@contextlib.contextmanager
def no_garbage_collection():
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with no_garbage_collection(), torch.cuda.graph(graph):
    y = x + 1

graph.replay()
