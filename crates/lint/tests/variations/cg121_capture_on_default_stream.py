# --- a wrapper begins wherever its caller stands
import torch


class Recorder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()

    def __enter__(self):
        self.graph.capture_begin()  # cgsan: CG121
        return self.graph

    def __exit__(self, *exception):
        self.graph.capture_end()


x = torch.ones(8, device="cuda")
with Recorder() as graph:
    y = x + 1
# --- the default stream is asked for by name
import torch
from torch.cuda import default_stream, graph

x = torch.ones(8, device="cuda")
with graph(torch.cuda.CUDAGraph(), stream=default_stream()):  # cgsan: CG121
    y = x + 1
# --- under `torch.cuda.stream` of the stream that was current
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
current = torch.cuda.current_stream()
with torch.cuda.stream(current):
    graph.capture_begin(pool=None, capture_error_mode="thread_local")  # cgsan: CG121
    y = x + 1
    graph.capture_end()
# --- silent: on a side stream, set or entered
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.stream(side):
    first.capture_begin()
    y = x + 1
    first.capture_end()
torch.cuda.set_stream(side)
second.capture_begin()
z = x + 2
second.capture_end()
# --- silent: `torch.cuda.graph` brings a stream of its own
import torch

x = torch.ones(8, device="cuda")
with torch.cuda.stream(torch.cuda.default_stream()):
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        y = x + 1
# --- silent: another `capture_begin`
import torch


class Camera:
    def capture_begin(self):
        return 1

    def capture_end(self):
        return 2


camera = Camera()
camera.capture_begin()
x = torch.ones(8, device="cuda")
camera.capture_end()
