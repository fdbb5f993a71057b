# --- unsafe: a tensor of the host is copied before the capture
import torch

x = torch.ones(8).add(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.to("cuda") + 1
graph.replay()
# --- repaired
import torch

x = torch.ones(8).add(1)
graph = torch.cuda.CUDAGraph()
static_value = x.to("cuda")
with torch.cuda.graph(graph):
    y = static_value + 1
graph.replay()
# --- safe: pinned memory is copied without a wait
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8).pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(batch)
    y = static * 2
# --- repaired
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8).pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(batch, non_blocking=True)
    y = static * 2
# --- safe: a constant is made before the capture
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * torch.tensor([2.0, -1.0], device="cuda").sum()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
static_value = torch.tensor([2.0, -1.0], device="cuda")
with torch.cuda.graph(graph):
    y = x * static_value.sum()
# --- unsafe: what was pinned for one copy is copied before the capture
import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.arange(8.0).pin_memory().to("cuda", non_blocking=True) + 1
graph.replay()
# --- repaired
import torch

graph = torch.cuda.CUDAGraph()
static_value = torch.arange(8.0).pin_memory().to("cuda", non_blocking=True)
with torch.cuda.graph(graph):
    y = static_value + 1
graph.replay()
# --- safe: a constant that the graph writes begins anew at each replay
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = torch.tensor(0.5, device="cuda")
    total += x.sum()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
static_value = torch.tensor(0.5, device="cuda")
with torch.cuda.graph(graph):
    total = static_value.clone()
    total += x.sum()
# --- unsafe: a copy that the graph writes begins anew at each replay
import torch

x = torch.ones(8).add(2)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cuda().add(1).mul_(2)
graph.replay()
# --- repaired
import torch

x = torch.ones(8).add(2)
graph = torch.cuda.CUDAGraph()
static_value = x.cuda()
with torch.cuda.graph(graph):
    y = static_value.clone().add(1).mul_(2)
graph.replay()
# --- nothing: the capture makes the source itself
import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.ones(8)
    y = x.cuda()
