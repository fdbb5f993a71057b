"""Where a copy changes its direction, the new graph gets an executable of its own."""

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


host = torch.tensor([1.0, 2.0]).pin_memory()
device = torch.tensor([3.0, 4.0], device="cuda")
x = torch.empty_like(device)
first = capture(lambda: x.copy_(host, non_blocking=True))
second = capture(lambda: x.copy_(device))
first.instantiate()
assert update(first, second)[0] == 910
cudart.cudaGetLastError()  # takes the 910 away from PyTorch
second.instantiate()
second.replay()
assert x.tolist() == [3.0, 4.0]
