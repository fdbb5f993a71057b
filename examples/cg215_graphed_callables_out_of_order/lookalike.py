"""Stages that were graphed together run in that order, step after step, with a forward alone between them."""

import torch


class Stage(torch.nn.Module):
    def forward(self, x):
        return x**2 + 2 * x + 1


inputs = [torch.tensor([value], device="cuda", requires_grad=True) for value in (1.0, 2.0, 3.0)]
stages = torch.cuda.make_graphed_callables(
    tuple(Stage() for _ in inputs), tuple((x,) for x in inputs)
)

replayed, eager = [], []
for _ in range(2):
    outputs = [stage(x) for stage, x in zip(stages, inputs, strict=True)]
    for output in reversed(outputs):
        output.backward()
    replayed.append([x.grad.item() for x in inputs])
    for x in inputs:
        x.grad = None
    for stage, x in zip(stages, inputs, strict=True):
        stage(x)
    eager.append([torch.autograd.grad(Stage()(x), x)[0].item() for x in inputs])
print("replay", replayed, "eager", eager)
