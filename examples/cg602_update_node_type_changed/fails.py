"""A copy between tensors of one layout is a memcpy, one that transposes is a kernel."""

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
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)  # cgsan: CG602


x = torch.ones(4, 4, device="cuda")
y = torch.zeros(4, 4, device="cuda")
step = capture(lambda: y.copy_(x))  # cgsan: label
turned = capture(lambda: y.copy_(x.t()))  # cgsan: label
step.instantiate()
code = update(step, turned)
assert code == 0, code
step.replay()
