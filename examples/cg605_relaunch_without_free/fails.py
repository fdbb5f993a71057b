"""A graph allocates and leaves the memory to its caller, who launches it again."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
torch.zeros(1, device="cuda")
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)


def capture():
    graph, memory = ctypes.c_void_p(), ctypes.c_void_p()
    assert cudart.cudaStreamBeginCapture(stream, 2) == 0
    assert cudart.cudaMallocAsync(ctypes.byref(memory), ctypes.c_size_t(1 << 20), stream) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
    return graph, memory


def instantiate(graph):
    executable = ctypes.c_void_p()
    code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
    return code, executable


graph, memory = capture()
code, executable = instantiate(graph)
for _ in range(2):
    code = cudart.cudaGraphLaunch(executable, stream)  # cgsan: CG605
    assert code == 0, code
