"""The executable frees at each launch what the last one has allocated."""

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


def instantiate(graph, flags):
    executable = ctypes.c_void_p()
    code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(flags))
    return code, executable


FREE_ON_LAUNCH = 1
graph, memory = capture()
code, executable = instantiate(graph, FREE_ON_LAUNCH)
for _ in range(3):
    code = cudart.cudaGraphLaunch(executable, stream)
    assert code == 0, code
torch.cuda.synchronize()
