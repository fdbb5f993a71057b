"""A graph that does not fit the executable gets an executable of its own."""

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
    code = cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)
    return code, (info[0] or 0) & 0xFFFFFFFF


a, b = torch.tensor([1.0], device="cuda"), torch.tensor([2.0], device="cuda")
x, y = torch.empty_like(a), torch.empty_like(b)
one = capture(lambda: x.copy_(a))
two = capture(lambda: (x.copy_(a), y.copy_(b)))
one.instantiate()
assert update(one, two) == (910, 2)
cudart.cudaGetLastError()  # takes the 910 away from PyTorch
two.instantiate()
two.replay()
assert (x.item(), y.item()) == (1.0, 2.0)
