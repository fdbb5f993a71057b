"""Where the node's type differs, the new graph gets an executable of its own."""

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
turned = plain.t()
first = capture(lambda: x.copy_(turned))
second = capture(lambda: x.copy_(plain))
first.instantiate()
assert update(first, second) == (910, 3)
cudart.cudaGetLastError()  # takes the 910 away from PyTorch
second.instantiate()
second.replay()
assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
