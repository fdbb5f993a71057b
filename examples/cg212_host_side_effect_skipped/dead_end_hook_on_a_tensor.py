"""A hook of autograd runs when backward is captured, and not when it is replayed."""

import torch

x = torch.ones(4, device="cuda", requires_grad=True)
seen = []
x.register_hook(lambda grad: seen.append("grad"))


def step():
    return torch.autograd.grad((x * 2).sum(), x)[0]


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    grad = step()

before = len(seen)
for _ in range(3):
    graph.replay()
assert len(seen) == before + 3, "a replay calls no hook"
