"""`capturable` is switched on after a step has been taken: the step count is on the host already."""

import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
optimizer = torch.optim.Adam([weight])
optimizer.step()
optimizer.param_groups[0]["capturable"] = True
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
