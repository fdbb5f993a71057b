"""Modes are switched between replays for eager steps, and switched back; others change nothing that the graph does."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Dropout(0.5)).cuda()
scale = torch.nn.Parameter(torch.ones(64, device="cuda"))
x = torch.ones(4, 16, device="cuda")
y = torch.zeros(4, 64, device="cuda")


def step():
    y.copy_(model(x))


def scaled():
    y.mul_(scale.detach())


with torch.no_grad():
    step()
    scaled()
    graph, scaling = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    with torch.autocast("cuda"), torch.cuda.graph(scaling):
        scaled()
        scaling_captured_under_autocast = torch.is_autocast_enabled("cuda")
for number in range(5):
    graph.replay()
    scaling.replay()
    model.eval()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        model(x)
    model.train()
    torch.backends.cuda.matmul.allow_tf32 = True
    x @ x.t()
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.autocast("cuda", enabled=number > 2):
        scaling.replay()
print(y.shape, scaling_captured_under_autocast)
