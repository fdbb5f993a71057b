"""The answer is not looked at, and the replay adds instead of clearing."""

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


x = torch.zeros(8, device="cuda")


def clear():
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    cudart.cudaMemsetAsync(ctypes.c_void_p(x.data_ptr()), 0, ctypes.c_size_t(32), stream)


step, other = capture(lambda: x.add_(1)), capture(clear)
step.instantiate()
update(step, other)
cudart.cudaGetLastError()
step.replay()  # cgsan: label
assert x.tolist() == [0.0] * 8, x.tolist()
