"""A rate rises in the first eager steps, and is constant when the step is captured and from then on."""

import torch

RISE, STEPS = 4, 12


def rate(step):
    return 0.5 * min(1.0, (step + 1) / RISE)


def descend(weight, x, by):
    weight.sub_(x * weight * by)


x = torch.full((4,), 0.1, device="cuda")
weight, reference = torch.ones(4, device="cuda"), torch.ones(4, device="cuda")
graph = None
for step in range(STEPS):
    if step < RISE:
        descend(weight, x, rate(step))
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            descend(weight, x, rate(step))
    graph.replay()
for step in range(STEPS):
    descend(reference, x, rate(step))
print("replay", weight[0].item(), "eager", reference[0].item())
