"""CUDA does not clone a graph that allocates, so a clone is no way to a second executable."""

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


def instantiate(graph, flags=0):
    executable = ctypes.c_void_p()
    code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(flags))
    return code, executable


graph, memory = capture()
clone = ctypes.c_void_p()
code = cudart.cudaGraphClone(ctypes.byref(clone), graph)
assert code == 0, code
assert instantiate(graph)[0] == instantiate(clone)[0] == 0
