"""Two executables are made of a graph with an allocation, one for each of two streams."""

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
    assert cudart.cudaFreeAsync(memory, stream) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
    return graph


def instantiate(graph):
    executable = ctypes.c_void_p()
    handle = ctypes.byref(executable)
    code = cudart.cudaGraphInstantiate(handle, graph, ctypes.c_ulonglong(0))  # cgsan: CG604
    return code, executable


graph = capture()
executables = [instantiate(graph) for _ in range(2)]
codes = [code for code, _ in executables]
assert codes == [0, 0], codes
