"""An all-reduce notes the address of its result, and shares it when the pool has used it again."""

import ctypes
from types import SimpleNamespace

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


class AllReduce:
    def __init__(self):
        self.addresses, self.handles = [], []

    def __call__(self, x):
        total = x * 2  # cgsan: label
        self.addresses.append(total.data_ptr())
        return total

    def register(self):
        for address in self.addresses:
            handle = ctypes.create_string_buffer(64)
            assert cudart.cudaIpcGetMemHandle(handle, ctypes.c_void_p(address)) == 0  # cgsan: CG225
            self.handles.append(handle)


def view(address):
    interface = {"shape": (4,), "typestr": "<f4", "data": (address, False)}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device="cuda")


x = torch.zeros(4, device="cuda")
all_reduce = AllReduce()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (all_reduce(x) + 1) * 3 - 1
all_reduce.register()

seen = view(all_reduce.addresses[0])  # as the other process sees it
replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    replayed.append(seen[0].item())
    eager.append((x * 2)[0].item())
print("replay", replayed, "eager", eager)
