import ctypes
import torch

x = torch.zeros(8, device="cuda")
runtime = ctypes.CDLL("libcudart.so.13")
pointer = ctypes.c_void_p()
mode = ctypes.c_int(2)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    runtime.cudaThreadExchangeStreamCaptureMode(ctypes.byref(mode))
    print("previous", mode.value)
    print("malloc", runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096)))
    runtime.cudaThreadExchangeStreamCaptureMode(ctypes.byref(mode))
g.replay()
torch.cuda.synchronize()
print("free", runtime.cudaFree(pointer))
