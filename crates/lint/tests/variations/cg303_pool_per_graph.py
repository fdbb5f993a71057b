# --- one graph a batch size, each with its own pool
import torch

buffer = torch.zeros(8, 8, device="cuda")
graphs = {}
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG303
        y = buffer[:size] * 2
    graphs[size] = graph
# --- in a helper that a loop calls
import torch


class Bank:
    def __init__(self):
        self.buffer = torch.zeros(8, 8, device="cuda")
        self.graphs = []

    def add(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            y = self.buffer[:size] * 2
        self.graphs.append(graph)


bank = Bank()
for size in range(1, 9):
    bank.add(size)
# --- by hand
import torch

buffer = torch.zeros(8, 8, device="cuda")
stream = torch.cuda.Stream()
graphs = []
with torch.cuda.stream(stream):
    for size in (8, 4, 2, 1):
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin()  # cgsan: CG303
        y = buffer[:size] * 2
        graph.capture_end()
        graphs.append(graph)
# --- silent: the pool of the first, handed on
import torch

buffer = torch.zeros(8, 8, device="cuda")
graphs, pool = [], None
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = buffer[:size] * 2
    pool = graph.pool()
    graphs.append(graph)
# --- silent: each graph takes the place of the one before
import torch

buffer = torch.zeros(8, 8, device="cuda")
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = buffer[:size] * 2
    graph.replay()
    torch.cuda.synchronize()
    graph.reset()
# --- silent: a single graph
import torch


class Runner:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2


runner = Runner()
for _ in range(4):
    runner.graph.replay()
