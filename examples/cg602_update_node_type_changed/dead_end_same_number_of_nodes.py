"""A memset node does not take the place of a kernel node, although each graph has one node."""

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


def clear():
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    assert (
        cudart.cudaMemsetAsync(ctypes.c_void_p(x.data_ptr()), 0, ctypes.c_size_t(32), stream) == 0
    )


x = torch.zeros(8, device="cuda")
first = capture(lambda: x.add_(1))
second = capture(clear)
first.instantiate()
assert update(first, second) == (0, 0), update(first, second)
