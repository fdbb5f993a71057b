"""The second launch does nothing, and nobody looks at its answer."""

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
executable = instantiate(graph)[1]
for _ in range(3):
    cudart.cudaGraphLaunch(executable, stream)  # cgsan: CG605
code = cudart.cudaGetLastError()
assert code == 0, code
