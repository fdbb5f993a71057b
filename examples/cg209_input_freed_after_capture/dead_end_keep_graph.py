"""`keep_graph=True` keeps CUDA's graph, not the tensors that it was captured with."""

import weakref

import torch


def capture():
    static = torch.ones(4, device="cuda")
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        y = static * 2
    graph.instantiate()
    return graph, weakref.ref(static), y


graph, static, y = capture()
graph.replay()
assert static() is not None, "the input is gone while the graph still reads its address"
