"""Gradients are to be scaled by a hook of the weight, which comes after the capture of the backward pass."""

import torch

torch.manual_seed(0)
weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
weight.grad = torch.zeros(4, device="cuda")
x = torch.ones(4, device="cuda")


def step():
    weight.grad.zero_()
    (weight * x).sum().backward()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
weight.register_hook(lambda gradient: gradient * 0.5)  # cgsan: CG213
for _ in range(4):
    graph.replay()
replayed = weight.grad[0].item()
step()
print("replay", [replayed], "eager", [weight.grad[0].item()])
