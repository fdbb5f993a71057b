"""When all work is done, the memory holds what the replay has written there last."""

import ctypes
from types import SimpleNamespace

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
addresses = []


def all_reduce(x):
    total = x * 2
    addresses.append(total.data_ptr())
    return total


def view(address):
    interface = {"shape": (4,), "typestr": "<f4", "data": (address, False)}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device="cuda")


x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (all_reduce(x) + 1) * 3 - 1

torch.cuda.synchronize()
handle = ctypes.create_string_buffer(64)
assert cudart.cudaIpcGetMemHandle(handle, ctypes.c_void_p(addresses[0])) == 0
seen = view(addresses[0])  # as the other process sees it
x.fill_(5)
graph.replay()
torch.cuda.synchronize()
assert seen.tolist() == [10, 10, 10, 10], seen.tolist()
