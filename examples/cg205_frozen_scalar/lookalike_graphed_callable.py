"""The gain of a graphed module lies on the device, and the program gives the module a hook afterwards, which runs outside of the
graph."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("gain", torch.ones(()))

    def forward(self, x):
        return self.linear(x) * self.gain


module = Scaled().cuda().requires_grad_(False)
step = torch.cuda.make_graphed_callables(module, (torch.ones(2, 4, device="cuda"),))
module.register_forward_hook(lambda module, inputs, output: output + 1)
x = torch.ones(2, 4, device="cuda")
for _ in range(4):
    module.gain.mul_(0.5)
    y = step(x)
print("replay", y.sum().item(), "eager", (module.linear(x) * module.gain + 1).sum().item())
