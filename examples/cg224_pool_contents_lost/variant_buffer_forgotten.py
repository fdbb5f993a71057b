"""Two regions wake up: the weights are loaded again, and the table beside them is forgotten."""

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
positions = torch.arange(4.0)
regions = [Region(), Region()]
weight, table = (torch.as_tensor(region, device="cuda") for region in regions)
weight.copy_(checkpoint)
table.copy_(positions.cos())
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * weight + table

for region in regions:
    region.pause()
for region in regions:
    region.resume()
weight.copy_(checkpoint)
graph.replay()  # cgsan: CG224
eager = x * checkpoint.cuda() + positions.cos().cuda()
print("replay", y.tolist(), "eager", eager.tolist())
