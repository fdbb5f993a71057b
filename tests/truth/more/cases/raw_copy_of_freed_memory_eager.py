import ctypes
import torch

torch.zeros(1, device="cuda")
rt = ctypes.CDLL("libcudart.so.13")
a, b = ctypes.c_void_p(), ctypes.c_void_p()
size = ctypes.c_size_t(8 << 20)
print(rt.cudaMalloc(ctypes.byref(a), size), rt.cudaMalloc(ctypes.byref(b), size))
print(rt.cudaFree(b))
stream = ctypes.c_void_p(torch.cuda.Stream().cuda_stream)
print("copy", rt.cudaMemcpyAsync(a, b, size, 3, stream))
print("copy default", rt.cudaMemcpyAsync(a, b, size, 4, stream))
print("fill", rt.cudaMemsetAsync(b, 0, size, stream))
print("sync", rt.cudaStreamSynchronize(stream))
print("last", rt.cudaGetLastError(), rt.cudaGetLastError())
print("malloc", rt.cudaMalloc(ctypes.byref(a), size))
