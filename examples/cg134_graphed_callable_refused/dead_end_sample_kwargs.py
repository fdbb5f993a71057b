"""PyTorch's function has no `sample_kwargs`; it is Transformer Engine's that has."""

import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, scale):
        return self.body(x) * scale


x = torch.ones(4, 8, device="cuda")
scale = torch.ones(8, device="cuda")
torch.cuda.make_graphed_callables(Scaled().cuda(), (x,), sample_kwargs={"scale": scale})
