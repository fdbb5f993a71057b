"""The gradient has memory of its own, to which each backward adds."""

import torch


def accumulate(model, batches):
    weight.grad = torch.zeros_like(weight)
    for batch in batches:
        model(batch).sum().backward()
    return weight.grad[0].tolist()


model = torch.nn.Linear(4, 1, bias=False, device="cuda")
weight = model.weight
batches = [torch.full((2, 4), value, device="cuda") for value in (1.0, 2.0)]
eager = accumulate(model, batches)
weight.grad = None
graphed = torch.cuda.make_graphed_callables(model, (batches[0].clone(),))
print("replay", accumulate(graphed, batches), "eager", eager)
