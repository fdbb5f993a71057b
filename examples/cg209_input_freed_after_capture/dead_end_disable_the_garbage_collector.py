"""A tensor is freed when its last reference goes; the garbage collector has no part in it."""

import gc
import weakref

import torch


def capture():
    static = torch.ones(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = static * 2
    return graph, weakref.ref(static), y


gc.disable()
graph, static, y = capture()
graph.replay()
assert static() is not None, "the input is gone while the graph still reads its address"
