# --- pinned memory is asked for at each step
# torch: 2.9
import torch


class Sampler:
    def __init__(self):
        self.logits = torch.zeros(8, 32, device="cuda")

    def offload(self):
        host = torch.empty(8, 32, pin_memory=True)  # cgsan: CG104
        host.copy_(self.logits, non_blocking=True)
        return host


sampler = Sampler()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    sampler.logits.mul_(0.5)
    copy = sampler.offload()
# --- a batch pins itself, through a dataclass
# torch: 2.10
from dataclasses import dataclass

import torch


@dataclass
class Batch:
    inputs: torch.Tensor

    def pin(self):
        return self.inputs.pin_memory()  # cgsan: CG104


batch = Batch(inputs=torch.ones(8))
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    graph.capture_begin()
    pinned = batch.pin()
    y = x + 1
    graph.capture_end()
# --- another library asks for it, whatever the version of PyTorch
import ctypes

import torch

runtime = ctypes.CDLL("libcudart.so.13")


def host_buffer(size):
    pointer = ctypes.c_void_p()
    runtime.cudaHostAlloc(ctypes.byref(pointer), size, 0)  # cgsan: CG104
    return pointer


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x + 1
    buffer = host_buffer(4096)
# --- silent: it is pinned before the capture
# torch: 2.9
import torch

host = torch.empty(8, pin_memory=True)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
spare = torch.empty(8).pin_memory()
# --- silent: in mode `relaxed` it is allowed
# torch: 2.9
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    host = torch.empty(8, pin_memory=True)
    host.copy_(x, non_blocking=True)
# --- silent: PyTorch 2.11 guards its own allocations
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host = torch.empty(8, pin_memory=True)
    host.copy_(x, non_blocking=True)
# --- host memory is registered through PyTorch's binding of the runtime
import torch

staging = torch.zeros(1 << 16)
x = torch.ones(1 << 16, device="cuda")


def pin_in_place(tensor):
    return torch.cuda.cudart().cudaHostRegister(tensor.data_ptr(), tensor.nbytes, 0)  # cgsan: CG104


with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    pin_in_place(staging)
# --- it is registered before, and the runtime is asked for something harmless
import torch

staging = torch.zeros(1 << 16)
x = torch.ones(1 << 16, device="cuda")
torch.cuda.cudart().cudaHostRegister(staging.data_ptr(), staging.nbytes, 0)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    torch.cuda.cudart().cudaProfilerStart()
    staging.copy_(y, non_blocking=True)
