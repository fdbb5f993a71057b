"""The gain of a module is lowered between the calls of its graphed callable, which keeps the one of the capture."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.gain = 1.0

    def forward(self, x):
        return self.linear(x) * self.gain  # cgsan: CG205


module = Scaled().cuda().requires_grad_(False)
step = torch.cuda.make_graphed_callables(module, (torch.ones(2, 4, device="cuda"),))
x = torch.ones(2, 4, device="cuda")
for _ in range(4):
    module.gain *= 0.5
    y = step(x)  # cgsan: label
print("replay", y.sum().item(), "eager", (module.linear(x) * module.gain).sum().item())
