"""Contiguous sources make both captures copy with a copy node."""

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


host = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
x = torch.empty(2, 2, device="cuda")
plain = host.cuda()
turned = host.t().contiguous().cuda()
first = capture(lambda: x.copy_(plain))
second = capture(lambda: x.copy_(turned))
first.instantiate()
assert update(first, second) == (0, 0)
first.replay()
assert x.tolist() == [[1.0, 3.0], [2.0, 4.0]]
