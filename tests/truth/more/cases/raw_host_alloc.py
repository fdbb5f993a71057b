import ctypes
import torch

x = torch.zeros(8, device="cuda")
rt = ctypes.CDLL("libcudart.so.13")
p = ctypes.c_void_p()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    code = rt.cudaHostAlloc(ctypes.byref(p), ctypes.c_size_t(1 << 16), 0)
    if code:
        raise MemoryError(code)
