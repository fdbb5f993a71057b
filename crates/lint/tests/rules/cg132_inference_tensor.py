# --- fails
import torch


class Engine:
    @torch.inference_mode()
    def __init__(self):
        self.x = torch.ones(4, 8, device="cuda")
        self.y = torch.zeros(4, 8, device="cuda")

    def step(self):
        self.y.copy_(self.x * 2)  # cgsan: CG132


engine = Engine()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    engine.step()
graph.replay()
# --- fixed
import torch


class Engine:
    @torch.no_grad()
    def __init__(self):
        self.x = torch.ones(4, 8, device="cuda")
        self.y = torch.zeros(4, 8, device="cuda")

    def step(self):
        self.y.copy_(self.x * 2)


engine = Engine()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    engine.step()
graph.replay()
# --- lookalike
import torch


class Engine:
    @torch.inference_mode()
    def __init__(self):
        self.x = torch.ones(4, 8, device="cuda")
        self.y = torch.zeros(4, 8, device="cuda")

    @torch.inference_mode()
    def step(self):
        self.y.copy_(self.x * 2)


engine = Engine()
copy = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    engine.step()
    copy.copy_(engine.x)
graph.replay()
