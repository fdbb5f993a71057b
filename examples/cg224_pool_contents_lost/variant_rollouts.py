"""An engine pauses between rollouts, and loads its weights before the first one only."""

import ctypes

import torch

BYTES = 2 << 20
DEVICE_MEMORY = (ctypes.c_int * 8)(1, 0, 1)  # a `CUmemAllocationProp`: memory of device 0
READ_AND_WRITE = (ctypes.c_int * 3)(1, 0, 3)  # a `CUmemAccessDesc`: by device 0
cuda = ctypes.CDLL("libcuda.so.1")


class Region:
    def __init__(self):
        self.address, self.memory = ctypes.c_uint64(), ctypes.c_uint64()
        assert cuda.cuMemAddressReserve(ctypes.byref(self.address), BYTES, 0, 0, 0) == 0
        self.resume()
        data = (self.address.value, False)
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": data}

    def resume(self):
        assert cuda.cuMemCreate(ctypes.byref(self.memory), BYTES, DEVICE_MEMORY, 0) == 0
        assert cuda.cuMemMap(self.address, BYTES, 0, self.memory, 0) == 0
        assert cuda.cuMemSetAccess(self.address, BYTES, READ_AND_WRITE, 1) == 0

    def pause(self):
        torch.cuda.synchronize()
        assert cuda.cuMemUnmap(self.address, BYTES) == 0  # cgsan: label
        assert cuda.cuMemRelease(self.memory) == 0


x = torch.ones(4, device="cuda")
checkpoint = torch.tensor([1.0, 2.0, 3.0, 4.0])
region = Region()
weight = torch.as_tensor(region, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (x * weight).sum()

replayed, eager = [], []
for step in range(3):
    if step == 0:
        weight.copy_(checkpoint)
    graph.replay()  # cgsan: CG224
    replayed.append(y.item())
    eager.append((x * checkpoint.cuda()).sum().item())
    region.pause()
    region.resume()
print("replay", replayed, "eager", eager)
