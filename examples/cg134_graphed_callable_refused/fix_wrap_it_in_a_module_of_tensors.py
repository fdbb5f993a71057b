"""A wrapper takes tensors by position, holds the setting, names the arguments and returns tensors only."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, *, bias=None, causal=False):
        hidden = self.body(x) if bias is None else self.body(x) + bias
        return (hidden.tril() if causal else hidden), None


class Positional(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x, bias):
        output, _ = self.block(x, bias=bias, causal=True)
        return output


block = Block().cuda()
x = torch.ones(8, 8, device="cuda")
bias = torch.ones(8, device="cuda")
graphed = torch.cuda.make_graphed_callables(Positional(block), (x, bias))
output = graphed(x, bias)
output.sum().backward()
assert output.shape == (8, 8)
assert block.body.weight.grad is not None
