# --- a module counts its calls
import torch


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # cgsan: CG212
        return x * 2


module = Counted()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = module(x)
for _ in range(3):
    graph.replay()
# --- a dictionary of statistics
import torch

stats = {"steps": 0}


def step(x):
    stats["steps"] += 1  # cgsan: CG212
    return x + 1


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- a position that should move on at each token
import torch


class Decoder:
    def __init__(self):
        self.position = 0
        self.cache = torch.zeros(16, 8, device="cuda")

    def __call__(self, key):
        self.cache[self.position].copy_(key)
        self.position = self.position + 1  # cgsan: CG212


decoder = Decoder()
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    decoder(key)
# --- a `nonlocal` counter in a graphed callable
import torch


def make():
    calls = 0

    def forward(x):
        nonlocal calls
        calls += 1  # cgsan: CG212
        return x * 2

    return forward


forward = make()
x = torch.ones(8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(forward, (x,))
# --- silent: counted where it is replayed
import torch


class Runner:
    def __init__(self):
        self.steps = 0
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self):
        self.graph.replay()
        self.steps += 1


Runner().run()
# --- silent: a local number, and one that a tensor holds
import torch


def stack(x):
    depth = 0
    for _ in range(4):
        x = x * 2
        depth += 1
    return x / depth


steps = torch.zeros((), device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = stack(x)
    steps += 1
