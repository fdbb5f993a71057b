"""A captured backward writes its gradient at each replay, where the program means it to add."""

import torch

weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
static = torch.ones(4, device="cuda")


def backward():
    (static * weight).sum().backward()  # cgsan: label


def accumulate(step):
    results = []
    for value in (1.0, 2.0, 4.0):
        static.fill_(value)
        step()  # cgsan: CG218
        results.append(weight.grad[0].item())
    return results


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    eager = accumulate(backward)
torch.cuda.current_stream().wait_stream(side)
weight.grad = None
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    backward()
print("replay", accumulate(graph.replay), "eager", eager)
