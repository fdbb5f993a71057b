# --- fails
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.capture()

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def reload(self):
        torch.cuda.synchronize()
        self.graph.reset()

    def run(self):
        self.graph.replay()  # cgsan: CG607


engine = Engine()
engine.reload()
engine.run()
# --- fixed
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.capture()

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def reload(self):
        torch.cuda.synchronize()
        self.graph.reset()
        self.capture()

    def run(self):
        self.graph.replay()


engine = Engine()
engine.reload()
engine.run()
# --- lookalike
import torch

graph = torch.cuda.CUDAGraph()
x = torch.zeros(4, device="cuda")
for step in range(10):
    if step < 3:
        y = x * 2
        continue
    if step == 3:
        with torch.cuda.graph(graph):
            y = x * 2
        continue
    graph.replay()
