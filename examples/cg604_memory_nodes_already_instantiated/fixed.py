"""Each of two streams launches an executable of a capture of its own."""

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
    code = cudart.cudaGraphInstantiate(handle, graph, ctypes.c_ulonglong(0))
    return code, executable


graphs = [capture(), capture()]
executables = [instantiate(graph) for graph in graphs]
codes = [code for code, _ in executables]
assert codes == [0, 0], codes
for _, executable in executables:
    assert cudart.cudaGraphLaunch(executable, stream) == 0
torch.cuda.synchronize()
