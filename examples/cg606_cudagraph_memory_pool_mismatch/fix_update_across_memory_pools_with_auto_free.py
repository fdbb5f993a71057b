"""The update across memory pools, with the flag that the published entry blames."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
torch.zeros(1, device="cuda")
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)


def create_pool():
    pool = ctypes.c_void_p()
    # cudaMemPoolProps: pinned memory, no handles, on device 0.
    properties = (ctypes.c_int * 22)(1, 0, 1, 0)
    assert cudart.cudaMemPoolCreate(ctypes.byref(pool), properties) == 0
    return pool


def capture(pool):
    graph, memory, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(1 << 20)
    assert cudart.cudaStreamBeginCapture(stream, 2) == 0
    assert cudart.cudaMallocFromPoolAsync(ctypes.byref(memory), size, pool, stream) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
    return graph


first, second = capture(create_pool()), capture(create_pool())
executable, info = ctypes.c_void_p(), (ctypes.c_void_p * 3)()
assert cudart.cudaGraphInstantiate(ctypes.byref(executable), first, ctypes.c_ulonglong(1)) == 0
assert cudart.cudaGraphExecUpdate(executable, second, info) == 0
