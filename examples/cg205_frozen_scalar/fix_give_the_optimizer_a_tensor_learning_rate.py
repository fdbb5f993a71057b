"""A capturable optimizer reads its learning rate from the device at each replay."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
weight.grad = torch.ones_like(weight)
rate = torch.tensor(0.1, device="cuda")
optimizer = torch.optim.Adam([weight], lr=0.1, capturable=True)
optimizer.param_groups[0]["lr"] = rate
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    optimizer.step()  # makes the state that the graph updates
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()

before = weight.detach().clone()
rate.fill_(0.0)
graph.replay()
assert torch.equal(weight, before)
rate.fill_(0.1)
graph.replay()
assert not torch.equal(weight, before)
