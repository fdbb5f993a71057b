"""A mode that is entered around the capture counts the operators that are captured. It is no part of the region."""

import collections

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Counting(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = collections.Counter()

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.calls[str(function)] += 1
        return function(*arguments, **(keywords or {}))


x = torch.ones(4, device="cuda")
x * 2
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with Counting() as counting, torch.cuda.graph(graph):
    y = x * 2
for _ in range(3):
    graph.replay()
print(counting.calls["aten.mul.Tensor"], y.tolist())
