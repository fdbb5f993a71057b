# --- never captured
import torch

x = torch.zeros(4, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = x * 2
first.replay()
second.replay()  # cgsan: CG607
# --- reset at the end of each iteration, and captured before all of them
import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.reset()
for _ in range(3):
    graph.replay()  # cgsan: CG607
# --- the object is made anew
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def clear(self):
        self.graph = torch.cuda.CUDAGraph()


engine = Engine()
engine.graph.replay()
engine.clear()
engine.graph.replay()  # cgsan: CG607
# --- silent: code that is not seen captures
import torch
from runner import capture

graph = torch.cuda.CUDAGraph()
capture(graph)
graph.replay()
# --- silent: others call the methods
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self):
        self.graph.replay()


# --- silent: one of several was captured
import torch

x = torch.zeros(4, device="cuda")
graphs = {size: torch.cuda.CUDAGraph() for size in (1, 2, 4)}
for size, graph in graphs.items():
    with torch.cuda.graph(graph):
        y = x * size
graphs[2].replay()
# --- silent: begin and end
import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x * 2
    graph.capture_end()
graph.replay()
# --- silent: the first call captures
import torch


class Step:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls < 3:
            return self.x * 2
        if self.calls == 3:
            with torch.cuda.graph(self.graph):
                self.y = self.x * 2
        self.graph.replay()
        return self.y


step = Step()
for _ in range(10):
    step()
