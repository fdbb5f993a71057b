# --- fails
import torch
from transformer_engine.pytorch import make_graphed_callables


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.linear(x)
        if y.max() > 1:  # cgsan: CG101
            y = y / y.max()
        return y


block = Block().cuda()
graphed = make_graphed_callables(block, (torch.ones(8, 8, device="cuda"),))
# --- fixed
import torch
from transformer_engine.pytorch import make_graphed_callables


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        y = self.linear(x)
        return y / y.max().clamp(min=1)


block = Block().cuda()
graphed = make_graphed_callables(block, (torch.ones(8, 8, device="cuda"),))
# --- lookalike
import torch


def make_graphed_callables(block, samples):
    return block


def block(x):
    return x.max().item()


graphed = make_graphed_callables(block, (torch.ones(8, 8, device="cuda"),))
