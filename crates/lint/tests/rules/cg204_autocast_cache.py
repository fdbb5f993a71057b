# --- fails
import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.static = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    @torch.no_grad()
    def capture(self):
        with torch.autocast("cuda", dtype=torch.bfloat16):  # cgsan: CG204
            for _ in range(3):
                self.model(self.static)
            with torch.cuda.graph(self.graph):
                self.scores = self.model(self.static)


Server(torch.nn.Linear(8, 8).cuda()).capture()
# --- fixed
import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.static = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    @torch.no_grad()
    def capture(self):
        with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
            for _ in range(3):
                self.model(self.static)
            with torch.cuda.graph(self.graph):
                self.scores = self.model(self.static)


Server(torch.nn.Linear(8, 8).cuda()).capture()
# --- lookalike
import torch

model = torch.nn.Linear(8, 8).cuda()
static = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda"):
    model(static)
with torch.no_grad(), torch.cuda.graph(graph):
    with torch.autocast("cuda"):
        scores = model(static)
