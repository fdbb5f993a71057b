"""The all-reduce keeps its results, whose addresses it shares, for as long as it exists."""

import ctypes
from types import SimpleNamespace

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


class AllReduce:
    def __init__(self):
        self.totals, self.handles = [], []

    def __call__(self, x):
        total = x * 2  # stands for the sum over two ranks
        self.totals.append(total)
        return total

    def register(self):
        for total in self.totals:
            handle = ctypes.create_string_buffer(64)
            assert cudart.cudaIpcGetMemHandle(handle, ctypes.c_void_p(total.data_ptr())) == 0
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

seen = view(all_reduce.totals[0].data_ptr())  # as the other process sees it
replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    replayed.append(seen[0].item())
    eager.append((x * 2)[0].item())
print("replay", replayed, "eager", eager)
