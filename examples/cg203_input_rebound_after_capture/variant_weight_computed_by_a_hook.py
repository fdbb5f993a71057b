"""A layer gets weight normalization after its graph was captured: its weight is computed anew at each call, and in no replay."""

import warnings

import torch
from torch import nn

warnings.filterwarnings("ignore", category=FutureWarning)
torch.manual_seed(1)
layer = nn.Linear(4, 4, device="cuda")
x = torch.zeros(2, 4, device="cuda")


@torch.no_grad()
def step():
    return layer(x)


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

nn.utils.weight_norm(layer)
replayed, eager = [], []
for _ in range(3):
    with torch.no_grad():
        layer.weight_g.mul_(0.5)
    x.copy_(torch.randn(2, 4))
    graph.replay()  # cgsan: CG203
    replayed.append(round(y.sum().item(), 3))
    eager.append(round(step().sum().item(), 3))
print("replay", replayed, "eager", eager)
