"""An update is tried, and a graph with another type of node is instantiated."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def capture(work):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        work()
    return graph


def update(executable, graph):
    info = (ctypes.c_void_p * 3)()
    handles = executable.raw_cuda_graph_exec(), graph.raw_cuda_graph()
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)


x = torch.ones(4, 4, device="cuda")
y = torch.zeros(4, 4, device="cuda")
step = capture(lambda: y.copy_(x))
turned = capture(lambda: y.copy_(x.t()))
step.instantiate()
if update(step, turned) != 0:
    cudart.cudaGetLastError()
    turned.instantiate()
turned.replay()
assert y.tolist() == x.t().tolist()
