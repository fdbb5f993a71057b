# --- PyTorch before 2.11 records a copy of what is freed at once
# torch: 2.10
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        bias = torch.tensor([1.0, 2.0], device="cuda")  # cgsan: CG210
        return x + bias


model = Model()
x = torch.ones(2, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)
# --- the same with a batch that a function makes
# torch: 2.8
import torch


def batch():
    return torch.ones(8)


static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(batch(), non_blocking=True)  # cgsan: CG210
graph.replay()
# --- pinned for this copy only
import torch


def upload(values):
    return values.pin_memory().cuda(non_blocking=True)  # cgsan: CG210


values = torch.arange(8.0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = upload(values) * 2
# --- silent: a pinned buffer that stays
import torch


class Model:
    def __init__(self):
        self.staging = torch.ones(8, pin_memory=True)

    def __call__(self):
        return self.staging.to("cuda", non_blocking=True) * 2


model = Model()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model()
# --- silent: the temporary is copied before the capture
import torch

static = torch.arange(8.0).pin_memory().to("cuda", non_blocking=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
# --- a pinned tensor that nothing keeps once the function has returned
import torch


def record(target):
    staging = torch.ones(4).pin_memory()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        target.copy_(staging, non_blocking=True)  # cgsan: CG210
    return graph


target = torch.zeros(4, device="cuda")
graph = record(target)
graph.replay()
# --- silent: the function returns it, or whoever called it has it
import torch


def record(target, source):
    staging = torch.ones(4).pin_memory()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        target.copy_(staging, non_blocking=True)
        target.add_(source.to("cuda", non_blocking=True))
    return graph, staging


source = torch.ones(4).pin_memory()
target = torch.zeros(4, device="cuda")
graph, staging = record(target, source)
graph.replay()
