"""An update is tried first, and each shape of the step keeps an executable."""

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


x = torch.ones(8, device="cuda")
y = torch.zeros(8, device="cuda")
steps = [capture(lambda: y.copy_(x)), capture(lambda: y.copy_(x).mul_(2))]
steps[0].instantiate()
if update(*steps) != 0:
    cudart.cudaGetLastError()
    steps[1].instantiate()
for _ in range(3):
    steps[1].replay()
    assert y.tolist() == [2.0] * 8
    steps[0].replay()
    assert y.tolist() == [1.0] * 8
