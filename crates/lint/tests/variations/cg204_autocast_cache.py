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
