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
# --- safe: one that is written again is copied before each replay
import torch

x = torch.ones(8)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = x.cuda() + 1  # a comment
for step in range(3):
    x.fill_(step)
    if step:
        graph.replay()
# --- repaired
import torch

x = torch.ones(8)
graph = torch.cuda.CUDAGraph()
static_value = x.cuda()
with torch.no_grad(), torch.cuda.graph(graph):
    y = static_value + 1  # a comment
for step in range(3):
    x.fill_(step)
    if step:
        static_value.copy_(x)
        graph.replay()
# --- safe: a copy into a buffer moves before the replays
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)


def train(batches):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static.copy_(batch)
        y = static * 2
    graph.replay()
    return y


train([])
# --- repaired
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)


def train(batches):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = static * 2
    static.copy_(batch)
    graph.replay()
    return y


train([])
# --- unsafe: a graph that goes elsewhere is replayed where it is not seen
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(batch)
    y = static * 2
print(graph)
# --- repaired
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)
graph = torch.cuda.CUDAGraph()
static.copy_(batch)
with torch.cuda.graph(graph):
    y = static * 2
print(graph)
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
# --- unsafe: a constant of a module is a buffer
import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x) * torch.tensor(0.5, dtype=torch.float32, device=x.device)


model = Scale().cuda()
x = torch.ones(8, 8, device="cuda")
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model(x)
# --- repaired
import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("static_value", torch.tensor(0.5, dtype=torch.float32), persistent=False)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x) * self.static_value


model = Scale().cuda()
x = torch.ones(8, 8, device="cuda")
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model(x)
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
# --- nothing: a copy alone would leave an empty graph
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(batch)
# --- nothing: the capture makes the source itself
import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.ones(8)
    y = x.cuda()
# --- nothing: what is copied into is read before
import torch

static = torch.zeros(8, device="cuda")
batch = torch.ones(8)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
    static.copy_(batch)
