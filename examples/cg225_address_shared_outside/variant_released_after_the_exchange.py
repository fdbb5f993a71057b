"""What was shared is held until the handles are exchanged, and not while they are in use."""

import ctypes
from types import SimpleNamespace

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def view(address):
    interface = {"shape": (4,), "typestr": "<f4", "data": (address, False)}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device="cuda")


x = torch.zeros(4, device="cuda")
shared = []
decoding, sampling = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(decoding):
    shared.append(x * 2)  # cgsan: label
    y = shared[0] + 1

address = shared[0].data_ptr()
handle = ctypes.create_string_buffer(64)
assert cudart.cudaIpcGetMemHandle(handle, ctypes.c_void_p(address)) == 0  # cgsan: CG225
shared.clear()
with torch.cuda.graph(sampling, pool=decoding.pool()):
    z = x * 5 - 1

seen = view(address)  # as the other process sees it
replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    decoding.replay()
    sampling.replay()
    replayed.append(seen[0].item())
    eager.append((x * 2)[0].item())
print("replay", replayed, "eager", eager)
