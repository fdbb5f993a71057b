"""The input comes from the host at first, later from the device."""

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
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)  # cgsan: CG603


host = torch.full((8,), 2.0).pin_memory()
device = torch.full((8,), 3.0, device="cuda")
y = torch.zeros(8, device="cuda")
step = capture(lambda: y.copy_(host, non_blocking=True))  # cgsan: label
later = capture(lambda: y.copy_(device))  # cgsan: label
step.instantiate()
code = update(step, later)
assert code == 0, code
step.replay()
