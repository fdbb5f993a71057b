"""An executable made without `AutoFreeOnLaunch` refuses the same updates as one made with it."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def capture(work):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        work()
    return graph


a, b = torch.tensor([1.0], device="cuda"), torch.tensor([2.0], device="cuda")
x, y = torch.empty_like(a), torch.empty_like(b)
one = capture(lambda: x.copy_(a))
two = capture(lambda: (x.copy_(a), y.copy_(b)))
executable, graph = ctypes.c_void_p(), ctypes.c_void_p(one.raw_cuda_graph())
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
assert code == 0
info = (ctypes.c_void_p * 3)()
code = cudart.cudaGraphExecUpdate(executable, ctypes.c_void_p(two.raw_cuda_graph()), info)
assert code == 0, f"{code}, without the flag too"
