# --- a library runs on the default stream
import torch


class Kernels:
    def __init__(self):
        self.stream = torch.cuda.default_stream()

    def scale(self, x):
        with torch.cuda.stream(self.stream):
            x.mul_(2)  # cgsan: CG206


kernels = Kernels()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    y = x + 1
    kernels.scale(y)
# --- the stream that was current before the capture is entered again
import torch
from torch.cuda import current_stream, stream

before = current_stream()
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    with stream(before):
        x.add_(1)  # cgsan: CG206
    y = x * 2
# --- it is set, and set back
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    capturing = torch.cuda.current_stream()
    torch.cuda.set_stream(torch.cuda.default_stream())
    x.zero_()  # cgsan: CG206
    torch.cuda.set_stream(capturing)
    y = x + 1
# --- silent: the default stream works before and after
import torch

x = torch.ones(8, device="cuda")
x.add_(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
with torch.cuda.stream(torch.cuda.default_stream()):
    x.add_(1)
    graph.replay()
# --- silent: on the default stream only the host works
import torch

x = torch.ones(8, device="cuda")
host = torch.zeros(8)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with torch.cuda.stream(torch.cuda.default_stream()):
        host.add_(1)
    y = x + 1
# --- a running average on a stream that was never forked: nothing is allocated, so nothing is refused
import torch


class Average:
    def __init__(self):
        self.value = torch.zeros(8, device="cuda")
        self.stream = torch.cuda.Stream()

    def update(self, x):
        with torch.cuda.stream(self.stream):
            self.value.lerp_(x, 0.1)  # cgsan: CG206


average = Average()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    average.update(x)
graph.replay()
# --- the context of the stream is kept
import torch


class Mirror:
    def __init__(self):
        self.value = torch.zeros(8, device="cuda")
        self.aside = torch.cuda.StreamContext(torch.cuda.Stream())

    def update(self, x):
        with self.aside:
            self.value.copy_(x)  # cgsan: CG206


mirror = Mirror()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    mirror.update(x)
# --- silent: it is forked, and joined
import torch

side = torch.cuda.Stream()
average = torch.zeros(8, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        average.lerp_(x, 0.1)
    y = x * 2
    torch.cuda.current_stream().wait_stream(side)
# --- silent: the other stream works before the capture and after it
import torch

side = torch.cuda.Stream()
average = torch.zeros(8, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(side):
    average.lerp_(x, 0.1)
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    y = x * 2
with torch.cuda.stream(side):
    average.lerp_(x, 0.1)
# --- silent: a stream that a function nobody sees may have forked
import kernels
import torch

side = torch.cuda.Stream()
average = torch.zeros(8, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    kernels.fork(side)
    with torch.cuda.stream(side):
        average.lerp_(x, 0.1)
    kernels.join(side)
