"""An optional argument was a tensor when the module was graphed and is None at a call."""

import torch


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, mask=None):
        hidden = self.body(x)
        return hidden if mask is None else hidden * mask


x = torch.ones(4, 8, device="cuda")
mask = torch.ones(4, 1, device="cuda")
graphed = torch.cuda.make_graphed_callables(Masked().cuda(), (x, mask))
graphed(x, mask).sum().backward()
graphed(x, None).sum().backward()  # cgsan: CG134
