"""The part is a graph of its own, where it may allocate, and the host decides whether to launch it."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
size, flags = ctypes.c_size_t(1024), ctypes.c_ulonglong(0)
x = torch.ones(1024, dtype=torch.uint8, device="cuda")
source = ctypes.c_void_p(x.data_ptr())
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)

graph, executable, memory = (ctypes.c_void_p() for _ in range(3))
assert cudart.cudaStreamBeginCapture(stream, 2) == 0
assert cudart.cudaMallocAsync(ctypes.byref(memory), size, stream) == 0
assert cudart.cudaMemcpyAsync(memory, source, size, 3, stream) == 0
assert cudart.cudaFreeAsync(memory, stream) == 0
assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, flags)
assert code == 0, code
for is_needed in (True, False, True):
    if is_needed:
        assert cudart.cudaGraphLaunch(executable, None) == 0
torch.cuda.synchronize()
