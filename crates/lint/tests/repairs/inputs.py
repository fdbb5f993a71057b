# --- unsafe: a batch is written into the captured tensor
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for batch in torch.randn(4, 16, 8):
    x = batch.to("cuda", non_blocking=True)  # the next one
    graph.replay()
# --- repaired
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for batch in torch.randn(4, 16, 8):
    x.copy_(batch, non_blocking=True)  # the next one
    graph.replay()
# --- safe: a tensor made like the captured one
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for _ in range(3):
    x = torch.randn(16, 8, device="cuda")
    graph.replay()
# --- repaired
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for _ in range(3):
    x.copy_(torch.randn(16, 8, device="cuda"))
    graph.replay()
# --- safe: a deleted input is kept
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
del x
graph.replay()
# --- repaired
import torch

x = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
# --- safe: the host waits before it writes what is copied
import torch

host = torch.zeros(8).pin_memory()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(host, non_blocking=True)
    y = static + 1
for step in range(4):
    host.fill_(step)
    graph.replay()
# --- repaired
import torch

host = torch.zeros(8).pin_memory()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(host, non_blocking=True)
    y = static + 1
for step in range(4):
    torch.cuda.synchronize()
    host.fill_(step)
    graph.replay()
# --- safe: an output is kept as a copy
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
kept = [None] * 4
more = []
for step in range(4):
    graph.replay()
    kept[step] = y
    more.append(y)
# --- repaired
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
kept = [None] * 4
more = []
for step in range(4):
    graph.replay()
    kept[step] = y.clone()
    more.append(y.clone())
# --- safe: the graph holds what only its function held
import torch


def capture(model, example):
    static = example.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        scores = model(static)
    return graph, scores


model = torch.nn.LayerNorm(8).cuda()
graph, scores = capture(model, torch.ones(4, 8, device="cuda"))
graph.replay()
# --- repaired
import torch


def capture(model, example):
    static = example.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        scores = model(static)
    graph.static_input = static
    return graph, scores


model = torch.nn.LayerNorm(8).cuda()
graph, scores = capture(model, torch.ones(4, 8, device="cuda"))
graph.replay()
