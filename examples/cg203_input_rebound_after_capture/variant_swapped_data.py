"""An evaluation swaps averaged weights in with `.data =`, and the graph reads those of training."""

import torch

weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
average = torch.full((4,), 5.0, device="cuda")
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = x * weight  # cgsan: label

training = weight.data
weight.data = average  # cgsan: CG203
graph.replay()
replayed = y.tolist()
eager = (x * weight).tolist()
weight.data = training
print("replay", replayed, "eager", eager)
