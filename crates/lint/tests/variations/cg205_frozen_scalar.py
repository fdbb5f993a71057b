# --- a learning rate that decays
import torch

weight = torch.ones(8, device="cuda")
gradient = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
rate = 0.1
for step in range(10):
    if step == 0:
        with torch.cuda.graph(graph):
            weight.sub_(gradient * (0.1 / (step + 1)))  # cgsan: CG205
    graph.replay()
# --- a time step of a sampler, as an attribute
import torch


class Sampler:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = None

    def denoise(self, t):
        return self.x * t  # cgsan: CG205

    def run(self):
        for t in range(50):
            if self.graph is None:
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph):
                    self.y = self.denoise(t)
            self.graph.replay()


Sampler().run()
# --- a counter as a keyword argument
import torch

total = torch.zeros(8, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(10):
    if step == 0:
        with torch.cuda.graph(graph):
            torch.add(total, x, alpha=step, out=total)  # cgsan: CG205
    graph.replay()
# --- the position of a decoder writes one row
import torch

cache = torch.zeros(16, 8, device="cuda")
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
for position in range(16):
    if position == 0:
        with torch.cuda.graph(graph):
            cache[position] = key  # cgsan: CG205
    graph.replay()
# --- silent: kept in a tensor that is filled before each replay
import torch

x = torch.ones(8, device="cuda")
t = torch.zeros((), device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(10):
    t.fill_(step)
    if step == 0:
        with torch.cuda.graph(graph):
            y = x * t
    graph.replay()
# --- silent: a constant, and a loop inside the capture
import torch

x = torch.ones(8, device="cuda")
scale = 0.5
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for power in range(3):
        x.mul_(scale + power)
for step in range(10):
    graph.replay()
    print(x * step)
# --- silent: a graph for each turn
import torch

x = torch.ones(8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = []
for step in range(3):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = x * step
    graphs.append(graph)
