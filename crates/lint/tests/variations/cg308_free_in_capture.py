# --- a buffer of an object, set to None in a captured method
import torch


class Model:
    def __init__(self):
        self.buffer = torch.ones(64, 1 << 20, device="cuda")

    def run(self):
        self.buffer = None  # cgsan: CG308
        hidden = torch.ones(64, 1 << 20, device="cuda")
        return hidden.sum()


model = Model()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = model.run()
graph.replay()
print(total.item())
# --- between `capture_begin` and `capture_end`
import torch

warm = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    graph.capture_begin()
    del warm  # cgsan: CG308
    out = torch.ones(128 << 20, dtype=torch.uint8, device="cuda")
    graph.capture_end()
graph.replay()
print(out.sum().item())
# --- a name that gets something as large in its place
import torch

states = torch.zeros(32 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    states = torch.zeros(16, device="cuda")  # cgsan: CG308
    result = torch.ones(32 << 20, device="cuda")
graph.replay()
print(states.sum().item(), result.sum().item())
# --- silent: what is freed in the capture was made there
import torch

x = torch.ones(32 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden = torch.ones(32 << 20, device="cuda")
    del hidden
    out = torch.ones(32 << 20, device="cuda")
graph.replay()
print(out.sum().item(), x.sum().item())
# --- silent: the capture needs hardly any memory after it
import torch

scratch = torch.ones(32 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = torch.ones(32 << 20, device="cuda")
    del scratch
    small = torch.ones(16, device="cuda")
graph.replay()
print(out.sum().item(), small.sum().item())
# --- silent: little is freed
import torch

scratch = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del scratch
    out = torch.ones(32 << 20, device="cuda")
graph.replay()
print(out.sum().item())
# --- silent: memory of the host
import torch

scratch = torch.ones(32 << 20)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del scratch
    out = torch.ones(32 << 20, device="cuda")
graph.replay()
print(out.sum().item())
# --- silent: a function that is not here may keep it
import torch
from helpers import remember

scratch = torch.ones(32 << 20, device="cuda")
remember(scratch)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del scratch
    out = torch.ones(32 << 20, device="cuda")
graph.replay()
print(out.sum().item())
