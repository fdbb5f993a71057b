"""Both graphs copy from the device; the host fills that tensor before."""

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


host = torch.full((8,), 2.0).pin_memory()
device = torch.full((8,), 3.0, device="cuda")
y = torch.zeros(8, device="cuda")
staging = torch.empty_like(device)
step = capture(lambda: y.copy_(staging))
later = capture(lambda: y.copy_(device))
step.instantiate()
staging.copy_(host)
step.replay()
assert y.tolist() == [2.0] * 8
code = update(step, later)
assert code == 0, code
step.replay()
assert y.tolist() == [3.0] * 8
