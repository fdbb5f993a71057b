"""Stages that were graphed together run one forward, one backward, which is not the order of their capture."""

import torch


class Stage(torch.nn.Module):
    def forward(self, x):
        return x**2 + 2 * x + 1


inputs = [torch.tensor([value], device="cuda", requires_grad=True) for value in (1.0, 2.0, 3.0)]
stages = torch.cuda.make_graphed_callables(  # cgsan: label
    tuple(Stage() for _ in inputs), tuple((x,) for x in inputs)
)

first = stages[0](inputs[0])
second = stages[1](inputs[1])
first.backward()
third = stages[2](inputs[2])
second.backward()
third.backward()  # cgsan: CG215
replayed = [x.grad.item() for x in inputs]
eager = [torch.autograd.grad(Stage()(x), x)[0].item() for x in inputs]
print("replay", replayed, "eager", eager)
