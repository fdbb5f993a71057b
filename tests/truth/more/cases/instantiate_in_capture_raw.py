import ctypes
import torch

x = torch.ones(4, device="cuda")
rt = ctypes.CDLL("libcudart.so.13")
ready = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(ready):
    y = x + 1
g = torch.cuda.CUDAGraph()
executable = ctypes.c_void_p()
try:
    with torch.cuda.graph(g):
        z = x * 2
        print(rt.cudaGraphInstantiate(ctypes.byref(executable), ctypes.c_void_p(ready.raw_cuda_graph()), ctypes.c_ulonglong(0)))
except RuntimeError as error:
    print(str(error).splitlines()[0])
