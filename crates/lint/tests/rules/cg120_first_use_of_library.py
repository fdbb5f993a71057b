# --- fails
import torch


class Mixer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(8, 8))

    def forward(self, x):
        return x @ self.weight  # cgsan: CG120


mixer = Mixer().cuda()
x = torch.ones(4, 8, device="cuda")
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = mixer(x)
# --- fixed
import torch


class Mixer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(8, 8))

    def forward(self, x):
        return x @ self.weight


mixer = Mixer().cuda()
x = torch.ones(4, 8, device="cuda")
with torch.no_grad():
    mixer(x)
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = mixer(x)
# --- lookalike
import torch

import models

x = torch.ones(4, 8, device="cuda")
w = torch.ones(8, 8, device="cuda")
models.warm_up()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x @ w
