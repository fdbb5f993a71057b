"""The address is shared after all captures; a later one of the pool has used the memory again."""

import ctypes
from types import SimpleNamespace

import torch

cuda = ctypes.CDLL("libcuda.so.1")
noted = []


def all_reduce(x):
    total = x * 2  # cgsan: label
    noted.append(total.data_ptr())
    return total


def view(address):
    interface = {"shape": (4,), "typestr": "<f4", "data": (address, False)}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device="cuda")


x = torch.zeros(4, device="cuda")
decoding, sampling = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(decoding):
    y = all_reduce(x) + 1
with torch.cuda.graph(sampling, pool=decoding.pool()):
    z = x * 5 - 1

handles = [ctypes.create_string_buffer(64) for _ in noted]
for handle, address in zip(handles, noted, strict=True):
    assert cuda.cuIpcGetMemHandle(handle, ctypes.c_uint64(address)) == 0  # cgsan: CG225

seen = view(noted[0])  # as the other process sees it
replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    decoding.replay()
    sampling.replay()
    replayed.append(seen[0].item())
    eager.append((x * 2)[0].item())
print("replay", replayed, "eager", eager)
