# --- fails
from contextlib import contextmanager

import torch


@contextmanager
def on_default_stream():
    with torch.cuda.stream(torch.cuda.default_stream()):
        yield


x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with on_default_stream():
        buffer = torch.empty(1 << 26, device="cuda")  # cgsan: CG103
    y = x * 2
# --- fixed
from contextlib import contextmanager

import torch


@contextmanager
def on_default_stream():
    with torch.cuda.stream(torch.cuda.default_stream()):
        yield


x = torch.ones(1 << 20, device="cuda")
buffer = torch.empty(1 << 26, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
# --- lookalike
import torch

staging = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    staging.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(staging):
        buffer = torch.empty(1 << 20, device="cuda")
        buffer.copy_(x)
    torch.cuda.current_stream().wait_stream(staging)
