# --- a workspace is asked for on the default stream
import torch


class Workspace:
    def __init__(self):
        self.stream = torch.cuda.default_stream()

    def get(self, size):
        with torch.cuda.stream(self.stream):
            return torch.empty(size, device="cuda")  # cgsan: CG103


workspace = Workspace()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    buffer = workspace.get(1 << 26)
    y = x + 1
# --- with `set_stream`, in a capture by hand
import torch

origin, other = torch.cuda.Stream(), torch.cuda.current_stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(origin):
    graph.capture_begin()
    torch.cuda.set_stream(other)
    buffer = torch.empty((1 << 26,), device="cuda")  # cgsan: CG103
    torch.cuda.set_stream(origin)
    y = x + 1
    graph.capture_end()
# --- like another tensor
import torch

side = torch.cuda.default_stream()
x = torch.ones(1 << 26, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with torch.cuda.stream(side):
        scratch = torch.empty_like(x)  # cgsan: CG103
    y = x + 1
# --- by keyword, in a function that its caller gives the stream
from torch import cuda, empty, ones


def reserve(size, stream):
    with cuda.stream(stream):
        return empty(size=(size,), device="cuda")  # cgsan: CG103


lane = cuda.default_stream()
x = ones(8, device="cuda")
graph = cuda.CUDAGraph()
with cuda.graph(graph, capture_error_mode="thread_local"):
    scratch = reserve(1 << 26, lane)
    y = x + 1
# --- silent: the stream is part of the capture, or the memory is there before
import torch

side = torch.cuda.Stream()
before = torch.empty(1 << 26, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        buffer = torch.empty(1 << 26, device="cuda")
        z = x * 2
    torch.cuda.current_stream().wait_stream(side)
# --- silent: memory of the host
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with torch.cuda.stream(side):
        buffer = torch.empty(1 << 20)
    y = x + 1
# --- the stream of a handle is the stream that it was taken from
import torch

x = torch.rand(8, device="cuda")
mine = torch.cuda.Stream()
same = torch.cuda.ExternalStream(mine.cuda_stream)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    mine.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(same):
        y = x * 2
    torch.cuda.current_stream().wait_stream(mine)
