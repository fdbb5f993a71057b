# --- the capture stands in a method, under the trainer's autocast
import torch


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(8, 8).cuda()
        self.x = torch.ones(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.y = self.model(self.x)

    def fit(self):
        with torch.autocast("cuda", dtype=torch.bfloat16):  # cgsan: CG204
            self.model(self.x)
            self.capture()


Trainer().fit()
# --- with the old name, and the cache turned on in words
import torch
from torch.cuda.amp import autocast

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with autocast(cache_enabled=True):  # cgsan: CG204
    for _ in range(3):
        model(x)
    with torch.cuda.graph(graph):
        y = model(x)
# --- as a decorator of the function that captures
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()


@torch.autocast("cuda")  # cgsan: CG204
def warm_and_capture():
    model(x)
    with torch.cuda.graph(graph):
        return model(x)


warm_and_capture()
# --- silent: no cache, or autocast inside the capture
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.autocast("cuda", cache_enabled=False):
    model(x)
    with torch.cuda.graph(first):
        y = model(x)
with torch.cuda.graph(second), torch.autocast("cuda"):
    z = model(x)
# --- silent: autocast of the host, or turned off
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cpu"), torch.autocast("cuda", enabled=False):
    model(x)
    with torch.cuda.graph(graph):
        y = model(x)
# --- silent: normalization runs in full precision, and nothing is cast
import torch


class Gate(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.gain = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return torch.sigmoid(self.norm(x) * self.gain)


gate = Gate(16).cuda()
x = torch.randn(4, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    gate(x)
    with torch.cuda.graph(graph):
        y = gate(x)
# --- silent: the weights are cast for good
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda().bfloat16()
other = torch.nn.Linear(8, 8).to("cuda", torch.float16)
x = torch.ones(4, 8, device="cuda", dtype=torch.bfloat16)
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    other(model(x))
    with torch.cuda.graph(graph):
        y = other(model(x))
# --- silent: weights that require no gradient are not kept
import torch

teacher = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda().requires_grad_(False)
other = torch.nn.Sequential(torch.nn.Linear(8, 8)).cuda()
for parameter in other.parameters():
    parameter.requires_grad = False
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    other(teacher(x))
    with torch.cuda.graph(graph):
        y = other(teacher(x))
