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
# --- silent: a list of graphs, each captured with the number of its turn, and replayed side by side
import torch

count = 3
inputs = [torch.full((1024,), float(turn), device="cuda") for turn in range(count)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
results = [None] * count


def shifted(x, shift):
    return x * x + shift


for turn in range(count):
    with torch.cuda.graph(graphs[turn], pool=None if turn == 0 else graphs[0].pool()):
        results[turn] = shifted(inputs[turn], turn + 1)
for _ in range(4):
    for turn in range(count):
        graphs[turn].replay()
print([result[0].item() for result in results])
# --- silent: as many graphs as the program is asked for, made before the loop that captures them
import sys

import torch

count = int(sys.argv[1])
x = torch.ones(1024, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = [torch.cuda.CUDAGraph() for _ in range(count)]
scaled = []
for turn in range(count):
    with torch.cuda.graph(graphs[turn], pool=pool):
        scaled.append(x * turn)
for turn in range(count):
    graphs[turn].replay()
    print(scaled[turn].sum().item())
# --- silent: graphs of a dictionary, each captured for its scale
import torch

x = torch.ones(1024, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = {scale: torch.cuda.CUDAGraph() for scale in range(1, 6)}
scaled = {}
for scale, graph in graphs.items():
    with torch.cuda.graph(graph, pool=pool):
        scaled[scale] = x * scale
for scale in range(1, 6):
    graphs[scale].replay()
    print(scaled[scale].sum().item())
# --- a graph kept by name is captured in the turn that first asks for it, and replayed in all
import torch

x = torch.ones(1024, device="cuda")
graphs = {}
for turn in range(10):
    if "scaled" not in graphs:
        graphs["scaled"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs["scaled"]):
            y = x * turn  # cgsan: CG205
    graphs["scaled"].replay()
    print(y.sum().item())
# --- silent: a loop of the main function fills a list, with the number written beside each graph
import torch


def powers(x, most):
    graphs = [torch.cuda.CUDAGraph() for _ in range(most)]
    outs = []
    pool = torch.cuda.graph_pool_handle()
    for power in range(most):
        graph = graphs[power]
        with torch.cuda.graph(graph, pool=pool):
            outs.append(torch.mul(x, power))
    return list(zip(graphs, outs))


for graph, out in powers(torch.rand(1024, device="cuda"), 8):
    graph.replay()
    print(out.mean().item())
