"""The new graph has the same nodes, with other addresses and numbers."""

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
z = torch.full((8,), 3.0, device="cuda")
step = capture(lambda: y.copy_(x).mul_(2))
other = capture(lambda: y.copy_(z).mul_(5))
step.instantiate()
code = update(step, other)
assert code == 0, code
step.replay()
assert y.tolist() == [15.0] * 8
