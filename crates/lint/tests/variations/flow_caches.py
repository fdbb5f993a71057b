# --- a cached function runs for an argument that it has not seen
import functools

import torch


@functools.lru_cache(maxsize=None)
def limit(rank):
    return torch.full((4,), rank, device="cuda").max().item()  # cgsan: CG101


limit(1)
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * limit(2)
# --- a cache put around a function by a call, first used in the capture
from functools import cache

import torch

x = torch.ones(4, device="cuda")


def scale():
    return x.max().item()  # cgsan: CG101


cached = cache(scale)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x / cached()
# --- a cached property of one object was computed, that of another was not
import functools

import torch


class Bounds:
    def __init__(self, value):
        self.value = value

    @functools.cached_property
    def high(self):
        return float(self.value.max())  # cgsan: CG101


one, other = Bounds(torch.ones(4, device="cuda")), Bounds(torch.zeros(4, device="cuda"))
one.high
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = one.value * other.high
# --- silent: the second call with the same argument gives what the first gave
import functools

import torch


@functools.lru_cache(maxsize=None)
def limit(rank):
    return torch.full((4,), rank, device="cuda").max().item()


limit(1)
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * limit(1)
# --- silent: a cache put around a function by a call
import functools

import torch

x = torch.ones(4, device="cuda")
cached = functools.lru_cache(maxsize=8)(lambda: x.max().item())
cached()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x / cached()
# --- silent: the property of this object was computed before
from functools import cached_property

import torch


class Bounds:
    def __init__(self, value):
        self.value = value

    @cached_property
    def high(self):
        return float(self.value.max())


bounds = Bounds(torch.ones(4, device="cuda"))
print(bounds.high)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = bounds.value * bounds.high
# --- silent: what a cached function keeps is the tensor of the first call
import functools

import torch


@functools.cache
def mask(size):
    return torch.tensor([0] * size).cuda()


x = torch.ones(4, device="cuda")
x + mask(4)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + mask(4)
# --- silent: a keyword argument that was the same
import functools

import torch


@functools.lru_cache
def table(*, size):
    return torch.tensor(list(range(size)), device="cuda")


table(size=8)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + table(size=8)
