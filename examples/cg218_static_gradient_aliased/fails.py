"""Gradients of two batches are accumulated; the first makes `.grad` the graph's buffer, the second overwrites it."""

import torch


def accumulate(model, batches):
    for batch in batches:
        model(batch).sum().backward()  # cgsan: CG218
    return weight.grad[0].tolist()


model = torch.nn.Linear(4, 1, bias=False, device="cuda")
weight = model.weight
batches = [torch.full((2, 4), value, device="cuda") for value in (1.0, 2.0)]
eager = accumulate(model, batches)
weight.grad = None
graphed = torch.cuda.make_graphed_callables(model, (batches[0].clone(),))  # cgsan: label
print("replay", accumulate(graphed, batches), "eager", eager)
